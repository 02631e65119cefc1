//go:build gateway_overlay

// Package v1 amends the Gateway API's types of v1.7.0 with the field clusterTrustBundleRef, as GEP-5075 had it before references
// to ClusterTrustBundles became part of caCertificateRefs. What stands here is added to the struct of the same name; a marker
// takes the place of one of the same name. docs/adr/0011 says how and why.
package v1

// ClusterTrustBundleObjectRef identifies a ClusterTrustBundle. It is cluster-scoped, so that it has no namespace and needs no
// ReferenceGrant.
//
// Group and kind have defaults: a name is enough.
//
// +kubebuilder:validation:XValidation:message="must reference a ClusterTrustBundle",rule="self.group == 'certificates.k8s.io' && self.kind == 'ClusterTrustBundle'"
type ClusterTrustBundleObjectRef struct {
	// Group is the group of the referent.
	//
	// +optional
	// +kubebuilder:default="certificates.k8s.io"
	Group *Group `json:"group,omitempty"`

	// Kind is the kind of the referent.
	//
	// +optional
	// +kubebuilder:default=ClusterTrustBundle
	Kind *Kind `json:"kind,omitempty"`

	// Name is the name of the referent.
	//
	// +required
	Name ObjectName `json:"name"`
}

// A policy has one source of trust: a bundle, references, or what is well known.
//
// <gateway:experimental:validation:ExactlyOneOf=caCertificateRefs;clusterTrustBundleRef;wellKnownCACertificates>
type BackendTLSPolicyValidation struct {
	// ClusterTrustBundleRef names a ClusterTrustBundle (certificates.k8s.io/v1) whose certificates are the authorities by which
	// the backend is known.
	//
	// A bundle that does not exist, cannot be read, is empty, or holds anything but certificates of authorities is an invalid
	// reference: ResolvedRefs is False with reason InvalidCACertificateRef, Accepted is False with reason NoValidCACertificate,
	// and requests are answered by an HTTP 5xx. Where the cluster has no ClusterTrustBundles, the reason is InvalidKind.
	//
	// Support: Extended
	//
	// <gateway:experimental>
	// +optional
	ClusterTrustBundleRef *ClusterTrustBundleObjectRef `json:"clusterTrustBundleRef,omitempty"`
}

// A bundle counts beside references, and either is enough.
//
// <gateway:experimental:validation:AtLeastOneOf=caCertificateRefs;clusterTrustBundleRef>
type FrontendTLSValidation struct {
	// +optional
	CACertificateRefs []ObjectReference `json:"caCertificateRefs,omitempty"`

	// ClusterTrustBundleRef names a ClusterTrustBundle (certificates.k8s.io/v1) whose certificates are authorities of clients,
	// beside those of CACertificateRefs.
	//
	// A bundle that does not exist, cannot be read, is empty, or holds anything but certificates of authorities is an invalid
	// reference: ResolvedRefs of all matching listeners is False with reason InvalidCACertificateRef, and where nothing else is
	// left, Accepted is False with reason NoValidCACertificate and handshakes fail. Where the cluster has no ClusterTrustBundles,
	// the reason is InvalidKind.
	//
	// Support: Extended
	//
	// <gateway:experimental>
	// +optional
	ClusterTrustBundleRef *ClusterTrustBundleObjectRef `json:"clusterTrustBundleRef,omitempty"`
}
