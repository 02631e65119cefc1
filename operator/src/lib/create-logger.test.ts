import assert from "node:assert/strict";
import { createLogger, type LogFormat, type LogLevel } from "./create-logger.ts";
import { Sensitive } from "./sensitive.ts";

function capture(format: LogFormat, level: LogLevel = "info") {
  const lines: string[] = [];
  return { lines, logger: createLogger({ format, level, write: (line) => lines.push(line) }) };
}

describe("createLogger()", () => {
  it("writes text with the sentence first and the fields after it", () => {
    const { lines, logger } = capture("text");
    logger.child({ gateway: "demo/web" }).warn({ port: 8080, why: "in use" }, "port taken");
    assert.match(
      lines.join(""),
      /^\d\d:\d\d:\d\d WARN {2}port taken {2}\(gateway=demo\/web port=8080 why="in use"\)\n$/,
    );
  });

  it("writes one JSON object a line", () => {
    const { lines, logger } = capture("json");
    logger.child({ gateway: "demo/web" }).error({ err: new Error("boom") }, "failed");
    const { level, msg, gateway, err }: Record<string, unknown> = JSON.parse(lines[0] ?? "");
    assert.deepEqual({ level, msg, gateway }, { level: "error", msg: "failed", gateway: "demo/web" });
    assert.match(JSON.stringify(err), /"message":"boom"/);
  });

  for (const format of ["text", "json"] as const) {
    it(`leaves out what is below its level (${format})`, () => {
      const { lines, logger } = capture(format, "warn");
      logger.info({}, "quiet");
      logger.warn({}, "loud");
      assert.equal(lines.length, 1);
      assert.match(lines[0] ?? "", /loud/);
    });

    it(`never shows a sensitive value (${format})`, () => {
      const { lines, logger } = capture(format);
      logger.info({ key: new Sensitive("hunter2"), nested: { key: new Sensitive("hunter2") } }, "secret");
      assert(!lines.join("").includes("hunter2"));
      assert.match(lines.join(""), /redacted/);
    });
  }
});
