package v1

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// Proxy says how Envoys are deployed: one Deployment and one Service for each Gateway, in the namespace of the Gateway.
//
// Metadata for all that is made for a Gateway is not said here but in `spec.infrastructure` of the Gateway.
type Proxy struct {
	// Image is the image of Envoy. Left out: the one that this version of Gatewright was tested with.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	Image *string `json:"image,omitempty"`

	// ImagePullSecrets are the names of Secrets, in the namespace of the Gateway, by which the image may be fetched.
	//
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=8
	ImagePullSecrets []ObjectName `json:"imagePullSecrets,omitempty"`

	// Replicas is the number of Envoys of each Gateway. It has no effect beside `autoscaling`. Left out: 1.
	//
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1000
	Replicas *int32 `json:"replicas,omitempty"`

	// Autoscaling has the number of Envoys follow their load. Left out: it is `replicas`.
	//
	// +optional
	Autoscaling *ProxyAutoscaling `json:"autoscaling,omitempty"`

	// Disruption says how many Envoys of a Gateway may be missing while nodes are drained. Left out: one, where there are
	// several.
	//
	// +optional
	Disruption *ProxyDisruption `json:"disruption,omitempty"`

	// Resources are what each Envoy asks for and may use at most. Left out: it asks for 100m of CPU and 256Mi of memory.
	// Under a limit of memory, Envoy takes no new requests before it would reach it.
	//
	// +optional
	Resources *ProxyResources `json:"resources,omitempty"`

	// Concurrency is the number of threads of each Envoy that serve requests. Left out: as many as the limit of CPU allows,
	// rounded up; 2 without a limit.
	//
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=256
	Concurrency *int32 `json:"concurrency,omitempty"`

	// DrainSeconds is how long an Envoy that is about to end goes on serving, while it asks its clients to connect anew. In
	// this time load balancers must learn that it is going away. 0: it ends at once, and breaks off what it is doing.
	// Left out: 30.
	//
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=3600
	DrainSeconds *int32 `json:"drainSeconds,omitempty"`

	// Service says how a Gateway is reached.
	//
	// +optional
	Service *ProxyService `json:"service,omitempty"`

	// Scheduling says on which nodes Envoys run.
	//
	// +optional
	Scheduling *ProxyScheduling `json:"scheduling,omitempty"`
}

// ProxyAutoscaling has the number of Envoys follow their load, by a HorizontalPodAutoscaler.
//
// +kubebuilder:validation:XValidation:message="minReplicas must not be more than maxReplicas",rule="!has(self.minReplicas) || self.minReplicas <= self.maxReplicas"
type ProxyAutoscaling struct {
	// MinReplicas is the least number of Envoys. Left out: 2.
	//
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	MinReplicas *int32 `json:"minReplicas,omitempty"`

	// MaxReplicas is the greatest number of Envoys.
	//
	// +required
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	MaxReplicas int32 `json:"maxReplicas"`

	// TargetCPUPercent is the use of CPU, in percent of what an Envoy asks for, that is aimed at. Left out: 80.
	//
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	TargetCPUPercent *int32 `json:"targetCPUPercent,omitempty"`
}

// ProxyDisruption says how many Envoys of a Gateway may be missing while nodes are drained, by a PodDisruptionBudget.
type ProxyDisruption struct {
	// MaxUnavailable is the greatest number that may be missing. 0: no node with such an Envoy can be drained.
	//
	// +required
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1000
	MaxUnavailable int32 `json:"maxUnavailable"`
}

// ProxyResources are what a container asks for and may use at most, by the name of the resource: `cpu`, `memory`.
type ProxyResources struct {
	// Requests are what is set aside for it.
	//
	// +optional
	// +kubebuilder:validation:MaxProperties=16
	Requests map[string]resource.Quantity `json:"requests,omitempty"`

	// Limits are what it may use at most.
	//
	// +optional
	// +kubebuilder:validation:MaxProperties=16
	Limits map[string]resource.Quantity `json:"limits,omitempty"`
}

