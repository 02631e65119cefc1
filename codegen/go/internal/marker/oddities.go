package marker

import "strings"

// oddity is a line of an upstream source that reads like a marker without effect, and is known to do no harm.
type oddity struct {
	// pkg is the import path, file the name of the file.
	pkg, file string
	// text is how the line begins.
	text string
	why  string
}

var oddities = []oddity{
	{"k8s.io/api/core/v1", "types.go", "+-------+", "the frame of a table in a comment"},
	{"k8s.io/api/core/v1", "types.go", "+k8s:deprecated=", "stands for a field that was removed"},
	{"k8s.io/apimachinery/pkg/apis/meta/v1", "types.go", "+k8s:deprecated=", "stands for a field that was removed"},
}

func isOddity(pkg, file, text string) bool {
	for _, entry := range oddities {
		if entry.pkg == pkg && entry.file == file && strings.HasPrefix(text, entry.text) {
			return true
		}
	}
	return false
}
