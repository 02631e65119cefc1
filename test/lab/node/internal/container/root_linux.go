package container

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// enterRoot builds the root file system in the mount namespace of this process, and makes it the root.
func enterRoot(spec Spec) error {
	// What is mounted here is nobody else's.
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("private mounts: %w", err)
	}
	root, err := imageRoot(spec)
	if err != nil {
		return err
	}
	if err := systemFolders(root); err != nil {
		return err
	}
	for path, content := range spec.Generated {
		if err := generate(filepath.Join(root, path), content); err != nil {
			return err
		}
	}
	for target, source := range spec.Files {
		if err := bind(source, filepath.Join(root, target), true); err != nil {
			return err
		}
	}
	for _, mount := range spec.Mounts {
		if err := bind(mount.Source, filepath.Join(root, mount.Target), mount.ReadOnly); err != nil {
			return err
		}
	}
	workingDir := filepath.Join("/", spec.WorkingDir)
	if err := os.MkdirAll(filepath.Join(root, workingDir), 0o755); err != nil {
		return err
	}
	if spec.ReadOnlyRoot {
		if err := unix.Mount("", root, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
			return fmt.Errorf("read-only root: %w", err)
		}
	}
	if err := unix.Chroot(root); err != nil {
		return fmt.Errorf("root: %w", err)
	}
	return os.Chdir(workingDir)
}

// imageRoot makes a writable layer over the image's root file system, or over parts of this host's.
func imageRoot(spec Spec) (string, error) {
	if err := os.MkdirAll(spec.Folder, 0o755); err != nil {
		return "", err
	}
	if err := unix.Mount("tmpfs", spec.Folder, "tmpfs", 0, "mode=755"); err != nil {
		return "", fmt.Errorf("memory for the root file system: %w", err)
	}
	if spec.ImageRoot == "" {
		return spec.Folder, hostRoot(spec.Folder)
	}
	if info, err := os.Stat(spec.ImageRoot); err != nil || !info.IsDir() {
		return "", fmt.Errorf("root file system of the image: %s is no folder", spec.ImageRoot)
	}
	if strings.ContainsAny(spec.ImageRoot, `:,\`) {
		return "", fmt.Errorf("root file system of the image: %s must not contain any of : , \\", spec.ImageRoot)
	}
	layer := func(name string) string { return filepath.Join(spec.Folder, name) }
	for _, name := range []string{"upper", "work", "root"} {
		if err := os.Mkdir(layer(name), 0o755); err != nil {
			return "", err
		}
	}
	options := fmt.Sprintf("lowerdir=%s,upperdir=%s,workdir=%s", spec.ImageRoot, layer("upper"), layer("work"))
	if err := unix.Mount("overlay", layer("root"), "overlay", 0, options); err != nil {
		return "", fmt.Errorf("layer over the image: %w", err)
	}
	return layer("root"), nil
}

// hostRoot lets a container see this host's programs and libraries, and what they need of /etc.
func hostRoot(root string) error {
	for _, name := range []string{"bin", "sbin", "lib", "lib64"} {
		if target, err := os.Readlink("/" + name); err == nil {
			if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
				return err
			}
		}
	}
	for _, path := range []string{
		"/usr/bin", "/usr/sbin", "/usr/lib", "/usr/lib64", "/usr/share",
		"/etc/ssl", "/etc/passwd", "/etc/group", "/etc/nsswitch.conf", "/etc/ld.so.cache", "/etc/alternatives",
	} {
		if _, err := os.Stat(path); err != nil {
			continue
		}
		if err := bind(path, filepath.Join(root, path), true); err != nil {
			return err
		}
	}
	return nil
}

// systemFolders mounts what every container has: /proc, /sys, the harmless devices, and shared memory.
func systemFolders(root string) error {
	for _, folder := range []string{"proc", "sys", "dev", "tmp", "run", "etc", "var"} {
		if err := os.MkdirAll(filepath.Join(root, folder), 0o755); err != nil {
			return err
		}
	}
	if err := os.Chmod(filepath.Join(root, "tmp"), 0o1777); err != nil {
		return err
	}
	mount := func(kind, folder string, flags uintptr, options string) error {
		target := filepath.Join(root, folder)
		if err := os.MkdirAll(target, 0o755); err != nil {
			return err
		}
		if err := unix.Mount(kind, target, kind, flags, options); err != nil {
			return fmt.Errorf("/%s: %w", folder, err)
		}
		return nil
	}
	if err := mount("proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return err
	}
	if err := mount("sysfs", "sys", unix.MS_RDONLY|unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return err
	}
	if err := mount("tmpfs", "dev", unix.MS_NOSUID, "mode=755"); err != nil {
		return err
	}
	if err := mount("tmpfs", "dev/shm", unix.MS_NOSUID|unix.MS_NODEV, "mode=1777"); err != nil {
		return err
	}
	for _, device := range []string{"null", "zero", "full", "random", "urandom", "tty"} {
		if _, err := os.Stat("/dev/" + device); err != nil {
			continue
		}
		if err := bind("/dev/"+device, filepath.Join(root, "dev", device), false); err != nil {
			return err
		}
	}
	for name, target := range map[string]string{
		"fd": "/proc/self/fd", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2",
	} {
		if err := os.Symlink(target, filepath.Join(root, "dev", name)); err != nil {
			return err
		}
	}
	return nil
}

// generate writes a file over whatever an image has there.
func generate(path, content string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := os.RemoveAll(path); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(content), 0o644)
}

func bind(source, target string, readOnly bool) error {
	info, err := os.Stat(source)
	if err != nil {
		return err
	}
	if err := mountPoint(target, info.IsDir()); err != nil {
		return err
	}
	if err := unix.Mount(source, target, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
		return fmt.Errorf("%s as %s: %w", source, target, err)
	}
	if !readOnly {
		return nil
	}
	if err := unix.Mount("", target, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		return fmt.Errorf("%s as %s, read-only: %w", source, target, err)
	}
	return nil
}

func mountPoint(target string, folder bool) error {
	if folder {
		return os.MkdirAll(target, 0o755)
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	if _, err := os.Lstat(target); err == nil {
		return nil
	}
	return os.WriteFile(target, nil, 0o644)
}
