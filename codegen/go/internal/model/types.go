// Package model describes API types in the shape that the TypeScript emitters read.
package model

import "encoding/json"

// Model is all that one run of apitypes prints.
type Model struct {
	Modules  []Module  `json:"modules"`
	Kinds    []Kind    `json:"kinds"`
	Features []Feature `json:"features"`
	// FeatureConstants are the constants of the package that lists the features.
	FeatureConstants []Constant `json:"featureConstants"`
	CRDs             []CRD      `json:"crds"`
	// Schemas are the OpenAPI schemas of kinds, as in CRDs, by kind and without descriptions.
	Schemas map[string]json.RawMessage `json:"schemas"`
	// Warnings are markers without effect, where those are let pass.
	Warnings []string `json:"warnings,omitempty"`
}

// Module is one Go package, which becomes one TypeScript module.
type Module struct {
	Name      string     `json:"name"`
	Package   string     `json:"package"`
	Types     []Type     `json:"types"`
	Constants []Constant `json:"constants"`
}

// Type is one exported Go type.
type Type struct {
	Name string `json:"name"`
	Doc  string `json:"doc"`
	// Struct is set for types with fields.
	Struct *Struct `json:"struct,omitempty"`
	// Alias is set for types that are another type by a new name.
	Alias *Ref `json:"alias,omitempty"`
	// Enum is set for string or number types with known values.
	Enum *Enum `json:"enum,omitempty"`
}

// Struct is a type with fields.
type Struct struct {
	// APIVersion and Kind are set for what stands alone as a document.
	APIVersion string `json:"apiVersion,omitempty"`
	Kind       string `json:"kind,omitempty"`
	// Open tells whether the type holds fields beyond those that are known.
	Open    bool    `json:"open,omitempty"`
	Extends []Ref   `json:"extends"`
	Fields  []Field `json:"fields"`
}

// Enum is a set of values. An open one admits others too.
type Enum struct {
	Base   string            `json:"base"`
	Values []json.RawMessage `json:"values"`
	Open   bool              `json:"open"`
}

// Field is one field as it appears in JSON.
type Field struct {
	Name         string          `json:"name"`
	Doc          string          `json:"doc"`
	Type         Ref             `json:"type"`
	Optional     bool            `json:"optional"`
	Nullable     bool            `json:"nullable,omitempty"`
	Experimental bool            `json:"experimental,omitempty"`
	Default      json.RawMessage `json:"default,omitempty"`
	ListMapKeys  []string        `json:"listMapKeys,omitempty"`
}

// RefKind tells what a Ref refers to.
type RefKind string

// The kinds of Ref. Bytes are a base64 string in JSON; a map has string keys.
const (
	RefString      RefKind = "string"
	RefNumber      RefKind = "number"
	RefBoolean     RefKind = "boolean"
	RefUnknown     RefKind = "unknown"
	RefObject      RefKind = "object"
	RefBytes       RefKind = "bytes"
	RefIntOrString RefKind = "intOrString"
	RefArray       RefKind = "array"
	RefMap         RefKind = "map"
	RefNamed       RefKind = "named"
	RefLiterals    RefKind = "literals"
)

// Ref is the type of a field, of an alias or of an item.
type Ref struct {
	Kind RefKind `json:"kind"`
	// Elem is the type of the items of an array or of the values of a map.
	Elem *Ref `json:"elem,omitempty"`
	// Module and Name are set for RefNamed.
	Module string `json:"module,omitempty"`
	Name   string `json:"name,omitempty"`
	// Values are set for RefLiterals.
	Values []json.RawMessage `json:"values,omitempty"`
}

// Constant is one exported Go constant.
type Constant struct {
	Name  string          `json:"name"`
	Doc   string          `json:"doc"`
	Value json.RawMessage `json:"value"`
}

// Feature is one feature of the Gateway API's conformance suite.
type Feature struct {
	Name    string `json:"name"`
	Channel string `json:"channel"`
	Doc     string `json:"doc"`
	// Sets are the compilations that hold the feature, for example HTTPRouteExtendedFeatures.
	Sets []string `json:"sets"`
}

// Kind is one kind of object that an API server or a folder of YAML may hold.
type Kind struct {
	Kind       string   `json:"kind"`
	Group      string   `json:"group"`
	Version    string   `json:"version"`
	Module     string   `json:"module"`
	Plural     string   `json:"plural"`
	Singular   string   `json:"singular"`
	ListKind   string   `json:"listKind"`
	ShortNames []string `json:"shortNames"`
	Categories []string `json:"categories"`
	Namespaced bool     `json:"namespaced"`
	// HasStatus tells whether status is a subresource.
	HasStatus bool `json:"hasStatus"`
	// Source is that of the module, see ModuleRequest.
	Source string `json:"source"`
	// Channel is the lowest release channel of the Gateway API that carries the kind; empty for other kinds.
	Channel  string        `json:"channel,omitempty"`
	Versions []KindVersion `json:"versions"`
}

// KindVersion is one version of a kind.
type KindVersion struct {
	Name       string `json:"name"`
	Module     string `json:"module"`
	Served     bool   `json:"served"`
	Storage    bool   `json:"storage"`
	Deprecated bool   `json:"deprecated"`
}

// CRD is one definition and the file to which it belongs.
type CRD struct {
	// Folder is a release channel of the Gateway API, or `gatewright`.
	Folder     string          `json:"folder"`
	File       string          `json:"file"`
	Definition json.RawMessage `json:"definition"`
}
