// Package container runs a container as a process of this host in namespaces of its own.
package container

// Spec is all that is needed to start a container. It is handed to the first process in its namespaces as JSON.
type Spec struct {
	// Folder is where the root file system is put together.
	Folder string
	// ImageRoot is the image's root file system; empty: this host's /usr, read-only.
	ImageRoot string
	// Files are put into the root file system, read-only: path in the container to file of this host.
	Files map[string]string
	// Generated are small files of the pod: path in the container to content.
	Generated map[string]string
	Mounts    []Mount

	Args       []string
	Env        []string
	WorkingDir string
	Hostname   string
	// NetworkNamespace is a path; empty: that of the node.
	NetworkNamespace string

	UID, GID int
	Groups   []int
	// ReadOnlyRoot leaves only volumes, /dev/shm and what the image has of tmpfs writable.
	ReadOnlyRoot    bool
	NoNewPrivileges bool
	// DropCapabilities are the numbers of those that even root has not.
	DropCapabilities []int
}

// Mount is a folder or file of this host that a container sees.
type Mount struct {
	Source, Target string
	ReadOnly       bool
}
