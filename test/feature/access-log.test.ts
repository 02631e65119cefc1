// Formats of access logs: what ours lets pass and Envoy refuses would cost all listeners of a class, so both judge the same texts.
import assert from "node:assert/strict";
import { formatProblem } from "../../operator/src/lib/index.ts";
import { formatCommands, logCommands } from "../../operator/src/lib/substitution-commands.ts";
import { refusedByEnvoy, type StaticConfig } from "../support/envoy-validate.ts";

const samples: Readonly<Record<string, string>> = {
  COMMON_DURATION: "a:b",
  METADATA: "ROUTE:a.b:c",
  FILTER_STATE: "key:PLAIN",
  UPSTREAM_FILTER_STATE: "key:FIELD:x",
};

const commands = [...formatCommands, ...logCommands].flatMap(([name, { parameter, length }]) => {
  const plain = parameter === "none" || !parameter.required ? `%${name}%` : `%${name}(${samples[name] ?? "a"})%`;
  return length && plain.includes("(") ? [plain, `${plain.slice(0, -1)}:5%`] : [plain];
});

const good = [
  ...commands,
  "100%% of %PROTOCOL%",
  "%METADATA(LISTENER)%",
  "%METADATA(UPSTREAM_HOST:a):4%",
  "%START_TIME(%Y-%m-%dT%H:%M:%S.%3fZ)%",
  "%REQ(X-A?:path):10%",
];
const bad = [
  "100%",
  "%NOPE%",
  "%req(x)%",
  "%REQ(x y)%",
  "%ENVIRONMENT%",
  "%ENVIRONMENT()%",
  "%METADATA(FOO:a)%",
  "%FILTER_STATE%",
  "%FILTER_STATE(key:OTHER)%",
  "%PROTOCOL(a)%",
];

function listenerLogging(format: string): StaticConfig {
  const log = {
    name: "envoy.access_loggers.stdout",
    typed_config: {
      "@type": "type.googleapis.com/envoy.extensions.access_loggers.stream.v3.StdoutAccessLog",
      log_format: { text_format_source: { inline_string: `${format}\n` } },
    },
  };
  const proxy = {
    "@type": "type.googleapis.com/envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy",
    stat_prefix: "test",
    cluster: "none",
    access_log: [log],
  };
  const filters = [{ name: "envoy.filters.network.tcp_proxy", typed_config: proxy }];
  return { static_resources: { listeners: [{ name: "test", filter_chains: [{ filters }] }] } };
}

describe("formats of access logs", function () {
  this.timeout(120_000);

  it("are taken by Envoy where we take them: every command", async () => {
    assert.deepEqual(
      good.filter((text) => formatProblem(text, "log") !== undefined),
      [],
    );
    const refused = await refusedByEnvoy(new Map(good.map((text) => [text, listenerLogging(text)])));
    assert.deepEqual([...refused.keys()], []);
  });

  it("are refused by Envoy where we say so", async () => {
    assert.deepEqual(
      bad.filter((text) => formatProblem(text, "log")?.reason !== "RefusedByEnvoy"),
      [],
    );
    const refused = await refusedByEnvoy(new Map(bad.map((text) => [text, listenerLogging(text)])));
    assert.deepEqual([...refused.keys()].toSorted(), bad.toSorted());
  });
});
