// Command structural-schema says what the API server makes of values under structural schemas: one request a line of
// standard input, one answer a line of standard output.
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
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

type request struct {
	Schema json.RawMessage `json:"schema"`
	Value  json.RawMessage `json:"value"`
}

type answer struct {
	Error     string   `json:"error,omitempty"`
	Unknown   []string `json:"unknown"`
	Defaulted any      `json:"defaulted"`
	Problems  []string `json:"problems"`
}

type compiled struct {
	structural *structural.Structural
	validator  validation.SchemaValidator
}

func compile(raw json.RawMessage) (*compiled, error) {
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
	return &compiled{structural: schema, validator: validator}, nil
}

// judge takes a value the way of a custom resource: pruned, defaulted, validated.
func judge(schema *compiled, raw json.RawMessage) (answer, error) {
	var value any
	if err := utiljson.Unmarshal(raw, &value); err != nil {
		return answer{}, err
	}
	unknown := pruning.PruneWithOptions(value, schema.structural, true,
		structural.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})
	defaulting.PruneNonNullableNullsWithoutDefaults(value, schema.structural)
	defaulting.Default(value, schema.structural)

	errs := validation.ValidateCustomResource(nil, value, schema.validator)
	errs = append(errs, objectmeta.Validate(context.Background(), nil, value, schema.structural, false)...)
	if object, ok := value.(map[string]any); ok {
		errs = append(errs, listtype.ValidateListSetsAndMaps(nil, schema.structural, object)...)
	}
	problems := []string{}
	for _, err := range errs {
		problems = append(problems, err.Error())
	}
	slices.Sort(problems)
	if unknown == nil {
		unknown = []string{}
	}
	return answer{Unknown: unknown, Defaulted: value, Problems: problems}, nil
}

func main() {
	schemas := map[string]*compiled{}
	in := json.NewDecoder(bufio.NewReader(os.Stdin))
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for in.More() {
		var asked request
		if err := in.Decode(&asked); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		schema, known := schemas[string(asked.Schema)]
		var err error
		if !known {
			schema, err = compile(asked.Schema)
			schemas[string(asked.Schema)] = schema
		}
		var said answer
		if err == nil {
			said, err = judge(schema, asked.Value)
		}
		if err != nil {
			said = answer{Error: err.Error()}
		}
		if err := out.Encode(said); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}
