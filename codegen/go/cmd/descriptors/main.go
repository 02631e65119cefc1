// Command descriptors writes the protobuf descriptors of Envoy's API, and of all that it imports, as one
// FileDescriptorSet to a file.
//
// The descriptors are read from the Go sources, not by linking them: linking the some 500 packages takes minutes, reading
// them takes seconds. protoc-gen-go keeps the serialized descriptor of a .proto file as a string constant of its .pb.go file.
//
//	descriptors -pins crd-types/go -module github.com/envoyproxy/go-control-plane/envoy -out descriptors.binpb
package main

import (
	"flag"
	"fmt"
	"os"

	"google.golang.org/protobuf/encoding/protowire"
)

func main() {
	pins := flag.String("pins", "", "folder of the Go module whose go.mod pins the versions")
	root := flag.String("module", "", "Go module all of whose descriptors are wanted")
	out := flag.String("out", "", "file to write")
	flag.Parse()
	if err := run(*pins, *root, *out); err != nil {
		fmt.Fprintln(os.Stderr, "descriptors:", err)
		os.Exit(1)
	}
}

func run(pins, root, out string) error {
	modules, err := pinnedModules(pins)
	if err != nil {
		return err
	}
	files, err := collect(modules, root)
	if err != nil {
		return err
	}
	ordered, err := order(files)
	if err != nil {
		return err
	}
	var set []byte
	for _, file := range ordered {
		// The bytes stay as protoc wrote them: options whose extensions are not linked here would be lost otherwise.
		set = protowire.AppendTag(set, 1, protowire.BytesType)
		set = protowire.AppendBytes(set, file.raw)
	}
	return os.WriteFile(out, set, 0o644)
}
