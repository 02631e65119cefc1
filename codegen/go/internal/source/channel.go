package source

import (
	"go/ast"
	"regexp"
)

// Channel is a release channel of the Gateway API.
type Channel string

// The release channels.
const (
	Standard     Channel = "standard"
	Experimental Channel = "experimental"
	// None is for packages that are not the Gateway API's: they are read as controller-gen reads them.
	None Channel = ""
)

// validationTag is a tag of the Gateway API that stands for a marker in one release channel:
//
//	<gateway:experimental:validation:MinItems=1>
var validationTag = regexp.MustCompile(`^//\s*<gateway:(standard|experimental):validation:(.*)>\s*$`)

// applyTags turns the tags of one channel into the markers that they stand for, and takes those of the other away, before
// anything reads the comments. Then they count wherever a marker counts. They come after the markers of the same comment, as
// in the Gateway API's own CRDs.
func applyTags(files []*ast.File, channel Channel) {
	for _, file := range files {
		for _, group := range file.Comments {
			var others, tags []*ast.Comment
			for _, comment := range group.List {
				match := validationTag.FindStringSubmatch(comment.Text)
				if match == nil {
					others = append(others, comment)
					continue
				}
				comment.Text = "// +" + OtherChannel
				if match[1] == string(channel) {
					comment.Text = "// +kubebuilder:validation:" + match[2]
				}
				tags = append(tags, comment)
			}
			group.List = append(others, tags...)
		}
	}
}

// OtherChannel is the marker that takes the place of a tag of another channel.
const OtherChannel = "gateway:otherChannel"
