import assert from "node:assert/strict";
import { create } from "@bufbuild/protobuf";
import { AnySchema } from "@bufbuild/protobuf/wkt";
import type { ExtensionConfig } from "../../operator/src/ir/index.ts";
import {
  checkExtension,
  type ExtensionSpec,
  knownFilters,
  neutralConfig,
  offConfig,
  wholeConfig,
} from "../../operator/src/xds/extension/index.ts";
import { formatCommands } from "../../operator/src/lib/substitution-commands.ts";
import { goodCases, refusedCases } from "../../operator/src/xds/extension/testing/cases.ts";
import { messageToJson } from "../../operator/src/xds/proto/index.ts";
import { refusedByEnvoy, type StaticConfig } from "../support/envoy-validate.ts";

const everything = [...knownFilters.keys()];

/** A listener with the filter in its chain, off, and on for one route. Without configuration for the route: only off. */
function listenerWith(filter: string, perRoute: unknown): StaticConfig {
  const neutral = neutralConfig(filter);
  assert.ok(neutral !== undefined, filter);
  return listenerOf(filter, { name: filter, disabled: true, typed_config: json(neutral) }, perRoute);
}

function listenerOf(filter: string, entry: object, perRoute?: unknown): StaticConfig {
  const route = { match: { prefix: "/" }, direct_response: { status: 200 } };
  const manager = {
    "@type": "type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
    stat_prefix: "test",
    route_config: {
      virtual_hosts: [
        {
          name: "all",
          domains: ["*"],
          routes: [perRoute === undefined ? route : { ...route, typed_per_filter_config: { [filter]: perRoute } }],
        },
      ],
    },
    http_filters: [
      entry,
      {
        name: "envoy.filters.http.router",
        typed_config: { "@type": "type.googleapis.com/envoy.extensions.filters.http.router.v3.Router" },
      },
    ],
  };
  const filters = [{ name: "http", typed_config: manager }];
  const listener = { name: "test", filter_chains: [{ filters }] };
  return { static_resources: { listeners: [listener] } };
}

const json = (config: ExtensionConfig) => messageToJson(AnySchema, create(AnySchema, config));

/** As our checks let it through. */
function checked(spec: ExtensionSpec): unknown {
  const result = checkExtension(spec, everything);
  assert.ok(result.kind === "valid", JSON.stringify(result));
  return json(result.config);
}

describe("Envoy, told what an HTTPFilter asks for", function () {
  this.timeout(120_000);

  it("takes every filter that we know in its chain, off, and what our checks let through on a route", async () => {
    const configs = new Map<string, StaticConfig>();
    for (const filter of everything) configs.set(`${filter}, off`, listenerWith(filter, undefined));
    for (const spec of goodCases) configs.set(spec.title, listenerWith(spec.filter, checked(spec)));
    const tried = new Set(goodCases.map(({ filter }) => filter));
    assert.deepEqual([...tried].toSorted(), everything.toSorted(), "every known filter has a case");
    assert.deepEqual(await refusedByEnvoy(configs), new Map());
  });

  it("takes for a listener whatever our checks let through for a route, and each filter on for routes that do not configure it", async () => {
    const configs = new Map<string, StaticConfig>();
    for (const spec of goodCases) {
      const result = checkExtension(spec, everything);
      assert.ok(result.kind === "valid");
      const whole = wholeConfig(spec.filter, result.config);
      assert.ok(whole !== undefined);
      configs.set(spec.title, listenerOf(spec.filter, { name: "of-a-listener", typed_config: json(whole) }));
    }
    for (const filter of everything) {
      const neutral = neutralConfig(filter) ?? assert.fail(filter);
      const off = offConfig(filter);
      const perRoute = off && messageToJson(AnySchema, off);
      configs.set(`${filter}, on`, listenerOf(filter, { name: filter, typed_config: json(neutral) }, perRoute));
    }
    assert.deepEqual(await refusedByEnvoy(configs), new Map());
  });

  it("takes every command that a header may use", async () => {
    const texts = [...formatCommands].map(([name, { parameter }]) =>
      parameter === "none" || !parameter.required
        ? `%${name}%`
        : `%${name}(a${name === "COMMON_DURATION" ? ":b" : ""})%`,
    );
    const requestMutations = texts.map((text) => ({ append: { header: { key: "x-a", value: text } } }));
    const type = "type.googleapis.com/envoy.extensions.filters.http.header_mutation.v3.HeaderMutationPerRoute";
    const spec = {
      filter: "envoy.filters.http.header_mutation",
      typedConfig: { "@type": type, mutations: { requestMutations } },
    };
    const configs = new Map([["commands", listenerWith(spec.filter, checked(spec))]]);
    assert.deepEqual(await refusedByEnvoy(configs), new Map());
  });

  it("refuses what our checks say that its code refuses", async () => {
    const configs = refusedCases.map(
      ({ title, filter, typedConfig }) => [title, listenerWith(filter, typedConfig)] as const,
    );
    const refused = await refusedByEnvoy(new Map(configs));
    assert.deepEqual([...refused.keys()].toSorted(), configs.map(([title]) => title).toSorted());
  });
});
