package podspec

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"gatewright.dev/lab/node/internal/container"
	"gatewright.dev/lab/node/internal/images"
)

// Node is what all containers of a node have in common.
type Node struct {
	ClusterDNS string
	// APIServer is the address of the Service kubernetes.
	APIServer string
}

// Container returns how a container of a pod is to be run, but for its network namespace. `folder` is the pod's on this host.
func Container(pod *corev1.Pod, own *corev1.Container, image images.Resolved, variables []Variable, facts Facts, node Node, folder string) (container.Spec, error) {
	spec := container.Spec{
		Folder:     filepath.Join(folder, "roots", own.Name),
		ImageRoot:  image.Root,
		Files:      image.Files,
		Hostname:   pod.Name,
		Args:       arguments(own, image, variables),
		WorkingDir: own.WorkingDir,
		Env:        allVariables(pod, image, variables, node),
		Generated: map[string]string{
			"/etc/hosts":       fmt.Sprintf("127.0.0.1 localhost\n%s %s\n", facts.PodIP, pod.Name),
			"/etc/hostname":    pod.Name + "\n",
			"/etc/resolv.conf": resolvConf(pod, node),
		},
	}
	if spec.WorkingDir == "" {
		spec.WorkingDir = image.WorkingDir
	}
	if len(spec.Args) == 0 {
		return spec, fmt.Errorf("neither the image nor the container names a command")
	}
	var err error
	if spec.Mounts, err = mounts(pod, own, variables, folder); err != nil {
		return spec, err
	}
	return spec, secure(&spec, pod, own, image)
}

// arguments: the container's command stands for all that the image says; its args only for the image's.
// https://kubernetes.io/docs/tasks/inject-data-application/define-command-argument-container/
func arguments(own *corev1.Container, image images.Resolved, variables []Variable) []string {
	command, args := image.Entrypoint, image.Command
	if len(own.Command) > 0 {
		command, args = expandAll(own.Command, variables), nil
	}
	if len(own.Args) > 0 {
		args = expandAll(own.Args, variables)
	}
	return slices.Concat(command, args)
}

func expandAll(texts []string, variables []Variable) []string {
	out := make([]string, len(texts))
	for i, text := range texts {
		out[i] = Expand(text, Lookup(variables))
	}
	return out
}

func allVariables(pod *corev1.Pod, image images.Resolved, variables []Variable, node Node) []string {
	all := map[string]string{
		"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/", "HOSTNAME": pod.Name,
	}
	maps.Copy(all, image.Env)
	maps.Copy(all, map[string]string{
		"KUBERNETES_SERVICE_HOST": node.APIServer, "KUBERNETES_SERVICE_PORT": "443", "KUBERNETES_SERVICE_PORT_HTTPS": "443",
	})
	for _, variable := range variables {
		all[variable.Name] = variable.Value
	}
	out := make([]string, 0, len(all))
	for _, name := range slices.Sorted(maps.Keys(all)) {
		out = append(out, name+"="+all[name])
	}
	return out
}

func resolvConf(pod *corev1.Pod, node Node) string {
	return fmt.Sprintf("search %s.svc.cluster.local svc.cluster.local cluster.local\nnameserver %s\noptions ndots:5\n",
		pod.Namespace, node.ClusterDNS)
}

// VolumeFolder is where the content of a volume stands on this host.
func VolumeFolder(folder, volume string) string { return filepath.Join(folder, "volumes", volume) }

func mounts(pod *corev1.Pod, own *corev1.Container, variables []Variable, folder string) ([]container.Mount, error) {
	var out []container.Mount
	for _, mount := range own.VolumeMounts {
		source := ""
		for _, volume := range pod.Spec.Volumes {
			if volume.Name != mount.Name {
				continue
			}
			source = VolumeFolder(folder, volume.Name)
			if volume.HostPath != nil {
				source = volume.HostPath.Path
			}
		}
		if source == "" {
			return nil, fmt.Errorf("the pod has no volume %q", mount.Name)
		}
		part := mount.SubPath
		if mount.SubPathExpr != "" {
			part = Expand(mount.SubPathExpr, Lookup(variables))
		}
		if part != "" && !filepath.IsLocal(part) {
			return nil, fmt.Errorf("volume %s: %q is no path within it", mount.Name, part)
		}
		out = append(out, container.Mount{
			Source: filepath.Join(source, part), Target: mount.MountPath, ReadOnly: mount.ReadOnly,
		})
	}
	return out, nil
}
