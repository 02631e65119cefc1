import assert from "node:assert/strict";
import fc from "fast-check";
import { beginning, type Edit, histories, make, subjectOf } from "../../../test/support/translation-edits.ts";
import { dumpTable, dumpTranslation } from "../../../test/support/translation-dump.ts";
import { createWorld } from "../../../test/support/translation.ts";
import { createTranslation, type Inputs } from "../gatewayapi/index.ts";
import type { Graph } from "../lib/index.ts";
import { checkExtension, createXdsTables, resourceTypes } from "../xds/index.ts";

// `npm run bench -- property` makes many more.
const runs = Number(process.env["FUZZ_RUNS"] ?? 300);

/** All that the loop settles, and what proxies have by being told of changes alone. */
function createPipeline(graph: Graph, inputs: Inputs) {
  const translation = createTranslation(graph, { ...inputs, checkExtension });
  const xds = createXdsTables(graph, translation.ir);
  const watches = resourceTypes.map((type) => ({ type, changed: xds[type].watch() }));
  const published = new Map<string, string>();
  return {
    ...translation,
    publish: () => {
      graph.settle();
      for (const { type, changed } of watches)
        for (const key of changed.take()) {
          const resource = xds[type].get(key);
          const name = `${type} ${key}`;
          if (resource === undefined) published.delete(name);
          else
            published.set(
              name,
              `${resource.typeUrl} ${resource.version} ${Buffer.from(resource.body).toString("hex")}`,
            );
        }
    },
    /** Resources byte by byte as they were published, and as they stand. */
    outcome: () => ({
      ...dumpTranslation(translation),
      gateways: dumpTable(translation.gateways),
      attachments: dumpTable(translation.attachments),
      problems: dumpTable(xds.problems),
      published: Object.fromEntries([...published].toSorted(([left], [right]) => (left < right ? -1 : 1))),
    }),
  };
}

describe("Translation and the resources built from it", () => {
  it("come to the same, byte by byte, whatever the way there", function () {
    this.timeout(120_000 + runs * 400);
    const seen = new Map<string, number>();
    fc.assert(
      fc.property(histories, (history) => {
        const lived = createWorld(createPipeline);
        make(lived, beginning);
        lived.publish();
        const last = new Map<string, Edit>(beginning.map((edit) => [subjectOf(edit), edit]));
        for (const batch of history) {
          make(lived, batch);
          lived.publish();
          for (const edit of batch) last.set(subjectOf(edit), edit);
        }

        const fresh = createWorld(createPipeline);
        const sorted = [...last].toSorted(([left], [right]) => (left < right ? 1 : -1)).map(([, edit]) => edit);
        make(fresh, sorted);
        fresh.publish();
        const outcome = fresh.outcome();
        assert.deepEqual(lived.outcome(), outcome);
        for (const key of Object.keys(outcome.published)) {
          const type = key.slice(0, key.indexOf(" "));
          seen.set(type, (seen.get(type) ?? 0) + 1);
        }
      }),
      { numRuns: runs },
    );
    // Histories that end without resources would prove little.
    for (const type of resourceTypes)
      assert.ok((seen.get(type) ?? 0) > 0, `no history ends with a resource of type ${type}`);
  });
});
