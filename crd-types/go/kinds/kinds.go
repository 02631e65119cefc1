//go:build pins

// Package kinds names one package of every Go module from which API types are read. It is never built: the imports keep
// the modules in go.mod when it is tidied, and so pin the versions of all API types.
package kinds

import (
	_ "k8s.io/api/core/v1"
	_ "k8s.io/apimachinery/pkg/apis/meta/v1"
	_ "sigs.k8s.io/gateway-api/apis/v1"
	_ "sigs.k8s.io/gateway-api/apisx/v1alpha1"
	_ "sigs.k8s.io/gateway-api/pkg/consts"
	_ "sigs.k8s.io/gateway-api/pkg/features"
)
