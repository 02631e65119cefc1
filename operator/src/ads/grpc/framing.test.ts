import assert from "node:assert/strict";
import { Deframer, frameMessage } from "./framing.ts";
import { encodeDetails } from "./status.ts";

const messages = ["", "a", "some more", "x".repeat(300)];
const wire = Buffer.concat(messages.map((text) => frameMessage(Buffer.from(text))));

describe("gRPC's frames", () => {
  for (const size of [1, 2, 3, 5, 7, 64, 10_000])
    it(`are the same in pieces of ${size} bytes`, () => {
      const deframer = new Deframer(1_000);
      const read: string[] = [];
      for (let at = 0; at < wire.length; at += size) {
        const deframed = deframer.push(wire.subarray(at, at + size));
        assert.ok(deframed.kind === "messages");
        read.push(...deframed.messages.map(String));
      }
      assert.deepEqual(read, messages);
    });

  it("may be as large as is said, not larger; that is known before they are there", () => {
    const framed = frameMessage(Buffer.alloc(11));
    assert.equal(new Deframer(11).push(framed).kind, "messages");
    assert.equal(new Deframer(10).push(framed.subarray(0, 5)).kind, "too large");
  });

  it("are not compressed", () => {
    const framed = frameMessage(Buffer.from("x"));
    framed[0] = 1;
    assert.equal(new Deframer(10).push(framed).kind, "compressed");
  });
});

describe("gRPC's statuses", () => {
  it("carry any text", () => {
    for (const text of ["plain: text!", "50 %", "ä\n€ 😀", "%41"])
      assert.equal(decodeURIComponent(encodeDetails(text)), text);
    assert.equal(encodeDetails("a b~!%"), "a b~!%25");
    assert.equal(encodeDetails("\uD800"), "?");
  });
});
