import assert from "node:assert/strict";
import { ImageError } from "../image-error.ts";
import { mirrorOf, parseTargets } from "./mirror.ts";

const apt = () => ({ debian: "http://apt.test/debian/", "debian-security": "http://apt.test/security/" });

describe("the mirror of Debian's packages", () => {
  it("is what the command says, else the environment, else apt", () => {
    const env = { GATEWRIGHT_DEBIAN_MIRROR: "https://env.test/debian" };
    assert.equal(mirrorOf("debian", { debian: "https://given.test/debian/" }, env, apt), "https://given.test/debian");
    assert.equal(mirrorOf("debian", {}, env, apt), "https://env.test/debian");
    assert.equal(mirrorOf("debian", {}, {}, apt), "http://apt.test/debian");
    assert.equal(mirrorOf("debian-security", {}, env, apt), "http://apt.test/security");
  });

  it("has to be known and spoken to by HTTP", () => {
    assert.throws(
      () => mirrorOf("debian-security", {}, {}, () => ({})),
      /--security-mirror URL or \$GATEWRIGHT_DEBIAN_SECURITY_MIRROR/,
    );
    assert.throws(() => mirrorOf("debian", { debian: "file:/srv/debian" }, {}, apt), ImageError);
  });

  it("is found among all that apt has", () => {
    const text = [
      "Other Packages bookworm https://other.test/",
      "Debian Translations bookworm http://one.test/debian/",
      "Debian Packages bookworm-security http://one.test/security/",
      "Debian Packages bookworm http://one.test/debian/",
      "Debian Packages bookworm-backports http://two.test/debian/",
      " Packages  ",
      "",
    ].join("\n");
    assert.deepEqual(parseTargets(text), {
      debian: "http://one.test/debian/",
      "debian-security": "http://one.test/security/",
    });
    assert.deepEqual(parseTargets(""), {});
  });
});
