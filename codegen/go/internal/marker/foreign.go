package marker

import (
	"regexp"

	"sigs.k8s.io/controller-tools/pkg/markers"
)

// foreign are markers for other programs than ours, by the place where those look for them. A marker that is neither here nor
// known to controller-tools is taken for a misspelling.
var foreign = []struct {
	name    *regexp.Regexp
	targets []markers.TargetType
}{
	// The constraint of a build, from before `//go:build`.
	{named(`build`), []markers.TargetType{markers.DescribesPackage}},
	// client-gen, which makes typed clients.
	{named(`genclient(:\w+)?`), []markers.TargetType{markers.DescribesType}},
	// deepcopy-gen, conversion-gen, defaulter-gen, openapi-gen and model-gen, which make Go functions.
	{named(`k8s:(deepcopy|conversion|defaulter|openapi|openapi-model|protobuf|validation)-gen(:[\w-]+)*`), []markers.TargetType{
		markers.DescribesPackage, markers.DescribesType, markers.DescribesField,
	}},
	{named(`k8s:openapi-model-package`), []markers.TargetType{markers.DescribesPackage}},
	{named(`k8s:conversion-fn(:\w+)?`), []markers.TargetType{describesFunction}},
	// prerelease-lifecycle-gen, which says in which release a kind came and goes.
	{named(`k8s:prerelease-lifecycle-gen(:\w+)?`), []markers.TargetType{markers.DescribesPackage, markers.DescribesType}},
	// The name of a group in generated Go code.
	{named(`groupGoName`), []markers.TargetType{markers.DescribesPackage}},
	// controller-gen's own deepcopy functions.
	{named(`kubebuilder:object:(generate|root)`), []markers.TargetType{markers.DescribesPackage, markers.DescribesType}},
	// go-to-protobuf, which makes the protobuf form of built-in kinds.
	{named(`protobuf(\.[\w.()]+)?`), []markers.TargetType{markers.DescribesType, markers.DescribesField}},
	// Strategic merge patch, which CRDs do not have.
	{named(`patch(Strategy|MergeKey)`), []markers.TargetType{markers.DescribesField}},
	// A planned form of union types, read by nobody yet.
	{named(`union|unionDiscriminator|unionDeprecated|oneOf`), []markers.TargetType{markers.DescribesType, markers.DescribesField}},
	// Feature gates of the API server.
	{named(`featureGate`), []markers.TargetType{markers.DescribesType, markers.DescribesField, describesValue}},
	// validation-gen, by which the API server validates built-in kinds.
	{named(`k8s:(alpha|beta|opaqueType|listType|listMapKey|deprecated|maxBytes|maxLength|customValidation|ifDisabled|ifEnabled|` +
		`format|eachVal|eachKey|subfield|item|unionMember|unionDiscriminator|update|neq|isSubresource|supportsSubresource|` +
		`customUnique|dependentRequired|zeroOrOneOfMember|memberOf|declarativeValidationNative|immutable|enum|maxItems|minimum|maximum)`),
		[]markers.TargetType{markers.DescribesType, markers.DescribesField}},
	// What takes the place of a tag of the Gateway API, see package source.
	{named(`gateway:otherChannel`), []markers.TargetType{markers.DescribesType, markers.DescribesField}},
}

// named matches a marker by its name, whatever its arguments.
func named(pattern string) *regexp.Regexp {
	return regexp.MustCompile(`^\+(` + pattern + `)($|[\s=:(,])`)
}

func isForeign(text string, target markers.TargetType) (known, placed bool) {
	for _, entry := range foreign {
		if !entry.name.MatchString(text) {
			continue
		}
		known = true
		for _, allowed := range entry.targets {
			placed = placed || allowed == target
		}
	}
	return known, placed
}
