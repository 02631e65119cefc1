// What the steps of translation hand to each other. Each is a table; each value is computed from nothing by one pure function.
import type { MeshConfig } from "@gatewright/crd-types/config/v1";
import type { HTTPRouteRule, ParentReference } from "@gatewright/crd-types/gateway/v1";
import type { Condition } from "@gatewright/crd-types/meta/v1";
import type {
  ClientValidation,
  Cluster,
  ExtensionConfig,
  ProxyKey,
  ProxyPort,
  RequestFilter,
  Route,
  TcpProxy,
  UdpProxy,
} from "../ir/index.ts";
import type { Table } from "../lib/index.ts";
import type { AllowedNamespaces } from "./attach/namespaces.ts";
import type { RouteKindName } from "./route-objects.ts";

/** A condition before its writer has put `lastTransitionTime` on it. */
export type DesiredCondition = Omit<Condition, "lastTransitionTime">;

/** A GatewayClass of ours, with what its parameters say. By class name. */
export type ClassView = {
  readonly conditions: readonly DesiredCondition[];
  readonly accepted: boolean;
  /** Whether its settings count: it is accepted, or was before its parameters went bad. */
  readonly isInEffect: boolean;
  readonly mesh?: MeshConfig;
};

/** A Gateway of one of our classes, its own listeners checked. Knows nothing of routes. By Gateway key. */
export type GatewayView = {
  readonly key: string;
  readonly proxy: ProxyKey;
  readonly namespace: string;
  readonly name: string;
  readonly generation: number;
  readonly className: string;
  /** In the Gateway's order. */
  readonly listeners: readonly ListenerView[];
  /** Whether a proxy stands for it: its class, parameters and addresses are good, whatever its listeners are. */
  readonly served: boolean;
  /** It is not served for want of good parameters: whatever stands for it from before stays as it is. */
  readonly waits?: true;
  /** Ports that its good listeners state, whether they can be bound or not: each once, ascending, TCP before UDP. */
  readonly ports: readonly ProxyPort[];
  /** Those that do not need the proxy's word: Accepted and ResolvedRefs. Without `observedGeneration`, here and below. */
  readonly conditions: readonly DesiredCondition[];
};

/** A ListenerSet whose parent is a Gateway of ours. By ListenerSet key. */
export type ListenerSetView = {
  /** Key of the Gateway. */
  readonly gateway: string;
  readonly namespace: string;
  readonly generation: number;
  /** In the set's order. Empty where the Gateway does not take the set. */
  readonly listeners: readonly ListenerView[];
  /** As of a Gateway. */
  readonly ports: readonly ProxyPort[];
  /** The Accepted condition. */
  readonly accepted: DesiredCondition;
  /** Why the Gateway does not take it at all: then no route has it for a parent either. */
  readonly closed?: string;
};

/** The listeners of a Gateway or of a ListenerSet: all that serving and attachment need to know of either. By `parentKey`. */
export type ListenerGroup = Pick<GatewayView, "proxy" | "namespace" | "listeners" | "ports"> & {
  /** Key of the Gateway that serves them. */
  readonly gateway: string;
  readonly closed?: string;
};

export type ListenerView = {
  readonly name: string;
  /** Unique among all listeners that the Gateway serves, where a ListenerSet may use a name again. */
  readonly id: string;
  readonly port: number;
  /** As the Gateway states it, known or not. */
  readonly protocol: string;
  /** Lower case; undefined: any. */
  readonly hostname?: string;
  /** Whether traffic is served. A listener in conflict, or without a usable certificate, is not; routes attach to it all the same. */
  readonly programmable: boolean;
  /**
   * Its filters for requests cannot be served. What its routes would serve must not be reached without them: it keeps its hosts, and the
   * one thing that it does is to answer 500.
   */
  readonly blocked?: true;
  /** What is done with requests before a route is chosen, in this order; never empty. */
  readonly filters?: readonly RequestFilter[];
  /** Whether it is free of conflicts and of a protocol that we know: what the Accepted condition says. */
  readonly accepted: boolean;
  /** TLS is not ended here. */
  readonly passthrough?: true;
  /** Names in the IR's `secrets` table. */
  readonly certificates: readonly string[];
  /** What clients have to show; undefined: nothing. */
  readonly clients?: ClientValidation;
  readonly supportedKinds: readonly { readonly group: string; readonly kind: string }[];
  readonly allowedNamespaces: AllowedNamespaces;
  /** Key of the table that its routes go to: of the IR's route tables for HTTP and HTTPS. Undefined for protocols that we do not serve. */
  readonly routeTable?: string;
  /** All but Programmed, which needs the proxy's word. */
  readonly conditions: readonly DesiredCondition[];
};

/** What became of a route's parent references. By `routeKey`. */
export type AttachmentView = {
  /** Only references to our Gateways and their ListenerSets, in the route's order. */
  readonly parents: readonly ParentView[];
};

export type ParentView = {
  readonly parentRef: ParentReference;
  /** Key of the Gateway that serves it. */
  readonly gateway: string;
  /** `parentKey` of the Gateway or ListenerSet that is referred to. */
  readonly parent: string;
  /** Listeners that took the route, those that serve no traffic included. Empty: not accepted. */
  readonly listeners: readonly AttachedListener[];
  /** The Accepted condition, without `observedGeneration`. */
  readonly accepted: DesiredCondition;
};

