package v1

// PathPolicy says what becomes of paths of requests before a route is looked for. It holds for all routes of a class.
type PathPolicy struct {
	// EscapedSlashes says what becomes of a path with an escaped slash or backslash: `%2F`, `%5C`.
	//
	// +optional
	// +kubebuilder:default=UnescapeAndRedirect
	EscapedSlashes EscapedSlashes `json:"escapedSlashes,omitempty"`
}

// EscapedSlashes says what becomes of a path with an escaped slash or backslash.
//
// +kubebuilder:validation:Enum=UnescapeAndRedirect;KeepUnchanged
type EscapedSlashes string

const (
	// EscapedSlashesUnescapeAndRedirect answers with a redirect to the path without escapes: a rule that guards a path cannot be
	// passed by.
	EscapedSlashesUnescapeAndRedirect EscapedSlashes = "UnescapeAndRedirect"
	// EscapedSlashesKeepUnchanged takes the path as it is, for applications that need it. No rule may then guard a path in front of a
	// backend that decodes paths before it routes.
	EscapedSlashesKeepUnchanged EscapedSlashes = "KeepUnchanged"
)
