package podspec

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// Facts are what a pod can ask about itself and does not stand in its specification.
type Facts struct {
	PodIP, HostIP, NodeName string
	// CPUs and Memory are what a container may use that has no limit.
	CPUs, Memory resource.Quantity
}

// Field returns the value of a path of the downward API.
// https://kubernetes.io/docs/concepts/workloads/pods/downward-api/#available-fields
func Field(pod *corev1.Pod, facts Facts, path string) (string, error) {
	switch path {
	case "metadata.name":
		return pod.Name, nil
	case "metadata.namespace":
		return pod.Namespace, nil
	case "metadata.uid":
		return string(pod.UID), nil
	case "metadata.labels":
		return formatMap(pod.Labels), nil
	case "metadata.annotations":
		return formatMap(pod.Annotations), nil
	case "spec.nodeName":
		return facts.NodeName, nil
	case "spec.serviceAccountName":
		return pod.Spec.ServiceAccountName, nil
	case "status.podIP", "status.podIPs":
		return facts.PodIP, nil
	case "status.hostIP", "status.hostIPs":
		return facts.HostIP, nil
	}
	for prefix, values := range map[string]map[string]string{
		"metadata.labels['": pod.Labels, "metadata.annotations['": pod.Annotations,
	} {
		if rest, ok := strings.CutPrefix(path, prefix); ok {
			return values[strings.TrimSuffix(rest, "']")], nil
		}
	}
	return "", fmt.Errorf("a pod has no field %q", path)
}

func formatMap(values map[string]string) string {
	var out strings.Builder
	for _, key := range slices.Sorted(maps.Keys(values)) {
		fmt.Fprintf(&out, "%s=%q\n", key, values[key])
	}
	return strings.TrimSuffix(out.String(), "\n")
}

// Resource returns a limit or request of a container as a number of divisors, rounded up.
// A container without a limit may use all that the node has.
func Resource(pod *corev1.Pod, own *corev1.Container, facts Facts, selector *corev1.ResourceFieldSelector) (string, error) {
	of := own
	if selector.ContainerName != "" {
		if of = find(pod, selector.ContainerName); of == nil {
			return "", fmt.Errorf("the pod has no container %q", selector.ContainerName)
		}
	}
	if of == nil {
		return "", fmt.Errorf("a resource field of a volume needs the name of a container")
	}
	kind, name, _ := strings.Cut(selector.Resource, ".")
	list := of.Resources.Limits
	if kind == "requests" {
		list = of.Resources.Requests
	}
	quantity, ok := list[corev1.ResourceName(name)]
	switch {
	case ok, kind == "requests":
	case name == "cpu":
		quantity = facts.CPUs
	case name == "memory":
		quantity = facts.Memory
	}
	divisor := selector.Divisor
	if divisor.IsZero() {
		divisor = resource.MustParse("1")
	}
	if name == "cpu" {
		return roundUp(quantity.MilliValue(), divisor.MilliValue()), nil
	}
	return roundUp(quantity.Value(), divisor.Value()), nil
}

func roundUp(value, divisor int64) string { return strconv.FormatInt((value+divisor-1)/divisor, 10) }

func find(pod *corev1.Pod, name string) *corev1.Container {
	for _, containers := range [][]corev1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for i := range containers {
			if containers[i].Name == name {
				return &containers[i]
			}
		}
	}
	return nil
}