export type AttachedListener = {
  readonly proxy: ProxyKey;
  /** Its name in its Gateway or ListenerSet. */
  readonly listener: string;
  readonly port: number;
  readonly routeTable: string;
  /**
   * Virtual hosts that the route goes to: the intersection of its hostnames with the listener's, `*` for any. Each once.
   * Empty where the listener serves no traffic, or where more specific listeners of the port own all of them.
   */
  readonly hosts: readonly string[];
  /**
   * For each of `hosts`, the hostname as the route states it, `*` where it states none. Of several routes in one virtual
   * host, those come first whose stated hostname is more specific, before all other precedence
   * (`compareSpecificity` of attach/hostnames.ts).
   */
  readonly statedHosts: readonly string[];
};

/** What the gateway side hands to the route side. */
export type GatewaySide = {
  /** By class name. */
  readonly classes: Table<ClassView>;
  /** By Gateway key. */
  readonly gateways: Table<GatewayView>;
  /** By `parentKey`. */
  readonly listenerGroups: Table<ListenerGroup>;
  /** The certificate that a Gateway shows to backends, by Gateway key: its name in the IR's `secrets` table. */
  readonly clientCertificates: Table<string>;
  /** By `routeKey`. */
  readonly attachments: Table<AttachmentView>;
  /**
   * Hosts that listeners state, by `virtualHostKey`; the members are `parentKey`s. Such a virtual host exists even
   * without routes, and answers 404: a request for a listener's host never falls through to a wider one.
   */
  readonly reservedHosts: Table<ReadonlySet<string>>;
  /**
   * Hosts that other HTTPS listeners of the port own, by `virtualHostKey` in the table of a listener that does not; the
   * members are not told. A request for one came over the wrong connection: the virtual host answers 421, so that
   * the client opens another. https://gateway-api.sigs.k8s.io/geps/gep-3567/
   */
  readonly misdirectedHosts: Table<ReadonlySet<string>>;
};

/** A route's rules in Envoy's terms, whatever the hosts. By route key. */
export type RulesView = {
  readonly createdAt: string;
  readonly rules: readonly RuleView[];
  /** The clusters that the rules name. */
  readonly clusters: readonly Cluster[];
  /** The first problem of references (`ResolvedRefs=False`), or none; and what could not be taken (`Accepted=False` or PartiallyInvalid). */
  readonly resolvedRefs: Outcome;
  /** `partial`: some rules could not be taken and the others could (PartiallyInvalid); `problem`: none could. */
  readonly accepted: Outcome | { readonly kind: "partial"; readonly reason: string; readonly message: string };
  /** All that both are about: conditions have room for the first few only. */
  readonly problems?: readonly { readonly reason: string; readonly message: string }[];
  /** For routes of connections: where they go. */
  readonly tcp?: TcpProxy;
  /** Likewise, where their TLS has ended at the listener: policies say how it begins anew. */
  readonly reencrypted?: TcpProxy;
  /** For routes of datagrams: likewise. */
  readonly udp?: UdpProxy;
  /** A cluster that shares out by weight what Envoy cannot share out among clusters. */
  readonly weighted?: WeightedCluster;
  /** Filters of HTTPFilter kind in use, in order of appearance: their chain entries must exist. */
  readonly extensions: readonly string[];
};

export type WeightedCluster = {
  readonly cluster: Cluster;
  readonly shares: readonly { readonly cluster: string; readonly weight: number }[];
  /** The weight of what is to be lost. */
  readonly failingWeight: number;
};

export type RuleView = {
  readonly name?: HTTPRouteRule["name"];
  /** One for each match of the rule, with what is needed to put routes of several objects in order. */
  readonly routes: readonly RankedRoute[];
};

export type RankedRoute = { readonly route: Route; readonly rank: MatchRank };

/** Gateway API's precedence of matches; compared in this order, then by age and name of the route, then by place. */
export type MatchRank = {
  /** Exact before regex before prefix. The place of regexes is ours to choose: who writes one means it before a prefix. */
  readonly path: "exact" | "regex" | "prefix";
  /** Of a prefix or regex, the longest first; 0 for an exact path. */
  readonly pathLength: number;
  readonly hasMethod: boolean;
  readonly headerCount: number;
  readonly queryParamCount: number;
  readonly rule: number;
  readonly match: number;
};

/** A mistake of a user, or none: a value and never an exception. */
export type Outcome =
  | { readonly kind: "ok" }
  | { readonly kind: "problem"; readonly reason: string; readonly message: string };

/** What an HTTPFilter comes to. By HTTPFilter key. */
export type FilterView =
  | {
      readonly kind: "valid";
      readonly filter: string;
      readonly scope: "route" | "chain";
      readonly config: ExtensionConfig;
    }
  | { readonly kind: "invalid"; readonly reason: string; readonly message: string };

/** The status that we want for an object. By `<kind> <object key>`. */
export type DesiredStatus = {
  readonly kind:
    | "GatewayClass"
    | "Gateway"
    | "ListenerSet"
    | RouteKindName
    | "BackendTLSPolicy"
    | "HTTPFilter"
    | "MeshConfig";
  readonly key: string;
  readonly generation: number;
  /** The `status` as the API spells it, without times. For routes only our own `parents` entries: the writer keeps those of others. */
  readonly status: Readonly<Record<string, unknown>>;
};
