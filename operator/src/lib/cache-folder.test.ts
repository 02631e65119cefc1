import assert from "node:assert/strict";
import { userCacheFolder } from "./cache-folder.ts";

describe("userCacheFolder()", () => {
  it("follows GATEWRIGHT_CACHE, then XDG_CACHE_HOME where it is absolute, then the home folder", () => {
    assert.equal(userCacheFolder({ GATEWRIGHT_CACHE: "/a", XDG_CACHE_HOME: "/b", HOME: "/c" }), "/a");
    assert.equal(userCacheFolder({ XDG_CACHE_HOME: "/b", HOME: "/c" }), "/b/gatewright");
    assert.match(userCacheFolder({ XDG_CACHE_HOME: "b", HOME: "/c" }), /^\/c\/.*gatewright$/);
  });
});
