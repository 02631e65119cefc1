package v1

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// MeshConfig holds what only an administrator may set. It lives in the root namespace, and the `parametersRef` of a
// GatewayClass names it. Without one, or where a field is left out, the defaults are the safe ones.
//
// The `infrastructure.parametersRef` of a Gateway may name a MeshConfig in its own namespace. Such a one says only how the
// Envoys of that Gateway are deployed: it may hold `proxy` and nothing else, and its fields go before those of the class.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
// +kubebuilder:resource:categories=gatewright
// +kubebuilder:printcolumn:name="Accepted",type=string,JSONPath=`.status.conditions[?(@.type=="Accepted")].status`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type MeshConfig struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec is the configuration.
	//
	// +optional
	Spec MeshConfigSpec `json:"spec,omitempty"`

	// Status says whether the configuration is in force.
	//
	// +optional
	Status MeshConfigStatus `json:"status,omitempty"`
}

// MeshConfigList is a list of MeshConfigs.
//
// +kubebuilder:object:root=true
type MeshConfigList struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []MeshConfig `json:"items"`
}

// MeshConfigSpec is the configuration of all Gateways of a class.
type MeshConfigSpec struct {
	// RootNamespace is the namespace whose extensions reach all others. Left out: the namespace of the operator.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	RootNamespace *string `json:"rootNamespace,omitempty"`

	// ExtensionFilters says which of Envoy's HTTP filters users may configure, and in which order they work.
	//
	// +optional
	ExtensionFilters *ExtensionFilters `json:"extensionFilters,omitempty"`

	// Modules says whether and how dynamic modules are loaded into Envoy.
	//
	// +optional
	Modules *ModulePolicy `json:"modules,omitempty"`

	// Proxy says how Envoys are deployed, in a cluster.
	//
	// +optional
	Proxy *Proxy `json:"proxy,omitempty"`

	// Telemetry says what Envoys report of requests.
	//
	// +optional
	Telemetry *Telemetry `json:"telemetry,omitempty"`

	// VirtualHostDiscovery says when Envoys fetch virtual hosts one by one.
	//
	// +optional
	VirtualHostDiscovery *VirtualHostDiscovery `json:"virtualHostDiscovery,omitempty"`

	// Paths says what becomes of paths of requests before a route is looked for.
	//
	// +optional
	Paths *PathPolicy `json:"paths,omitempty"`
}

// ExtensionFilters says which of Envoy's HTTP filters users may configure, and in which order they work.
type ExtensionFilters struct {
	// Allowed are the names of the filters that an HTTPFilter in opaque form may name. Left out: those that cannot reach
	// beyond the request. Empty: none.
	//
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=64
	Allowed *[]FilterName `json:"allowed,omitempty"`

	// Order is the order in which filters work, by name. A filter that is not named works after those that are; two of
	// those work in the order of their names.
	//
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=64
	Order []FilterName `json:"order,omitempty"`
}

// FilterName is the name of an HTTP filter in Envoy, for example `envoy.filters.http.header_mutation`.
//
// +kubebuilder:validation:MinLength=1
// +kubebuilder:validation:MaxLength=253
type FilterName string

// ModulePolicy says whether and how dynamic modules are loaded into Envoy.
type ModulePolicy struct {
	// Enabled allows dynamic modules at all: code that runs inside of Envoy.
	//
	// +optional
	// +kubebuilder:default=false
	Enabled *bool `json:"enabled,omitempty"`

	// VersionEnforcement says what happens to a module that was built for another version of Envoy, or that does not say
	// for which.
	//
	// +optional
	// +kubebuilder:default=Strict
	VersionEnforcement VersionEnforcement `json:"versionEnforcement,omitempty"`

	// MaxSize is the size beyond which a module is refused.
	//
	// +optional
	// +kubebuilder:default="64Mi"
	MaxSize *resource.Quantity `json:"maxSize,omitempty"`

	// Delivery is the way of a module to Envoy.
	//
	// +optional
	// +kubebuilder:default=Agent
	Delivery ModuleDelivery `json:"delivery,omitempty"`
}

