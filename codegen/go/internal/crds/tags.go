package crds

import (
	"regexp"
	"strings"

	apiext "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"gatewright.dev/codegen/internal/source"
)

// tagger carries out the tags that the Gateway API puts into its comments for what kubebuilder's markers cannot say.
//
//	<gateway:experimental>                     the field is not in the standard channel
//	<gateway:experimental:description>…</…>    text of the experimental channel
//	<gateway:util:excludeFromCRD>…</…>         text for readers of the Go sources
//	<gateway:validateIPAddress>                an address of type IPAddress must be one
//
// They are found in descriptions: a tag counts where its comment ends up as the description of a field. Tags that stand for
// markers are not among them, see source.Channel.
// See https://gateway-api.sigs.k8s.io/guides/api-design/ and the release channels in
// https://gateway-api.sigs.k8s.io/concepts/versioning/.
type tagger struct{ channel source.Channel }

// properties works on the fields of an object.
func (t *tagger) properties(properties map[string]apiext.JSONSchemaProps) {
	for name, property := range properties {
		if t.channel == source.Standard && strings.Contains(property.Description, "<gateway:experimental>") {
			delete(properties, name)
			continue
		}
		t.schema(&property)
		properties[name] = property
	}
}

func (t *tagger) schema(s *apiext.JSONSchemaProps) {
	if strings.Contains(s.Description, "<gateway:validateIPAddress>") && s.Items != nil && s.Items.Schema != nil {
		s.Items.Schema.OneOf = ipAddressOrOther()
	}
	s.Description = t.describe(s.Description)
	t.properties(s.Properties)
	if s.Items != nil && s.Items.Schema != nil {
		t.schema(s.Items.Schema)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		t.schema(s.AdditionalProperties.Schema)
	}
}

var (
	experimentalText = regexp.MustCompile(`(?s)\n*<gateway:experimental:description>.*?</gateway:experimental:description>\n*`)
	experimentalTags = regexp.MustCompile(`</?gateway:experimental:description>`)
	excludedText     = regexp.MustCompile(`(?s)\n*<gateway:util:excludeFromCRD>.*?</gateway:util:excludeFromCRD>\n*`)
	otherTags        = regexp.MustCompile(`<gateway:.*>`)
	blankLines       = regexp.MustCompile(`\n{3,}`)
)

// describe leaves in a description what its channel shows. Of the blank lines that removal leaves, up to two stay.
func (t *tagger) describe(text string) string {
	if t.channel == source.Standard {
		text = experimentalText.ReplaceAllString(text, "\n\n")
	}
	text = experimentalTags.ReplaceAllString(text, "")
	text = excludedText.ReplaceAllString(text, "\n\n\n")
	text = otherTags.ReplaceAllString(text, "")
	return strings.Trim(blankLines.ReplaceAllString(text, "\n\n\n"), "\n")
}

// ipAddressOrOther allows items whose type is IPAddress and whose value is one, and items of other types.
func ipAddressOrOther() []apiext.JSONSchemaProps {
	ipAddress := apiext.JSONSchemaProps{Enum: []apiext.JSON{{Raw: []byte(`"IPAddress"`)}}}
	return []apiext.JSONSchemaProps{
		{Properties: map[string]apiext.JSONSchemaProps{
			"type":  ipAddress,
			"value": {AnyOf: []apiext.JSONSchemaProps{{Format: "ipv4"}, {Format: "ipv6"}}},
		}},
		{Properties: map[string]apiext.JSONSchemaProps{"type": {Not: &ipAddress}}},
	}
}
