import type { DesiredStatus } from "../../gatewayapi/index.ts";
import type { RowContext } from "../../overview/index.ts";
import type { Member } from "../fleet.ts";

const condition = (type: string, status: string, reason: string, message = "") => ({ type, status, reason, message });
const good = ["Accepted", "ResolvedRefs"].map((type) => condition(type, "True", type));
const programmed = condition("Programmed", "True", "Programmed");

/** A Gateway with a listener that serves and one whose certificate is missing. */
export const gatewayStatus: DesiredStatus = {
  kind: "Gateway",
  key: "demo/web",
  generation: 1,
  status: {
    conditions: [condition("Accepted", "True", "ListenersNotValid", "some listeners are not valid"), programmed],
    listeners: [
      { name: "http", attachedRoutes: 2, conditions: [...good, programmed] },
      {
        name: "https",
        attachedRoutes: 0,
        conditions: [
          condition("Accepted", "True", "Accepted"),
          condition("ResolvedRefs", "False", "InvalidCertificateRef", "Secret demo/cert is not there"),
          condition("Programmed", "False", "Invalid", "see ResolvedRefs"),
        ],
      },
    ],
  },
};

/** A ListenerSet of it, one of whose listeners comes too late. */
export const listenerSetStatus: DesiredStatus = {
  kind: "ListenerSet",
  key: "apps/more",
  generation: 1,
  status: {
    conditions: [condition("Accepted", "True", "ListenersNotValid", "some listeners are not valid"), programmed],
    listeners: [
      { name: "http", attachedRoutes: 1, conditions: [...good, programmed] },
      {
        name: "https",
        attachedRoutes: 0,
        conditions: [
          condition("Accepted", "False", "HostnameConflict", "port 8443 is taken by Gateway demo/web"),
          condition("Conflicted", "True", "HostnameConflict", "port 8443 is taken by Gateway demo/web"),
          condition("Programmed", "False", "HostnameConflict", "port 8443 is taken by Gateway demo/web"),
        ],
      },
    ],
  },
};

/** One that the Gateway does not take. */
export const strangerStatus: DesiredStatus = {
  kind: "ListenerSet",
  key: "apps/stranger",
  generation: 1,
  status: {
    conditions: [
      condition("Accepted", "False", "NotAllowed", "Gateway demo/web takes no ListenerSets of namespace apps"),
      condition("Programmed", "False", "NotAllowed", "Gateway demo/web takes no ListenerSets of namespace apps"),
    ],
    listeners: [],
  },
};

export const routeStatus = (name: string, problem?: string): DesiredStatus => ({
  kind: "HTTPRoute",
  key: `demo/${name}`,
  generation: 1,
  status: {
    parents: [
      {
        parentRef: { name: "web" },
        conditions:
          problem === undefined
            ? good
            : [
                condition("Accepted", "True", "Accepted"),
                condition("ResolvedRefs", "False", "BackendNotFound", problem),
              ],
      },
    ],
  },
});

export const ready: Member = {
  spot: {
    kind: "placed",
    address: "127.0.0.1",
    unusable: new Map(),
    ports: new Map([
      [80, { kind: "bound", port: 10080, note: "port 80 needs privileges" }],
      [8443, { kind: "bound", port: 8443 }],
    ]),
  },
  state: { kind: "ready" },
  pid: 1,
  adminSocketPath: "/run/admin.sock",
  restarts: 0,
};

export const context = (member: Member | undefined = ready): RowContext => ({
  member: () => member,
  listeners: () => ({
    gateway: "demo/web",
    listeners: [
      { name: "http", port: 80, protocol: "HTTP" },
      { name: "https", port: 8443, protocol: "HTTPS", hostname: "secure.example.com" },
    ],
  }),
  hostnames: (_, key) => (key === "demo/app" ? ["app.example.com"] : []),
  place: (kind) => (kind === "Gateway" ? "web.yaml:1" : kind === "ListenerSet" ? "sets.yaml:3" : "routes.yaml:7"),
});
