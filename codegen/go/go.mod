module gatewright.dev/codegen

go 1.27.0

require (
	google.golang.org/protobuf v1.36.12
	k8s.io/apiextensions-apiserver v0.37.2
	k8s.io/apimachinery v0.37.2
	sigs.k8s.io/controller-tools v0.23.0
)