// VersionEnforcement says what happens to a module that was built for another version of Envoy.
//
// +kubebuilder:validation:Enum=Strict;Disabled
type VersionEnforcement string

const (
	// VersionEnforcementStrict refuses such a module.
	VersionEnforcementStrict VersionEnforcement = "Strict"
	// VersionEnforcementDisabled loads it all the same.
	VersionEnforcementDisabled VersionEnforcement = "Disabled"
)

// ModuleDelivery is the way of a module to Envoy.
//
// +kubebuilder:validation:Enum=Agent;Mirror
type ModuleDelivery string

const (
	// ModuleDeliveryAgent has a sidecar fetch and verify the module and give it to Envoy as a file.
	ModuleDeliveryAgent ModuleDelivery = "Agent"
	// ModuleDeliveryMirror has the operator fetch and verify the module, and Envoy fetch it from the operator.
	ModuleDeliveryMirror ModuleDelivery = "Mirror"
)

// Telemetry says what Envoys report of requests.
type Telemetry struct {
	// AccessLog has Envoys write a line for each request. Left out: none.
	//
	// +optional
	AccessLog *AccessLog `json:"accessLog,omitempty"`
}

// AccessLog is a line for each request. What may stand in it is in
// https://www.envoyproxy.io/docs/envoy/v1.40.0/configuration/observability/access_log/usage.
//
// +kubebuilder:validation:XValidation:message="at most one of format and json can be given",rule="!(has(self.format) && has(self.json))"
type AccessLog struct {
	// Path is the file to write to.
	//
	// +optional
	// +kubebuilder:default="/dev/stdout"
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	Path *string `json:"path,omitempty"`

	// Format is the line, without the line feed at its end, for example `%REQ(:PATH)% %RESPONSE_CODE%`. Left out, as
	// `json` is: Envoy's own.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=4096
	Format *string `json:"format,omitempty"`

	// JSON has each line be a JSON object with these members.
	//
	// +optional
	// +kubebuilder:validation:MinProperties=1
	// +kubebuilder:validation:MaxProperties=64
	JSON map[string]string `json:"json,omitempty"`
}

// VirtualHostDiscovery says when Envoys fetch virtual hosts one by one. Then an edit of one costs the bytes of one.
// See https://www.envoyproxy.io/docs/envoy/v1.40.0/configuration/http/http_conn_man/vhds.
type VirtualHostDiscovery struct {
	// Threshold is the number of virtual hosts of a listener from which on they are fetched one by one. 0: always. Where a
	// listener comes to this number or falls below it, connections that are open then do not see later edits of routes
	// until they are closed; new ones do.
	//
	// +optional
	// +kubebuilder:default=0
	// +kubebuilder:validation:Minimum=0
	Threshold *int32 `json:"threshold,omitempty"`
}

// MeshConfigStatus says whether the configuration is in force.
type MeshConfigStatus struct {
	// Conditions say whether the configuration is in force. `Accepted` is always there.
	//
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=8
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// MeshConfigConditionType is a type of condition of a MeshConfig.
type MeshConfigConditionType string

// MeshConfigConditionReason is a reason of a condition of a MeshConfig.
type MeshConfigConditionReason string

const (
	// MeshConfigConditionAccepted says whether the configuration is valid. Where it is false, the last valid one stays in
	// force.
	MeshConfigConditionAccepted MeshConfigConditionType = "Accepted"

	// MeshConfigReasonAccepted is used with `Accepted` when it is true.
	MeshConfigReasonAccepted MeshConfigConditionReason = "Accepted"

	// MeshConfigReasonInvalid is used when a field holds a value that cannot be used.
	MeshConfigReasonInvalid MeshConfigConditionReason = "Invalid"
)
