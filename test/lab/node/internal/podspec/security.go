package podspec

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"

	"gatewright.dev/lab/node/internal/container"
	"gatewright.dev/lab/node/internal/images"
)

// secure says whom a container runs as and what it may do: what its own security context says, else the pod's, else the image.
func secure(spec *container.Spec, pod *corev1.Pod, own *corev1.Container, image images.Resolved) error {
	ofPod, ofContainer := pod.Spec.SecurityContext, own.SecurityContext
	if ofPod == nil {
		ofPod = &corev1.PodSecurityContext{}
	}
	if ofContainer == nil {
		ofContainer = &corev1.SecurityContext{}
	}
	spec.UID, spec.GID = image.User.UID, image.User.GID
	if uid := either(ofContainer.RunAsUser, ofPod.RunAsUser); uid != nil {
		etc := filepath.Join("/", image.Root, "etc")
		// A number that the image does not know has group 0, as with container runtimes.
		user, err := images.ParseUser(strconv.FormatInt(*uid, 10), filepath.Join(etc, "passwd"), filepath.Join(etc, "group"))
		if err != nil {
			return err
		}
		spec.UID, spec.GID = user.UID, user.GID
	}
	if gid := either(ofContainer.RunAsGroup, ofPod.RunAsGroup); gid != nil {
		spec.GID = int(*gid)
	}
	if nonRoot := either(ofContainer.RunAsNonRoot, ofPod.RunAsNonRoot); nonRoot != nil && *nonRoot && spec.UID == 0 {
		return fmt.Errorf("the container has runAsNonRoot and its image runs as root")
	}
	for _, group := range ofPod.SupplementalGroups {
		spec.Groups = append(spec.Groups, int(group))
	}
	if ofPod.FSGroup != nil && !slices.Contains(spec.Groups, int(*ofPod.FSGroup)) {
		spec.Groups = append(spec.Groups, int(*ofPod.FSGroup))
	}
	spec.ReadOnlyRoot = isTrue(ofContainer.ReadOnlyRootFilesystem)
	if isTrue(ofContainer.Privileged) {
		return nil
	}
	escalation := ofContainer.AllowPrivilegeEscalation
	spec.NoNewPrivileges = escalation != nil && !*escalation
	var add, drop []string
	if own := ofContainer.Capabilities; own != nil {
		add, drop = names(own.Add), names(own.Drop)
	}
	spec.DropCapabilities = container.DropCapabilities(add, drop)
	return nil
}

func either[T any](first, second *T) *T {
	if first != nil {
		return first
	}
	return second
}

func names(capabilities []corev1.Capability) []string {
	out := make([]string, len(capabilities))
	for i, capability := range capabilities {
		out[i] = string(capability)
	}
	return out
}
