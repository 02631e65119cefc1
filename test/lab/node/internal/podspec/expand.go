// Package podspec reads what a pod says about its containers.
package podspec

import "strings"

// Expand replaces $(NAME) by the value of a variable; $$ stands for $. What names no variable stays as it is.
// https://kubernetes.io/docs/tasks/inject-data-application/define-interdependent-environment-variables/
func Expand(text string, lookup func(name string) (string, bool)) string {
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		rest := text[i:]
		switch {
		case strings.HasPrefix(rest, "$$"):
			out.WriteByte('$')
			i++
		case strings.HasPrefix(rest, "$("):
			name, _, closed := strings.Cut(rest[2:], ")")
			value, known := lookup(name)
			if !closed || !known {
				out.WriteByte('$')
				continue
			}
			out.WriteString(value)
			i += len(name) + 2
		default:
			out.WriteByte(text[i])
		}
	}
	return out.String()
}
