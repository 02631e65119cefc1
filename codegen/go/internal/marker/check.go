package marker

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"

	"sigs.k8s.io/controller-tools/pkg/markers"
)

// Problem is a marker or tag that would have no effect.
type Problem struct {
	Pos     token.Pos
	Message string
}

// Check finds the markers of a file that nothing reads: misspelled ones, and known ones in a place where nobody looks for
// them. controller-tools passes over both in silence.
func Check(registry *markers.Registry, pkg, fileName string, file *ast.File) []Problem {
	var problems []Problem
	for group, place := range places(file) {
		for _, comment := range group.List {
			if message := checkTags(comment.Text); message != "" {
				problems = append(problems, Problem{comment.Pos(), message})
			}
			text, isMarker := markerText(comment.Text)
			if !isMarker || isOddity(pkg, filepath.Base(fileName), text) {
				continue
			}
			if message := checkMarker(registry, text, place); message != "" {
				problems = append(problems, Problem{comment.Pos(), message})
			}
		}
	}
	sort.Slice(problems, func(i, j int) bool { return problems[i].Pos < problems[j].Pos })
	return problems
}

// markerText takes the same lines for markers as controller-tools does.
func markerText(comment string) (string, bool) {
	text, isLine := strings.CutPrefix(comment, "//")
	text = strings.TrimSpace(text)
	return text, isLine && strings.HasPrefix(text, "+")
}

var targetNames = map[markers.TargetType]string{
	markers.DescribesPackage: "a package",
	markers.DescribesType:    "a type",
	markers.DescribesField:   "a field",
	describesFunction:        "a function",
	describesValue:           "a constant",
}

func checkMarker(registry *markers.Registry, text string, place place) string {
	for _, target := range place.targets {
		if _, placed := isForeign(text, target); placed || registry.Lookup(text, target) != nil {
			return ""
		}
	}
	name := markerName.FindString(text)
	var elsewhere []string
	for _, target := range slices.Sorted(maps.Keys(targetNames)) {
		if _, placed := isForeign(text, target); placed || registry.Lookup(text, target) != nil {
			elsewhere = append(elsewhere, targetNames[target])
		}
	}
	if len(elsewhere) == 0 {
		return fmt.Sprintf("unknown marker %s", name)
	}
	return fmt.Sprintf("marker %s has no effect %s: it belongs to %s", name, place.name, strings.Join(elsewhere, " or "))
}

var markerName = regexp.MustCompile(`^\+[^\s=(]*`)

// The tags of the Gateway API, see packages source and crds.
var (
	anyTag   = regexp.MustCompile(`</?gateway:[^>\s]*`)
	knownTag = regexp.MustCompile(`^//\s*(` +
		`<gateway:experimental>|` +
		`<gateway:validateIPAddress>|` +
		`</?gateway:experimental:description>|` +
		`</?gateway:util:excludeFromCRD>|` +
		`<gateway:(standard|experimental):validation:[A-Z]\w*[=:].*>|` +
		`<gateway:util:excludeFromCRD>.*</gateway:util:excludeFromCRD>` +
		`)\s*$`)
)

func checkTags(comment string) string {
	found := anyTag.FindString(comment)
	if found == "" || knownTag.MatchString(comment) {
		return ""
	}
	return fmt.Sprintf("unknown or misplaced tag %s>: a tag of the Gateway API stands alone on its line", found)
}