// ProxyService says how a Gateway is reached.
//
// +kubebuilder:validation:XValidation:message="loadBalancerClass needs type LoadBalancer",rule="!has(self.loadBalancerClass) || !has(self.type) || self.type == 'LoadBalancer'"
// +kubebuilder:validation:XValidation:message="two ipFamilies cannot be SingleStack, nor the same",rule="!has(self.ipFamilies) || size(self.ipFamilies) < 2 || (self.ipFamilies[0] != self.ipFamilies[1] && (!has(self.ipFamilyPolicy) || self.ipFamilyPolicy != 'SingleStack'))"
// +kubebuilder:validation:XValidation:message="externalTrafficPolicy has no meaning for type ClusterIP",rule="!has(self.externalTrafficPolicy) || !has(self.type) || self.type != 'ClusterIP'"
type ProxyService struct {
	// Type is the type of the Service, and says where a Gateway is reached that asks for nothing else. An IP address that a
	// Gateway asks for in `spec.addresses` is passed on as the `loadBalancerIP` of a LoadBalancer, whose controller may grant
	// it, or as the `clusterIP` of a ClusterIP; a NodePort is reached at the addresses of nodes. A Gateway that asks for
	// addresses of routability `Cluster` alone has a ClusterIP, whatever is said here. Left out: LoadBalancer.
	//
	// +optional
	Type *ProxyServiceType `json:"type,omitempty"`

	// LoadBalancerClass says which controller makes the load balancer. It cannot be changed once the Service is there.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=317
	LoadBalancerClass *string `json:"loadBalancerClass,omitempty"`

	// ExternalTrafficPolicy says whether traffic from outside may go on to an Envoy on another node. Envoys see the
	// addresses of clients with `Local` only. Left out: Cluster.
	//
	// +optional
	ExternalTrafficPolicy *ProxyExternalTrafficPolicy `json:"externalTrafficPolicy,omitempty"`

	// IPFamilyPolicy says whether a Gateway has addresses of IPv4 and of IPv6. Left out: PreferDualStack, of both where the
	// cluster has both.
	//
	// +optional
	IPFamilyPolicy *ProxyIPFamilyPolicy `json:"ipFamilyPolicy,omitempty"`

	// IPFamilies are the families of addresses, the first one first. The first cannot be changed once the Service is
	// there. Left out: those of the cluster.
	//
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=2
	IPFamilies []ProxyIPFamily `json:"ipFamilies,omitempty"`

	// Annotations are put on the Service: most controllers of load balancers take their settings from there.
	//
	// +optional
	// +kubebuilder:validation:MaxProperties=32
	Annotations map[string]string `json:"annotations,omitempty"`
}

// ProxyServiceType is the type of the Service of a Gateway.
//
// +kubebuilder:validation:Enum=LoadBalancer;NodePort;ClusterIP
type ProxyServiceType string

const (
	// ProxyServiceTypeLoadBalancer has the cluster's provider make a load balancer.
	ProxyServiceTypeLoadBalancer ProxyServiceType = "LoadBalancer"
	// ProxyServiceTypeNodePort opens a port on each node.
	ProxyServiceTypeNodePort ProxyServiceType = "NodePort"
	// ProxyServiceTypeClusterIP is reached from inside the cluster only.
	ProxyServiceTypeClusterIP ProxyServiceType = "ClusterIP"
)

// ProxyExternalTrafficPolicy says whether traffic from outside may go on to an Envoy on another node.
//
// +kubebuilder:validation:Enum=Cluster;Local
type ProxyExternalTrafficPolicy string

const (
	// ProxyExternalTrafficPolicyCluster has every node take traffic.
	ProxyExternalTrafficPolicyCluster ProxyExternalTrafficPolicy = "Cluster"
	// ProxyExternalTrafficPolicyLocal has only nodes with an Envoy take traffic, which keeps the address of the client.
	ProxyExternalTrafficPolicyLocal ProxyExternalTrafficPolicy = "Local"
)

// ProxyIPFamilyPolicy says whether a Service has addresses of both families.
//
// +kubebuilder:validation:Enum=SingleStack;PreferDualStack;RequireDualStack
type ProxyIPFamilyPolicy string

const (
	// ProxyIPFamilyPolicySingleStack has addresses of one family.
	ProxyIPFamilyPolicySingleStack ProxyIPFamilyPolicy = "SingleStack"
	// ProxyIPFamilyPolicyPreferDualStack has addresses of both families where the cluster has both.
	ProxyIPFamilyPolicyPreferDualStack ProxyIPFamilyPolicy = "PreferDualStack"
	// ProxyIPFamilyPolicyRequireDualStack has addresses of both families, and none in a cluster of one.
	ProxyIPFamilyPolicyRequireDualStack ProxyIPFamilyPolicy = "RequireDualStack"
)

// ProxyIPFamily is a family of addresses.
//
// +kubebuilder:validation:Enum=IPv4;IPv6
type ProxyIPFamily string

const (
	// ProxyIPFamilyIPv4 are addresses as 192.0.2.1.
	ProxyIPFamilyIPv4 ProxyIPFamily = "IPv4"
	// ProxyIPFamilyIPv6 are addresses as 2001:db8::1.
	ProxyIPFamilyIPv6 ProxyIPFamily = "IPv6"
)

// ProxyScheduling says on which nodes Envoys run. The Envoys of a Gateway are spread over zones and nodes where that is
// possible, whatever is said here.
type ProxyScheduling struct {
	// NodeSelector are labels that a node must have.
	//
	// +optional
	// +kubebuilder:validation:MaxProperties=16
	NodeSelector map[string]string `json:"nodeSelector,omitempty"`

	// Tolerations let Envoys run on nodes that are tainted.
	//
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	Tolerations []corev1.Toleration `json:"tolerations,omitempty"`

	// PriorityClassName says what goes before what where nodes are full.
	//
	// +optional
	PriorityClassName *ObjectName `json:"priorityClassName,omitempty"`
}

// ObjectName is the name of an object.
//
// +kubebuilder:validation:MinLength=1
// +kubebuilder:validation:MaxLength=253
// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$`
type ObjectName string
