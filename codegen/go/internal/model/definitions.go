package model

import (
	"encoding/json"
	"go/token"
	"slices"
	"sort"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"gatewright.dev/codegen/internal/crds"
	"gatewright.dev/codegen/internal/source"
)

// Sources of kinds.
const (
	sourceGateway    = "gateway"
	sourceGatewright = "gatewright"
	sourceKubernetes = "kubernetes"
)

// definitions makes the CRDs and the schemas of kinds.
func (b *builder) definitions(request Request, kinds []Kind) ([]CRD, map[string]json.RawMessage) {
	d := &definitions{builder: b, out: []CRD{}, schemas: map[string]json.RawMessage{}}
	if request.Bundle != "" {
		bundle, err := crds.ReadBundle(b.set, request.Bundle)
		d.check(err)
		d.bundle = bundle
	}
	for _, kind := range kinds {
		group := schema.GroupKind{Group: kind.Group, Kind: kind.Kind}
		switch kind.Source {
		case sourceGateway:
			if kind.Channel == string(source.Standard) {
				definition, err := crds.Gateway(b.standard, group, d.bundle)
				d.add(string(source.Standard), definition, err)
			}
			definition, err := crds.Gateway(b.set, group, d.bundle)
			d.add(string(source.Experimental), definition, err)
			d.addSchema(kind, definition)
		case sourceGatewright:
			definition, err := crds.Plain(b.set, group)
			d.add(sourceGatewright, definition, err)
			d.addSchema(kind, definition)
		case sourceKubernetes:
			m := b.moduleNamed(kind.Module)
			if slices.Contains(m.Schemas, kind.Kind) {
				encoded, err := crds.BuiltIn(b.set, m.Package, kind.Kind)
				d.check(err)
				d.schemas[kind.Kind] = encoded
			}
		}
	}
	sort.Slice(d.out, func(i, j int) bool {
		return d.out[i].Folder+"/"+d.out[i].File < d.out[j].Folder+"/"+d.out[j].File
	})
	return d.out, d.schemas
}

type definitions struct {
	*builder
	bundle  crds.Bundle
	out     []CRD
	schemas map[string]json.RawMessage
}

func (d *definitions) add(folder string, definition *crds.CRD, err error) {
	d.check(err)
	if definition == nil {
		return
	}
	encoded, err := json.Marshal(definition)
	d.check(err)
	d.out = append(d.out, CRD{Folder: folder, File: definition.FileName(), Definition: encoded})
}

func (d *definitions) addSchema(kind Kind, definition *crds.CRD) {
	if definition == nil {
		return
	}
	encoded, err := crds.SchemaOf(definition, kind.Version)
	d.check(err)
	d.schemas[kind.Kind] = encoded
}

func (d *definitions) check(err error) {
	if err != nil {
		d.problems = append(d.problems, err.Error())
	}
}

func (b *builder) moduleNamed(name string) *module {
	for _, m := range b.modules {
		if m.Name == name {
			return m
		}
	}
	b.problem(nil, token.NoPos, "there is no module %s", name)
	return nil
}
