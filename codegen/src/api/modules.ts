/** One Go package that becomes one TypeScript module. */
export type ModuleRequest = {
  /** The path under `@gatewright/crd-types/`. */
  readonly name: string;
  readonly package: string;
  /** The API group of a package whose Go sources do not say it. */
  readonly group?: string;
  /** The types that are wanted, with all that they reach; without it, all exported types. */
  readonly roots?: readonly string[];
  /** Who owns the kinds: CRDs of the Gateway API, CRDs of our own, or an API server's built-in kinds. */
  readonly source: "gateway" | "gatewright" | "kubernetes";
  /** Whether the objects of the module belong in the table of kinds. */
  readonly kinds: boolean;
  /** The lowest release channel of the Gateway API that carries the kinds of the module. */
  readonly channel?: "standard" | "experimental";
  /** The built-in kinds whose schema is wanted, because we read them from files; kinds with a CRD always have one. */
  readonly schemas?: readonly string[];
};

const gateway = (name: string, path: string, channel: "standard" | "experimental" = "standard"): ModuleRequest => ({
  name,
  package: `sigs.k8s.io/gateway-api/${path}`,
  source: "gateway",
  kinds: true,
  channel,
});

const kubernetes = (name: string, roots: readonly string[], more: Partial<ModuleRequest> = {}): ModuleRequest => ({
  name,
  package: `k8s.io/api/${name}`,
  roots,
  source: "kubernetes",
  kinds: true,
  ...more,
});

/** All API types that Gatewright reads or writes. A kind that is added here is generated everywhere. */
export const modules: readonly ModuleRequest[] = [
  {
    name: "meta/v1",
    package: "k8s.io/apimachinery/pkg/apis/meta/v1",
    roots: [
      "TypeMeta",
      "ObjectMeta",
      "ListMeta",
      "Condition",
      "LabelSelector",
      "Status",
      "OwnerReference",
      "WatchEvent",
    ],
    source: "kubernetes",
    kinds: false,
  },
  { name: "config/v1", package: "gatewright.dev/crd-types/config/v1", source: "gatewright", kinds: true },
  gateway("gateway/v1", "apis/v1"),
  gateway("gateway/v1beta1", "apis/v1beta1"),
  gateway("gateway/v1alpha3", "apis/v1alpha3"),
  gateway("gateway/v1alpha2", "apis/v1alpha2"),
  gateway("gateway-x/v1alpha1", "apisx/v1alpha1", "experimental"),
  kubernetes(
    "core/v1",
    ["ConfigMap", "Event", "Namespace", "Node", "PersistentVolumeClaim", "Pod", "Secret", "Service", "ServiceAccount"],
    { schemas: ["ConfigMap", "Namespace", "Secret", "Service"] },
  ),
  kubernetes("apps/v1", ["DaemonSet", "Deployment"], { group: "apps" }),
  kubernetes("autoscaling/v2", ["HorizontalPodAutoscaler"], { group: "autoscaling" }),
  kubernetes("policy/v1", ["PodDisruptionBudget"], { group: "policy" }),
  kubernetes("discovery/v1", ["EndpointSlice"], { schemas: ["EndpointSlice"] }),
  kubernetes("certificates/v1", ["CertificateSigningRequest", "ClusterTrustBundle"], {
    schemas: ["ClusterTrustBundle"],
  }),
  kubernetes("certificates/v1beta1", ["ClusterTrustBundle"]),
  kubernetes("coordination/v1", ["Lease"]),
  kubernetes("admission/v1", ["AdmissionReview"], { kinds: false }),
  kubernetes("authentication/v1", ["UserInfo"], { kinds: false }),
];

/** What is asked of the Go program `apitypes`. */
export type Request = {
  readonly modules: readonly ModuleRequest[];
  /** The package that lists the Gateway API's features. */
  readonly features?: string;
  /** The package that says which release of the Gateway API this is. */
  readonly bundle?: string;
  /** A folder of crd-types/go with what the Gateway API's types have more. */
  readonly overlay?: string;
  /** The module that holds types with a JSON form of their own, such as Time and Quantity. */
  readonly scalars: string;
};

export const request: Request = {
  modules,
  features: "sigs.k8s.io/gateway-api/pkg/features",
  bundle: "sigs.k8s.io/gateway-api/pkg/consts",
  scalars: "meta/v1",
};

/** The overlay of the Gateway API's types: the first part of the names of its modules and the folder of its CRDs. docs/adr/0011. */
export const overlayName = "cluster-trust-bundle-ref";

const overlaid = (name: string, path: string, roots: readonly string[]): ModuleRequest => ({
  ...gateway(`${overlayName}/${name}`, path),
  roots,
});

/** The kinds that the overlay changes, in all their versions, with what they reach. */
export const overlayRequest: Request = {
  modules: [
    ...modules.filter(({ name }) => name === request.scalars),
    overlaid("gateway/v1", "apis/v1", ["BackendTLSPolicy", "Gateway"]),
    overlaid("gateway/v1beta1", "apis/v1beta1", ["Gateway"]),
    overlaid("gateway/v1alpha3", "apis/v1alpha3", ["BackendTLSPolicy"]),
  ],
  bundle: "sigs.k8s.io/gateway-api/pkg/consts",
  overlay: "overlays/clustertrustbundleref",
  scalars: request.scalars,
};
