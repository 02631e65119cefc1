import assert from "node:assert/strict";
import { allowWatchers } from "./inotify.ts";

async function allow(present: number, write: (value: number) => Promise<void>) {
  const said: string[] = [];
  await allowWatchers((line) => said.push(line), { read: () => Promise.resolve(present), write });
  return said;
}

describe("the number of watchers of files", () => {
  it("is raised where it is low, which is said, and never lowered", async () => {
    const written: number[] = [];
    const write = async (value: number) => void written.push(value);
    assert.deepEqual(await allow(128, write), [
      "fs.inotify.max_user_instances of this host was 128 and is 1024 from now on",
    ]);
    assert.deepEqual(await allow(8192, write), []);
    assert.deepEqual(written, [1024]);
  });

  it("stays as it is where it may not be changed, with a word on what to do", async () => {
    const [line] = await allow(128, () => Promise.reject(new Error("EROFS")));
    assert.match(line ?? "", /is 128, .* cannot be changed from here: on the host, sysctl -w fs\.inotify\.\S+=1024$/);
  });
});
