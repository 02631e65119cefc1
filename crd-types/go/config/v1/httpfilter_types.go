package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// HTTPFilter puts an HTTP filter of Envoy into the path of some requests.
//
// A rule of an HTTPRoute or GRPCRoute takes it by a filter of type `ExtensionRef`; a Service takes it by `targetRefs`, for
// all routes that lead to it. It works only in its own namespace.
//
// It is written in one of two forms: opaque, with the name of the filter and its configuration as Envoy's API has it, or
// typed, with one of the fields that are made for a purpose, such as `headerToMetadata`. Which filters the opaque form may
// name is for the administrator to say, in MeshConfig.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
// +kubebuilder:resource:shortName=htf,categories=gatewright
// +kubebuilder:printcolumn:name="Filter",type=string,JSONPath=`.spec.filter`
// +kubebuilder:printcolumn:name="Accepted",type=string,JSONPath=`.status.conditions[?(@.type=="Accepted")].status`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type HTTPFilter struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says which filter and where.
	//
	// +required
	Spec HTTPFilterSpec `json:"spec"`

	// Status says what became of it.
	//
	// +optional
	Status HTTPFilterStatus `json:"status,omitempty"`
}

// HTTPFilterList is a list of HTTPFilters.
//
// +kubebuilder:object:root=true
type HTTPFilterList struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []HTTPFilter `json:"items"`
}

// HTTPFilterSpec says which filter and where.
//
// +kubebuilder:validation:XValidation:message="filter and typedConfig go together",rule="has(self.filter) == has(self.typedConfig)"
// +kubebuilder:validation:XValidation:message="exactly one form is needed: filter with typedConfig, or headerToMetadata",rule="(has(self.filter) || has(self.typedConfig)) != has(self.headerToMetadata)"
// +kubebuilder:validation:XValidation:message="a filter of scope chain needs targetRefs",rule="!has(self.scope) || !(self.scope in ['chain', 'CHAIN', 'SCOPE_CHAIN']) || (has(self.targetRefs) && size(self.targetRefs) > 0)"
type HTTPFilterSpec struct {
	// Filter is the name of the filter in Envoy, for example `envoy.filters.http.header_to_metadata`.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Filter *string `json:"filter,omitempty"`

	// TypedConfig is the filter's configuration for a route, in the JSON form of Envoy's API. `@type` names the message,
	// which must be one that the filter takes per route: `HeaderMutationPerRoute`, not `HeaderMutation`.
	//
	// +optional
	TypedConfig *TypedConfig `json:"typedConfig,omitempty"`

	// HeaderToMetadata copies request headers to dynamic metadata, where access logs and other filters find them.
	//
	// +optional
	HeaderToMetadata *HeaderToMetadata `json:"headerToMetadata,omitempty"`

	// Scope says where the filter works: in the routes that take it (`route`), or always for its Services (`chain`), routes
	// that are added later included. The spellings in capitals mean the same; `SCOPE_UNSPECIFIED` means `route`.
	//
	// +optional
	// +kubebuilder:default=route
	Scope FilterScope `json:"scope,omitempty"`

	// TargetRefs are the Services, in the same namespace, whose routes all take the filter.
	//
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	TargetRefs []TargetRef `json:"targetRefs,omitempty"`
}

// TypedConfig is any message of Envoy's API in its JSON form.
//
// +kubebuilder:pruning:PreserveUnknownFields
type TypedConfig struct {
	// Type is the URL of the message's type, for example
	// `type.googleapis.com/envoy.extensions.filters.http.header_to_metadata.v3.Config`.
	//
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	Type string `json:"@type"`
}

// FilterScope says where a filter works.
//
// +kubebuilder:validation:Enum=route;chain;ROUTE;CHAIN;SCOPE_UNSPECIFIED;SCOPE_ROUTE;SCOPE_CHAIN
type FilterScope string

const (
	// FilterScopeRoute is for filters that work in the routes that take them.
	FilterScopeRoute FilterScope = "route"
	// FilterScopeChain is for filters that always work for their Services.
	FilterScopeChain FilterScope = "chain"
)

// HeaderToMetadata copies request headers to dynamic metadata.
type HeaderToMetadata struct {
	// Rules are worked off in order.
	//
	// +required
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	Rules []HeaderToMetadataRule `json:"rules"`
}

// HeaderToMetadataRule copies one header. Without the header nothing is written.
type HeaderToMetadataRule struct {
	// Header is the name of the request header.
	//
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9!#$%&'*+\-.^_\x60|~]+$`
	Header string `json:"header"`

	// MetadataKey is the key under which the header's value is kept, as a string.
	//
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=256
	MetadataKey string `json:"metadataKey"`

	// MetadataNamespace is the namespace of the key.
	//
	// +optional
	// +kubebuilder:default=envoy.lb
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=256
	MetadataNamespace string `json:"metadataNamespace,omitempty"`
}

// TargetRef names an object in the same namespace.
type TargetRef struct {
	// Group is the group of the object's kind. `core` means the same as the empty group.
	//
	// +optional
	// +kubebuilder:default=""
	// +kubebuilder:validation:MaxLength=253
	Group string `json:"group"`

	// Kind is the kind of the object. Only `Service` has an effect.
	//
	// +optional
	// +kubebuilder:default=Service
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Kind string `json:"kind"`

	// Name is the name of the object.
	//
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
}

// HTTPFilterStatus says what became of an HTTPFilter.
type HTTPFilterStatus struct {
	// Conditions say whether the filter works. `Accepted` is always there.
	//
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=8
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// HTTPFilterConditionType is a type of condition of an HTTPFilter.
type HTTPFilterConditionType string

// HTTPFilterConditionReason is a reason of a condition of an HTTPFilter.
type HTTPFilterConditionReason string

const (
	// HTTPFilterConditionAccepted says whether the filter is valid and allowed. Where it is false, rules that take the
	// filter answer 500.
	HTTPFilterConditionAccepted HTTPFilterConditionType = "Accepted"

	// HTTPFilterReasonAccepted is used with `Accepted` when it is true.
	HTTPFilterReasonAccepted HTTPFilterConditionReason = "Accepted"

	// HTTPFilterReasonNotAllowed is used when the administrator does not allow the filter.
	HTTPFilterReasonNotAllowed HTTPFilterConditionReason = "NotAllowed"

	// HTTPFilterReasonInvalid is used when the specification or the filter's configuration is not valid.
	HTTPFilterReasonInvalid HTTPFilterConditionReason = "Invalid"

	// HTTPFilterReasonTargetNotFound is used when a target does not exist.
	HTTPFilterReasonTargetNotFound HTTPFilterConditionReason = "TargetNotFound"

	// HTTPFilterReasonInvalidTarget is used when a target is of a kind that cannot take filters.
	HTTPFilterReasonInvalidTarget HTTPFilterConditionReason = "InvalidTarget"

	// HTTPFilterReasonConflicted is used when another filter of scope chain holds the Service already.
	HTTPFilterReasonConflicted HTTPFilterConditionReason = "Conflicted"

	// HTTPFilterReasonRejected is used when Envoy refused the configuration.
	HTTPFilterReasonRejected HTTPFilterConditionReason = "Rejected"
)
