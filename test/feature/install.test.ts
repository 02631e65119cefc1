// What the installer lets the operator do is what the operator does.
import assert from "node:assert/strict";
import { madeKinds, Operator, OperatorGuard, OperatorRoles, readKinds, reportedKinds } from "@gatewright/charts";
import { kinds } from "@gatewright/crd-types";
import { Testing } from "cdk8s";
import type { DesiredStatus } from "../../operator/src/gatewayapi/index.ts";
import { infraKinds } from "../../operator/src/infra/index.ts";
import { storedKinds } from "../../operator/src/store/index.ts";

type Rule = {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
};
type Manifest = {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules?: readonly Rule[];
};

const options = {
  namespace: "gateways",
  image: "example.com/gatewright:v1",
  replicas: 2,
  controllerName: "gatewright.dev/gateway-controller",
  gatewayClass: "gatewright",
};
const synth = <Props extends object>(
  make: new (app: ReturnType<typeof Testing.app>, id: string, props: Props) => OperatorRoles,
  props: Props,
): readonly Manifest[] => Testing.synth(new make(Testing.app(), "chart", props));

/** `group/resource verb`, of all rules of the roles of a kind. */
const grantsOf = (kind: "ClusterRole" | "Role"): ReadonlySet<string> =>
  new Set(
    synth(OperatorRoles, options)
      .filter((object) => object.kind === kind)
      .flatMap(({ rules = [] }) => rules)
      .flatMap(({ apiGroups, resources, verbs }) =>
        apiGroups.flatMap((group) =>
          resources.flatMap((resource) => verbs.map((verb) => `${group}/${resource} ${verb}`)),
        ),
      ),
  );

const grants = (verbs: readonly string[], ...paths: readonly string[]) =>
  paths.flatMap((path) => verbs.map((verb) => `${path} ${verb}`));
const pathsOf = (names: readonly string[], subresource = "") =>
  names.map((name) => {
    const info = Object.values(kinds).find(({ id }) => id === name);
    assert.ok(info, name);
    return `${info.group}/${info.plural}${subresource}`;
  });
const read = ["get", "list", "watch"];

describe("the installer", () => {
  it("names the kinds that the operator reads, and those that it makes", () => {
    assert.deepEqual(readKinds.toSorted(), [...Object.keys(storedKinds), "Pod"].toSorted());
    assert.deepEqual(madeKinds.toSorted(), infraKinds.map(({ kind }) => kind).toSorted());
    const made = Object.fromEntries(
      infraKinds.map(({ kind, group, version, plural }) => [kind, { group, version, plural }]),
    );
    for (const name of madeKinds) {
      const { group, version, plural } = kinds[name];
      assert.deepEqual(made[name], { group, version, plural });
    }
  });

  it("names the kinds whose status the operator writes", () => {
    // The compiler asks for a new kind here.
    const reported: Readonly<Record<DesiredStatus["kind"], true>> = {
      BackendTLSPolicy: true,
      Gateway: true,
      GatewayClass: true,
      GRPCRoute: true,
      HTTPFilter: true,
      HTTPRoute: true,
      ListenerSet: true,
      MeshConfig: true,
      TCPRoute: true,
      TLSRoute: true,
      UDPRoute: true,
    };
    assert.deepEqual(reportedKinds.toSorted(), Object.keys(reported).toSorted());
  });

  it("lets the operator do in all namespaces what it must, and nothing else", () => {
    const expected = [
      ...grants(
        read,
        ...pathsOf([...new Set([...Object.keys(storedKinds), "Pod", ...infraKinds.map(({ kind }) => kind)])]),
      ),
      ...grants(["patch"], ...pathsOf(reportedKinds, "/status")),
      ...grants(["create", "patch"], "events.k8s.io/events"),
      ...grants(["create", "delete", "patch"], ...pathsOf(infraKinds.map(({ kind }) => kind))),
      ...grants(read, "apiextensions.k8s.io/customresourcedefinitions", "/nodes"),
    ];
    assert.deepEqual([...grantsOf("ClusterRole")].toSorted(), expected.toSorted());
    assert.deepEqual(
      [...grantsOf("Role")].toSorted(),
      [...grants(["create", "get", "update"], "coordination.k8s.io/leases"), "/secrets update"].toSorted(),
    );
  });

  it("puts all of it into the one namespace, and the operator's parts find each other", () => {
    const objects = [...synth(OperatorRoles, options), ...synth(Operator, options)];
    const namespaces = new Set(objects.flatMap(({ metadata }) => metadata.namespace ?? []));
    assert.deepEqual([...namespaces], ["gateways"]);
    assert.deepEqual(
      objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`),
      [
        "Namespace gateways",
        "ServiceAccount gatewright",
        "ClusterRole gatewright-operator",
        "ClusterRoleBinding gatewright-operator",
        "Role gatewright",
        "RoleBinding gatewright",
        "Service gatewright",
        "Deployment gatewright",
        "PodDisruptionBudget gatewright",
        "GatewayClass gatewright",
      ],
    );
  });

  it("guards what the operator makes, and watches over nobody else", () => {
    const [policy] = synth(OperatorGuard, options);
    assert.match(JSON.stringify(policy), /system:serviceaccount:gateways:gatewright'/);
    for (const { plural } of infraKinds) assert.ok(JSON.stringify(policy).includes(`"${plural}"`), plural);
  });

  it("makes no budget for one replica, which could never be moved, and no class where none is wanted", () => {
    const { gatewayClass: _, ...rest } = options;
    assert.deepEqual(
      synth(Operator, { ...rest, replicas: 1 }).map(({ kind }) => kind),
      ["Service", "Deployment"],
    );
  });
});
