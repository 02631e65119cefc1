package model

import (
	"regexp"
	"strings"
)

// gatewayTag is a tag by which the Gateway API steers its own CRD generator, for example <gateway:experimental>.
var gatewayTag = regexp.MustCompile(`</?gateway:.*>`)

var manyBlankLines = regexp.MustCompile(`\n{3,}`)

// plainDoc is the text of a comment without tags. What a tag keeps out of CRDs, such as the notes for implementers, stays.
func plainDoc(doc string) string {
	return strings.TrimSpace(manyBlankLines.ReplaceAllString(gatewayTag.ReplaceAllString(doc, ""), "\n\n"))
}
