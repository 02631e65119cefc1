package container

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// InitCommand is the argument by which this program is run as the first process of a container.
const InitCommand = "container-init"

// File descriptors that Start hands over.
const (
	specDescriptor    = 3
	startedDescriptor = 4
)

// Exit codes as shells and container runtimes have them.
const (
	exitCannotPrepare = 126
	exitCannotExecute = 127
)

// Init is process 1 of a container: it joins the pod's network, builds the root file system and becomes the container's program.
// It does not return.
func Init() {
	runtime.LockOSThread()
	var spec Spec
	pipe := os.NewFile(specDescriptor, "spec")
	err := json.NewDecoder(pipe).Decode(&spec)
	_ = pipe.Close()
	// Open until the program is executed: Start waits for that.
	syscall.CloseOnExec(startedDescriptor)
	if err == nil {
		err = prepare(spec)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "container cannot be prepared: %v\n", err)
		os.Exit(exitCannotPrepare)
	}
	err = syscall.Exec(executable(spec), spec.Args, spec.Env)
	fmt.Fprintf(os.Stderr, "%s cannot be executed: %v\n", strings.Join(spec.Args, " "), err)
	os.Exit(exitCannotExecute)
}

func prepare(spec Spec) error {
	if spec.NetworkNamespace != "" {
		if err := joinNetwork(spec.NetworkNamespace); err != nil {
			return err
		}
	}
	if err := unix.Sethostname([]byte(spec.Hostname)); err != nil {
		return fmt.Errorf("hostname: %w", err)
	}
	if err := enterRoot(spec); err != nil {
		return err
	}
	return becomeUser(spec)
}

func joinNetwork(path string) error {
	descriptor, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("network namespace: %w", err)
	}
	if err := unix.Setns(descriptor, unix.CLONE_NEWNET); err != nil {
		return fmt.Errorf("network namespace: %w", err)
	}
	// As container runtimes do: ports below 1024 need no privilege.
	return os.WriteFile("/proc/sys/net/ipv4/ip_unprivileged_port_start", []byte("0"), 0o644)
}

func becomeUser(spec Spec) error {
	for _, capability := range spec.DropCapabilities {
		// EINVAL: a capability that this kernel does not know.
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, uintptr(capability), 0, 0, 0); err != nil && err != unix.EINVAL {
			return fmt.Errorf("drop capability %d: %w", capability, err)
		}
	}
	// A program may open /dev/stdout anew (Envoy does for access logs), which only the owner of the pipe may.
	for _, descriptor := range []int{1, 2} {
		if err := syscall.Fchown(descriptor, spec.UID, spec.GID); err != nil {
			return fmt.Errorf("owner of the log: %w", err)
		}
	}
	if err := syscall.Setgroups(spec.Groups); err != nil {
		return fmt.Errorf("supplementary groups: %w", err)
	}
	if err := syscall.Setgid(spec.GID); err != nil {
		return fmt.Errorf("group %d: %w", spec.GID, err)
	}
	if err := syscall.Setuid(spec.UID); err != nil {
		return fmt.Errorf("user %d: %w", spec.UID, err)
	}
	if spec.NoNewPrivileges {
		if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
			return fmt.Errorf("no new privileges: %w", err)
		}
	}
	return nil
}

// executable finds the program on the container's path, in its own root file system.
func executable(spec Spec) string {
	program := spec.Args[0]
	if strings.Contains(program, "/") {
		return program
	}
	for _, variable := range spec.Env {
		path, isPath := strings.CutPrefix(variable, "PATH=")
		if !isPath {
			continue
		}
		for _, folder := range filepath.SplitList(path) {
			candidate := filepath.Join(folder, program)
			if info, err := os.Stat(candidate); err == nil && !info.IsDir() {
				return candidate
			}
		}
	}
	return program
}
