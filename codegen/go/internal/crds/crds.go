// Package crds makes CustomResourceDefinitions from Go types, those of the Gateway API by release channel.
package crds

import (
	"encoding/json"
	"fmt"
	"go/constant"
	"go/types"
	"strings"

	apiext "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-tools/pkg/crd"

	"gatewright.dev/codegen/internal/source"
)

// The annotations of the Gateway API's CRDs.
const (
	bundleVersionAnnotation = "gateway.networking.k8s.io/bundle-version"
	channelAnnotation       = "gateway.networking.k8s.io/channel"
)

// CRD is one definition, without what an API server adds to it.
type CRD struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`
	Spec              apiext.CustomResourceDefinitionSpec `json:"spec"`
}

// FileName is the name that controller-gen gives to the file of a CRD.
func (c *CRD) FileName() string {
	return fmt.Sprintf("%s_%s.yaml", c.Spec.Group, c.Spec.Names.Plural)
}

// Bundle is what the Gateway API says of a release.
type Bundle struct{ Version, ApprovalLink string }

// ReadBundle finds the constants of the Gateway API's package consts.
func ReadBundle(set *source.Set, path string) (Bundle, error) {
	read := func(name string) (string, error) {
		object, ok := set.Roots[path].Types.Scope().Lookup(name).(*types.Const)
		if !ok || object.Val().Kind() != constant.String {
			return "", fmt.Errorf("%s has no constant %s", path, name)
		}
		return constant.StringVal(object.Val()), nil
	}
	version, err := read("BundleVersion")
	if err != nil {
		return Bundle{}, err
	}
	link, err := read("ApprovalLink")
	return Bundle{version, link}, err
}

// Plain makes the CRD of a kind of our own.
func Plain(set *source.Set, kind schema.GroupKind) (*CRD, error) {
	return convert(raw(set, kind))
}

// Gateway makes the CRD of a kind of the Gateway API, as the release channel of the set has it.
func Gateway(set *source.Set, kind schema.GroupKind, bundle Bundle) (*CRD, error) {
	definition := raw(set, kind)
	definition.Annotations = map[string]string{
		apiext.KubeAPIApprovedAnnotation: bundle.ApprovalLink,
		bundleVersionAnnotation:          bundle.Version,
		channelAnnotation:                string(set.Channel),
	}
	tags := tagger{set.Channel}
	for i := range definition.Spec.Versions {
		version := &definition.Spec.Versions[i]
		if set.Channel == source.Standard && strings.Contains(version.Name, "alpha") {
			version.Served = false
		}
		tags.properties(version.Schema.OpenAPIV3Schema.Properties)
	}
	return convert(definition)
}

func raw(set *source.Set, kind schema.GroupKind) *apiext.CustomResourceDefinition {
	set.Parser.NeedCRDFor(kind, nil)
	cached := set.Parser.CustomResourceDefinitions[kind]
	definition := cached.DeepCopy()
	crd.FixTopLevelMetadata(*definition)
	return definition
}

func convert(definition *apiext.CustomResourceDefinition) (*CRD, error) {
	converted, err := crd.AsVersion(*definition, apiext.SchemeGroupVersion)
	if err != nil {
		return nil, err
	}
	result := converted.(*apiext.CustomResourceDefinition)
	return &CRD{TypeMeta: result.TypeMeta, ObjectMeta: result.ObjectMeta, Spec: result.Spec}, nil
}

// SchemaOf is the schema of one version of a CRD.
func SchemaOf(definition *CRD, version string) (json.RawMessage, error) {
	for _, candidate := range definition.Spec.Versions {
		if candidate.Name == version {
			return encodeSchema(candidate.Schema.OpenAPIV3Schema)
		}
	}
	return nil, fmt.Errorf("%s has no version %s", definition.Name, version)
}

// BuiltIn is the schema of a kind that the API server itself defines, as far as its Go types tell.
func BuiltIn(set *source.Set, path, name string) (json.RawMessage, error) {
	id := crd.TypeIdent{Package: set.Roots[path], Name: name}
	set.Parser.NeedFlattenedSchemaFor(id)
	flattened := set.Parser.FlattenedSchemata[id]
	result := flattened.DeepCopy()
	result.Properties["metadata"] = apiext.JSONSchemaProps{Type: "object"}
	return encodeSchema(result)
}

func encodeSchema(root *apiext.JSONSchemaProps) (json.RawMessage, error) {
	bare := root.DeepCopy()
	crd.EditSchema(bare, descriptionRemover{})
	return json.Marshal(bare)
}

// descriptionRemover leaves out what validation does not need, nine tenths of the bytes.
type descriptionRemover struct{}

func (d descriptionRemover) Visit(s *apiext.JSONSchemaProps) crd.SchemaVisitor {
	if s == nil {
		return d
	}
	s.Description = ""
	return d
}
