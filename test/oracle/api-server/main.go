// Command api-server says what kubectl and the API server make of manifests: one request a line of standard input, one
// answer a line of standard output. It is made of their own code.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	genericvalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/certificates"
	_ "k8s.io/kubernetes/pkg/apis/certificates/install"
	certificatesvalidation "k8s.io/kubernetes/pkg/apis/certificates/validation"
	"k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	corevalidation "k8s.io/kubernetes/pkg/apis/core/validation"
	"k8s.io/kubernetes/pkg/apis/discovery"
	_ "k8s.io/kubernetes/pkg/apis/discovery/install"
	discoveryvalidation "k8s.io/kubernetes/pkg/apis/discovery/validation"
	"sigs.k8s.io/yaml"
)

type request struct {
	// Text is YAML. Read alone where there is nothing else.
	Text string `json:"text"`
	// Builtin: an object of a kind that the API server has by itself.
	Builtin bool `json:"builtin,omitempty"`
	// Schema of a custom resource, which Text holds.
	Schema json.RawMessage `json:"schema,omitempty"`
}

type answer struct {
	// JSON that kubectl would send.
	JSON     json.RawMessage `json:"json,omitempty"`
	Problems []string        `json:"problems"`
	// What is stored, of a Secret or ConfigMap.
	Data map[string][]byte `json:"data,omitempty"`
}

var strict = serializer.NewCodecFactory(legacyscheme.Scheme, serializer.EnableStrict).UniversalDeserializer()

func judge(asked request) answer {
	text, err := yaml.YAMLToJSON([]byte(asked.Text))
	if err != nil {
		return answer{Problems: []string{err.Error()}}
	}
	said := answer{JSON: text, Problems: []string{}}
	var errs field.ErrorList
	switch {
	case asked.Builtin:
		object, _, err := strict.Decode(text, nil, nil)
		if err != nil {
			said.Problems = []string{err.Error()}
			return said
		}
		errs = validate(object, &said)
	case asked.Schema != nil:
		errs, err = validateCustom(asked.Schema, text)
		if err != nil {
			said.Problems = []string{err.Error()}
			return said
		}
	}
	for _, each := range errs {
		said.Problems = append(said.Problems, each.Error())
	}
	slices.Sort(said.Problems)
	return said
}

func validate(versioned runtime.Object, said *answer) field.ErrorList {
	legacyscheme.Scheme.Default(versioned)
	group := versioned.GetObjectKind().GroupVersionKind().GroupKind()
	object, err := legacyscheme.Scheme.ConvertToVersion(versioned, runtime.InternalGroupVersioner)
	if err != nil {
		return field.ErrorList{field.InternalError(nil, err)}
	}
	switch object := object.(type) {
	case *core.Secret:
		place(&object.Namespace)
		said.Data = object.Data
		return corevalidation.ValidateSecret(object)
	case *core.ConfigMap:
		place(&object.Namespace)
		said.Data = object.BinaryData
		return corevalidation.ValidateConfigMap(object)
	case *core.Namespace:
		return corevalidation.ValidateNamespace(object)
	case *core.Service:
		place(&object.Namespace)
		if object.Spec.Type != core.ServiceTypeExternalName {
			if object.Spec.ClusterIP == "" && len(object.Spec.ClusterIPs) == 0 {
				object.Spec.ClusterIP = "10.0.0.7"
			}
			if len(object.Spec.ClusterIPs) == 0 {
				object.Spec.ClusterIPs = []string{object.Spec.ClusterIP}
			}
			if len(object.Spec.IPFamilies) == 0 {
				object.Spec.IPFamilies = []core.IPFamily{core.IPv4Protocol}
			}
			if object.Spec.IPFamilyPolicy == nil {
				single := core.IPFamilyPolicySingleStack
				object.Spec.IPFamilyPolicy = &single
			}
		}
		return corevalidation.ValidateServiceCreate(object)
	case *certificates.ClusterTrustBundle:
		return certificatesvalidation.ValidateClusterTrustBundle(object, certificatesvalidation.ValidateClusterTrustBundleOptions{})
	case *discovery.EndpointSlice:
		place(&object.Namespace)
		return discoveryvalidation.ValidateEndpointSliceCreate(object)
	}
	return field.ErrorList{field.InternalError(nil, fmt.Errorf("%v is not tried here", group))}
}

func place(namespace *string) {
	if *namespace == "" {
		*namespace = "default"
	}
}

type compiled struct {
	structural *structural.Structural
	validator  validation.SchemaValidator
	rules      *cel.Validator
}

var schemas = map[string]*compiled{}

func compile(raw json.RawMessage) (*compiled, error) {
	if known := schemas[string(raw)]; known != nil {
		return known, nil
	}
	v1 := &apiextensionsv1.JSONSchemaProps{}
	if err := json.Unmarshal(raw, v1); err != nil {
		return nil, err
	}
	internal := &apiextensions.JSONSchemaProps{}
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(v1, internal, nil); err != nil {
		return nil, err
	}
	schema, err := structural.NewStructural(internal)
	if err != nil {
		return nil, err
	}
	validator, _, err := validation.NewSchemaValidator(internal)
	if err != nil {
		return nil, err
	}
	made := &compiled{schema, validator, cel.NewValidator(schema, true, celconfig.PerCallLimit)}
	schemas[string(raw)] = made
	return made, nil
}

func validateCustom(raw, text json.RawMessage) (field.ErrorList, error) {
	schema, err := compile(raw)
	if err != nil {
		return nil, err
	}
	object := map[string]any{}
	if err := utiljson.Unmarshal(text, &object); err != nil {
		return nil, err
	}
	defaulting.PruneNonNullableNullsWithoutDefaults(object, schema.structural)
	defaulting.Default(object, schema.structural)
	var errs field.ErrorList
	if metadata, ok := object["metadata"].(map[string]any); ok {
		errs = append(errs, validateMetadata(metadata, object["kind"] != "GatewayClass")...)
	}
	errs = append(errs, validation.ValidateCustomResource(nil, object, schema.validator)...)
	if len(errs) > 0 {
		return errs, nil
	}
	errs, _ = schema.rules.Validate(context.Background(), nil, schema.structural, object, nil, celconfig.RuntimeCELCostBudget)
	return errs, nil
}

// validateMetadata is what the API server does for every object, whatever its kind.
func validateMetadata(metadata map[string]any, isNamespaced bool) field.ErrorList {
	typed := &core.ConfigMap{}
	text, err := json.Marshal(metadata)
	if err == nil {
		err = json.Unmarshal(text, &typed.ObjectMeta)
	}
	if err != nil {
		return field.ErrorList{field.InternalError(field.NewPath("metadata"), err)}
	}
	if isNamespaced {
		place(&typed.Namespace)
	}
	return genericvalidation.ValidateObjectMeta(&typed.ObjectMeta, isNamespaced, genericvalidation.NameIsDNSSubdomain, field.NewPath("metadata"))
}

func main() {
	in := json.NewDecoder(bufio.NewReader(os.Stdin))
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for in.More() {
		var asked request
		if err := in.Decode(&asked); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if err := out.Encode(judge(asked)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}
