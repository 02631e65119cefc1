package model

import (
	"sort"
	"strings"

	"github.com/gobuffalo/flect"
	apiext "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/version"
	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"
)

// kinds lists the objects of all modules that belong in the table, newest stable version first.
func (b *builder) kinds(request Request) []Kind {
	byGroupKind := map[string]*Kind{}
	for _, wanted := range request.Modules {
		m := b.modules[wanted.Package]
		if !m.Kinds {
			continue
		}
		for id, described := range b.found {
			if id.path != m.Package || described == nil || described.Struct == nil || !isObject(described.Struct) {
				continue
			}
			key := m.group.Group + "/" + id.name
			if byGroupKind[key] == nil {
				byGroupKind[key] = &Kind{
					Kind: id.name, Group: m.group.Group, Source: m.Source, Channel: m.Channel,
					ShortNames: []string{}, Categories: []string{},
				}
			}
			b.addVersion(byGroupKind[key], m)
		}
	}
	out := []Kind{}
	for _, kind := range byGroupKind {
		if len(kind.Versions) == 0 {
			continue
		}
		sort.Slice(kind.Versions, func(i, j int) bool {
			return version.CompareKubeAwareVersionStrings(kind.Versions[i].Name, kind.Versions[j].Name) > 0
		})
		kind.Version, kind.Module = kind.Versions[0].Name, kind.Versions[0].Module
		if len(kind.Versions) == 1 {
			kind.Versions[0].Storage = true
		}
		out = append(out, *kind)
	}
	sort.Slice(out, func(i, j int) bool {
		if out[i].Group != out[j].Group {
			return out[i].Group < out[j].Group
		}
		return out[i].Kind < out[j].Kind
	})
	return out
}

// isObject tells kinds with metadata of their own from lists and reviews.
func isObject(s *Struct) bool {
	if s.Kind == "" {
		return false
	}
	for _, field := range s.Fields {
		if field.Name == "metadata" && field.Type.Name == "ObjectMeta" {
			return true
		}
	}
	return false
}

func (b *builder) addVersion(kind *Kind, m *module) {
	info := b.set.Parser.LookupType(m.pkg, kind.Kind)
	if info.Markers.Get("kubebuilder:skipversion") != nil {
		return
	}
	kind.Singular = strings.ToLower(kind.Kind)
	kind.Plural = flect.Pluralize(kind.Singular)
	kind.ListKind = kind.Kind + "List"
	kind.Namespaced = info.Markers.Get("genclient:nonNamespaced") == nil
	for _, marker := range info.Markers["kubebuilder:resource"] {
		resource := marker.(crdmarkers.Resource)
		kind.Namespaced = resource.Scope != string(apiext.ClusterScoped)
		if resource.Path != "" {
			kind.Plural = resource.Path
		}
		if resource.Singular != "" {
			kind.Singular = resource.Singular
		}
		kind.ShortNames = append(kind.ShortNames[:0], resource.ShortName...)
		kind.Categories = append(kind.Categories[:0], resource.Categories...)
	}
	entry := KindVersion{
		Name:       m.group.Version,
		Module:     m.Name,
		Served:     info.Markers.Get("kubebuilder:unservedversion") == nil,
		Storage:    info.Markers.Get("kubebuilder:storageversion") != nil,
		Deprecated: info.Markers.Get("kubebuilder:deprecatedversion") != nil,
	}
	if described := b.found[ident{m.Package, kind.Kind}]; m.Source == sourceKubernetes {
		for _, field := range described.Struct.Fields {
			kind.HasStatus = kind.HasStatus || field.Name == "status"
		}
	} else {
		kind.HasStatus = kind.HasStatus || info.Markers.Get("kubebuilder:subresource:status") != nil
	}
	kind.Versions = append(kind.Versions, entry)
}
