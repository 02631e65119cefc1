//go:build pins

// Package protos names one package of every Go module from which the protobuf descriptors are read. It is never built:
// the imports keep the modules in go.mod when it is tidied, and so pin the versions of Envoy's API and of all it imports.
package protos

import (
	_ "cel.dev/expr"
	_ "github.com/cncf/xds/go/udpa/annotations"
	_ "github.com/envoyproxy/go-control-plane/envoy/annotations"
	_ "github.com/envoyproxy/protoc-gen-validate/validate"
	_ "github.com/prometheus/client_model/go"
	_ "go.opentelemetry.io/proto/otlp/common/v1"
	_ "google.golang.org/genproto/googleapis/api/annotations"
	_ "google.golang.org/genproto/googleapis/rpc/status"
	_ "google.golang.org/protobuf/types/descriptorpb"
)
