import assert from "node:assert/strict";
import { silentLogger } from "../lib/index.ts";
import type { Change } from "../store/index.ts";
import { createKeptClasses } from "./kept-classes.ts";

const ours = "gatewright.dev/gateway-controller";

const classIs = (key: string, controllerName?: string): Change => ({
  kind: "GatewayClass",
  key,
  object:
    controllerName === undefined
      ? undefined
      : {
          apiVersion: "gateway.networking.k8s.io/v1",
          kind: "GatewayClass",
          metadata: { name: key },
          spec: { controllerName },
        },
});
const gatewayIs = (key: string, gatewayClassName?: string): Change => ({
  kind: "Gateway",
  key,
  object:
    gatewayClassName === undefined
      ? undefined
      : {
          apiVersion: "gateway.networking.k8s.io/v1",
          kind: "Gateway",
          metadata: { name: key },
          spec: { gatewayClassName, listeners: [{ name: "http", port: 80, protocol: "HTTP" }] },
        },
});

describe("createKeptClasses()", () => {
  const gone = classIs("a");
  const make = (...changes: readonly Change[]) => {
    const keep = createKeptClasses({ controllerName: ours, logger: silentLogger });
    assert.deepEqual(keep(changes), changes);
    return keep;
  };

  it("lets a class go that nobody names, or that is another's", () => {
    assert.deepEqual(make(classIs("a", ours), gatewayIs("g", "b"))([gone]), [gone]);
    assert.deepEqual(make(classIs("a", "example.com/other"), gatewayIs("g", "a"))([gone]), [gone]);
    assert.deepEqual(make(classIs("a", ours), classIs("a", "example.com/other"), gatewayIs("g", "a"))([gone]), [gone]);
  });

  it("keeps a class that Gateways name, until the last of them goes or names another", () => {
    const keep = make(classIs("a", ours), gatewayIs("g", "a"), gatewayIs("h", "a"));
    assert.deepEqual(keep([gone]), []);
    const first = gatewayIs("g");
    assert.deepEqual(keep([first]), [first]);
    const second = gatewayIs("h", "b");
    assert.deepEqual(keep([second]), [second, gone]);
    assert.deepEqual(keep([second]), [second], "once");
  });

  it("lets a class go with its Gateways, in whichever order they come", () => {
    for (const changes of [
      [gone, gatewayIs("g")],
      [gatewayIs("g"), gone],
    ])
      assert.deepEqual(make(classIs("a", ours), gatewayIs("g", "a"))(changes), changes);
  });

  it("goes by the class that is made anew, whosever it is", () => {
    for (const controllerName of [ours, "example.com/other"]) {
      const keep = make(classIs("a", ours), gatewayIs("g", "a"));
      assert.deepEqual(keep([gone]), []);
      const anew = classIs("a", controllerName);
      assert.deepEqual(keep([anew]), [anew]);
      assert.deepEqual(keep([gone]), controllerName === ours ? [] : [gone]);
    }
  });
});
