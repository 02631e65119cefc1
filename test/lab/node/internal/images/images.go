// Package images says which files of this host stand for a container image.
package images

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Image is an entry of the images file.
type Image struct {
	// Match is a part of the references that this entry stands for.
	Match string `json:"match"`
	// Root is a folder with the root file system of the image. Without one a container sees this host's /usr.
	Root string `json:"root"`
	// Config is a file with the OCI configuration of the image; what the entry itself says stands over it.
	// https://github.com/opencontainers/image-spec/blob/main/config.md
	Config string `json:"config"`
	// Files are put into the root file system: path in the container to file of this host.
	Files      map[string]string `json:"files"`
	Entrypoint []string          `json:"entrypoint"`
	Command    []string          `json:"command"`
	Env        map[string]string `json:"env"`
	// User is a name or a number, with a group after a colon if it is not the user's own.
	User       string `json:"user"`
	WorkingDir string `json:"workingDir"`
}

// Resolved is an image with all that a container needs to know of it.
type Resolved struct {
	Root       string
	Files      map[string]string
	Entrypoint []string
	Command    []string
	Env        map[string]string
	User       User
	WorkingDir string
}

// Find returns what stands for an image. The file is read each time: images may be added while the lab runs.
func Find(file, reference string) (Resolved, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return Resolved{}, err
	}
	var all []Image
	if err := json.Unmarshal(content, &all); err != nil {
		return Resolved{}, fmt.Errorf("%s: %w", file, err)
	}
	for _, image := range all {
		if image.Match != "" && strings.Contains(reference, image.Match) {
			return image.resolve()
		}
	}
	return Resolved{}, fmt.Errorf("no entry of %s matches image %q", file, reference)
}

type ociConfig struct {
	Config struct {
		User       string
		Env        []string
		Entrypoint []string
		Cmd        []string
		WorkingDir string
	} `json:"config"`
}

func (i Image) resolve() (Resolved, error) {
	resolved := Resolved{Root: i.Root, Files: i.Files, Env: map[string]string{}}
	var oci ociConfig
	if i.Config != "" {
		content, err := os.ReadFile(i.Config)
		if err != nil {
			return Resolved{}, err
		}
		if err := json.Unmarshal(content, &oci); err != nil {
			return Resolved{}, fmt.Errorf("%s: %w", i.Config, err)
		}
	}
	resolved.Entrypoint, resolved.Command = oci.Config.Entrypoint, oci.Config.Cmd
	if len(i.Entrypoint) > 0 {
		// As with any container runtime, an image's arguments belong to its own entry point.
		resolved.Entrypoint, resolved.Command = i.Entrypoint, nil
	}
	if len(i.Command) > 0 {
		resolved.Command = i.Command
	}
	for _, variable := range oci.Config.Env {
		name, value, _ := strings.Cut(variable, "=")
		resolved.Env[name] = value
	}
	for name, value := range i.Env {
		resolved.Env[name] = value
	}
	resolved.WorkingDir = first(i.WorkingDir, oci.Config.WorkingDir)

	etc := filepath.Join("/", i.Root, "etc")
	user, err := ParseUser(first(i.User, oci.Config.User), filepath.Join(etc, "passwd"), filepath.Join(etc, "group"))
	if err != nil {
		return Resolved{}, fmt.Errorf("image %q: %w", i.Match, err)
	}
	resolved.User = user
	return resolved, nil
}

func first(values ...string) string {
	for _, value := range values {
		if value != "" {
			return value
		}
	}
	return ""
}
