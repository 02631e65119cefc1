// Command apitypes reads Go API types and prints a model of them as JSON, from which the TypeScript side of codegen writes
// types, tables, schemas and CRDs. The request comes as JSON on standard input.
//
//	apitypes -dir crd-types/go < request.json > model.json
//
// A fault in the sources is printed to standard error as `file:line: message`, one a line, and the exit code is 1.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"gatewright.dev/codegen/internal/model"
	"gatewright.dev/codegen/internal/source"
)

func main() {
	dir := flag.String("dir", ".", "folder of the Go module whose go.mod pins the versions of all packages")
	flag.Parse()
	if err := run(*dir, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(dir string, in io.Reader, out io.Writer) error {
	var request model.Request
	decoder := json.NewDecoder(in)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&request); err != nil {
		return fmt.Errorf("the request cannot be read: %w", err)
	}
	set, err := source.Load(dir, request.Packages(), source.Experimental)
	if err != nil {
		return err
	}
	standard := set
	if paths := request.GatewayPackages(); len(paths) > 0 {
		if standard, err = source.Load(dir, paths, source.Standard); err != nil {
			return err
		}
	}
	result, problems := model.Build(set, standard, request)
	problems = slices.Concat(problems, set.Problems(), standard.Problems())
	if len(problems) > 0 {
		slices.Sort(problems)
		problems = slices.Compact(problems)
		return fmt.Errorf("%s", strings.Join(problems, "\n"))
	}
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(result)
}
