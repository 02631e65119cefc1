// Command apitypes reads Go API types and prints a model of them as JSON, from which the TypeScript side of codegen writes
// types, tables, schemas and CRDs. The request comes as JSON on standard input.
//
//	apitypes -dir crd-types/go < request.json > model.json
//
// A fault in the sources is printed to standard error as `file:line: message`, one a line, and the exit code is 1.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gatewright.dev/codegen/internal/model"
	"gatewright.dev/codegen/internal/overlay"
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
	var flags []string
	if request.Overlay != "" {
		amended, err := overlay.Make(dir, "sigs.k8s.io/gateway-api", filepath.Join(dir, request.Overlay))
		if err != nil {
			return err
		}
		defer func() { _ = amended.Close() }()
		flags = amended.BuildFlags()
	}
	channel := source.Experimental
	if request.Open {
		channel = source.None
	}
	set, err := source.Load(dir, request.Packages(), channel, flags...)
	if err != nil {
		return err
	}
	set.Lenient = request.LenientMarkers
	standard := set
	if paths := request.GatewayPackages(); len(paths) > 0 {
		if standard, err = source.Load(dir, paths, source.Standard, flags...); err != nil {
			return err
		}
	}
	// What follows from a package that could not be read would only hide the cause.
	if err := failure(set.Problems(), standard.Problems()); err != nil {
		return err
	}
	result, problems := model.Build(set, standard, request)
	if err := failure(problems, set.Problems(), standard.Problems()); err != nil {
		return err
	}
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(result)
}

// failure makes one error of problems, each on a line of its own.
func failure(lists ...[]string) error {
	problems := slices.Concat(lists...)
	slices.Sort(problems)
	problems = slices.Compact(problems)
	if len(problems) == 0 {
		return nil
	}
	return errors.New(strings.Join(problems, "\n"))
}
