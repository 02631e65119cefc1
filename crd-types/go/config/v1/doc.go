// Package v1 holds the kinds of the API group config.aether.io: what Gatewright adds to the Gateway API.
//
// +groupName=config.aether.io
package v1
