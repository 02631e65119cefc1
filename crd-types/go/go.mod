module gatewright.dev/crd-types

go 1.27.0

require (
	github.com/envoyproxy/go-control-plane/envoy v1.40.0
	k8s.io/api v0.37.2
	k8s.io/apimachinery v0.37.2
	sigs.k8s.io/gateway-api v1.7.0
)
