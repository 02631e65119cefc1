package podspec

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"gatewright.dev/lab/node/internal/container"
	"gatewright.dev/lab/node/internal/images"
)

var facts = Facts{
	PodIP: "10.0.0.7", HostIP: "10.0.0.1", NodeName: "node", CPUs: resource.MustParse("2"), Memory: resource.MustParse("8Gi"),
}

type sources struct {
	configMaps map[string]map[string]string
	secrets    map[string]map[string][]byte
}

func (s sources) ConfigMap(name string) (*corev1.ConfigMap, error) {
	if data, ok := s.configMaps[name]; ok {
		return &corev1.ConfigMap{Data: data}, nil
	}
	return nil, apierrors.NewNotFound(schema.GroupResource{Resource: "configmaps"}, name)
}

func (s sources) Secret(name string) (*corev1.Secret, error) {
	if data, ok := s.secrets[name]; ok {
		return &corev1.Secret{Data: data}, nil
	}
	return nil, apierrors.NewNotFound(schema.GroupResource{Resource: "secrets"}, name)
}

func TestExpand(t *testing.T) {
	lookup := Lookup([]Variable{{"A", "1"}, {"B", "$(A)"}, {"A", "2"}})
	for text, want := range map[string]string{
		"":           "",
		"plain $A":   "plain $A",
		"x$(A)y":     "x2y",
		"$(A)$(B)":   "2$(A)",
		"$(C)":       "$(C)",
		"$$(A)":      "$(A)",
		"$$$(A)":     "$2",
		"$(A":        "$(A",
		"$(":         "$(",
		"costs 5$":   "costs 5$",
		"$(C)$(A)$$": "$(C)2$",
	} {
		if got := Expand(text, lookup); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func samplePod() *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "shop", Name: "web-1", UID: "uid-1",
			Labels: map[string]string{"b": "2", "a": "1"}, Annotations: map[string]string{"note": `say "hi"`},
		},
		Spec: corev1.PodSpec{
			ServiceAccountName: "seller",
			Containers: []corev1.Container{{
				Name: "web",
				Resources: corev1.ResourceRequirements{
					Limits:   corev1.ResourceList{"cpu": resource.MustParse("1500m")},
					Requests: corev1.ResourceList{"memory": resource.MustParse("100Mi")},
				},
			}, {Name: "other"}},
			Volumes: []corev1.Volume{{Name: "data"}, {Name: "host", VolumeSource: corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/srv"}}}},
		},
	}
}

func TestField(t *testing.T) {
	for path, want := range map[string]string{
		"metadata.name":                "web-1",
		"metadata.namespace":           "shop",
		"metadata.uid":                 "uid-1",
		"metadata.labels":              "a=\"1\"\nb=\"2\"",
		"metadata.annotations":         `note="say \"hi\""`,
		"metadata.labels['a']":         "1",
		"metadata.annotations['note']": `say "hi"`,
		"metadata.labels['none']":      "",
		"spec.nodeName":                "node",
		"spec.serviceAccountName":      "seller",
		"status.podIP":                 "10.0.0.7",
		"status.hostIP":                "10.0.0.1",
	} {
		if got, err := Field(samplePod(), facts, path); err != nil || got != want {
			t.Errorf("%s: got %q, %v; want %q", path, got, err, want)
		}
	}
	if got, err := Field(samplePod(), facts, "spec.hostname"); err == nil {
		t.Errorf("unknown field: got %q", got)
	}
}

func TestResource(t *testing.T) {
	pod := samplePod()
	for _, c := range []struct{ container, resource, divisor, want string }{
		{"", "limits.cpu", "", "2"},
		{"", "limits.cpu", "1m", "1500"},
		{"", "limits.memory", "1Gi", "8"},
		{"", "requests.memory", "1Mi", "100"},
		{"", "requests.cpu", "", "0"},
		{"other", "limits.cpu", "", "2"},
		{"web", "requests.memory", "", "104857600"},
	} {
		selector := &corev1.ResourceFieldSelector{ContainerName: c.container, Resource: c.resource}
		if c.divisor != "" {
			selector.Divisor = resource.MustParse(c.divisor)
		}
		if got, err := Resource(pod, &pod.Spec.Containers[0], facts, selector); err != nil || got != c.want {
			t.Errorf("%+v: got %q, %v", c, got, err)
		}
	}
	if got, err := Resource(pod, nil, facts, &corev1.ResourceFieldSelector{Resource: "limits.cpu"}); err == nil {
		t.Errorf("nobody's resource: got %q", got)
	}
	if got, err := Resource(pod, nil, facts, &corev1.ResourceFieldSelector{ContainerName: "none", Resource: "limits.cpu"}); err == nil {
		t.Errorf("unknown container: got %q", got)
	}
}

func TestEnvironment(t *testing.T) {
	yes := true
	from := sources{
		configMaps: map[string]map[string]string{"settings": {"MODE": "fast", "LEVEL": "3"}},
		secrets:    map[string]map[string][]byte{"keys": {"token": []byte("t0p")}},
	}
	named := func(name string) corev1.LocalObjectReference { return corev1.LocalObjectReference{Name: name} }
	own := &corev1.Container{
		EnvFrom: []corev1.EnvFromSource{
			{ConfigMapRef: &corev1.ConfigMapEnvSource{LocalObjectReference: named("settings")}, Prefix: "CFG_"},
			{SecretRef: &corev1.SecretEnvSource{LocalObjectReference: named("none"), Optional: &yes}},
		},
		Env: []corev1.EnvVar{
			{Name: "PLAIN", Value: "x"},
			{Name: "JOINED", Value: "$(PLAIN)-$(CFG_MODE)-$(LATER)"},
			{Name: "LATER", Value: "y"},
			{Name: "POD", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.name"}}},
			{Name: "TOKEN", ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{LocalObjectReference: named("keys"), Key: "token"}}},
			{Name: "UNSET", ValueFrom: &corev1.EnvVarSource{ConfigMapKeyRef: &corev1.ConfigMapKeySelector{LocalObjectReference: named("settings"), Key: "NONE", Optional: &yes}}},
		},
	}
	got, err := Environment(samplePod(), own, facts, from)
	want := []Variable{{"CFG_LEVEL", "3"}, {"CFG_MODE", "fast"}, {"PLAIN", "x"}, {"JOINED", "x-fast-$(LATER)"}, {"LATER", "y"}, {"POD", "web-1"}, {"TOKEN", "t0p"}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
}

func TestEnvironmentWaitsForWhatIsMissing(t *testing.T) {
	from := sources{secrets: map[string]map[string][]byte{"keys": {}}}
	for name, c := range map[string]struct{ secret, says string }{
		"no Secret": {"none", `variable V: secrets "none" not found`},
		"no key":    {"keys", "variable V: Secret keys has no key token"},
	} {
		reference := &corev1.SecretKeySelector{LocalObjectReference: corev1.LocalObjectReference{Name: c.secret}, Key: "token"}
		own := &corev1.Container{Env: []corev1.EnvVar{{Name: "V", ValueFrom: &corev1.EnvVarSource{SecretKeyRef: reference}}}}
		if _, err := Environment(samplePod(), own, facts, from); fmt.Sprint(err) != c.says {
			t.Errorf("%s: got %v, want %s", name, err, c.says)
		}
	}
}

var image = images.Resolved{
	Root: "/images/web", Entrypoint: []string{"/web"}, Command: []string{"serve"}, Env: map[string]string{"MODE": "image", "LANG": "C"},
	User: images.User{UID: 65532, GID: 65532}, WorkingDir: "/data",
}

func build(t *testing.T, change func(pod *corev1.Pod, own *corev1.Container)) (container.Spec, error) {
	t.Helper()
	pod := samplePod()
	own := &pod.Spec.Containers[0]
	change(pod, own)
	return Container(pod, own, image, []Variable{{"MODE", "pod"}}, facts, Node{ClusterDNS: "10.0.0.1", APIServer: "10.96.0.1"}, "/pods/uid-1")
}

func TestContainer(t *testing.T) {
	spec, err := build(t, func(_ *corev1.Pod, own *corev1.Container) {
		own.VolumeMounts = []corev1.VolumeMount{
			{Name: "data", MountPath: "/data", SubPath: "a", ReadOnly: true}, {Name: "host", MountPath: "/host"},
			{Name: "data", MountPath: "/own", SubPathExpr: "of/$(MODE)"},
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := []container.Mount{
		{Source: "/pods/uid-1/volumes/data/a", Target: "/data", ReadOnly: true}, {Source: "/srv", Target: "/host"},
		{Source: "/pods/uid-1/volumes/data/of/pod", Target: "/own"},
	}; !slices.Equal(spec.Mounts, want) {
		t.Errorf("mounts %v, want %v", spec.Mounts, want)
	}
	for _, variable := range []string{"MODE=pod", "LANG=C", "HOSTNAME=web-1", "KUBERNETES_SERVICE_HOST=10.96.0.1"} {
		if !slices.Contains(spec.Env, variable) {
			t.Errorf("%s is not in %v", variable, spec.Env)
		}
	}
	if spec.WorkingDir != "/data" || spec.UID != 65532 || spec.GID != 65532 || spec.ImageRoot != "/images/web" {
		t.Errorf("got %+v", spec)
	}
	if want := "search shop.svc.cluster.local svc.cluster.local cluster.local\nnameserver 10.0.0.1\noptions ndots:5\n"; spec.Generated["/etc/resolv.conf"] != want {
		t.Errorf("resolv.conf %q", spec.Generated["/etc/resolv.conf"])
	}
	for _, mount := range []corev1.VolumeMount{
		{Name: "none", MountPath: "/none"}, {Name: "data", MountPath: "/data", SubPathExpr: "../$(MODE)"},
	} {
		if _, err := build(t, func(_ *corev1.Pod, own *corev1.Container) { own.VolumeMounts = []corev1.VolumeMount{mount} }); err == nil {
			t.Errorf("%v was mounted", mount)
		}
	}
}

func TestArguments(t *testing.T) {
	for name, c := range map[string]struct{ command, args, want string }{
		"those of the image":    {"", "", "/web serve"},
		"other arguments":       {"", "--mode $(MODE)", "/web --mode pod"},
		"another command":       {"/other", "", "/other"},
		"another of everything": {"/other -x", "$(MODE)", "/other -x pod"},
	} {
		spec, err := build(t, func(_ *corev1.Pod, own *corev1.Container) {
			own.Command, own.Args = strings.Fields(c.command), strings.Fields(c.args)
		})
		if got := strings.Join(spec.Args, " "); err != nil || got != c.want {
			t.Errorf("%s: got %q, %v; want %q", name, got, err, c.want)
		}
	}
}

func TestSecurity(t *testing.T) {
	yes, no, one, two, three, zero := true, false, int64(1), int64(2), int64(3), int64(0)
	spec, err := build(t, func(pod *corev1.Pod, own *corev1.Container) {
		pod.Spec.SecurityContext = &corev1.PodSecurityContext{RunAsUser: &one, RunAsGroup: &two, FSGroup: &three, RunAsNonRoot: &yes}
		own.SecurityContext = &corev1.SecurityContext{
			RunAsUser: &two, ReadOnlyRootFilesystem: &yes, AllowPrivilegeEscalation: &no,
			Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if spec.UID != 2 || spec.GID != 2 || !slices.Equal(spec.Groups, []int{3}) {
		t.Errorf("runs as %d:%d %v", spec.UID, spec.GID, spec.Groups)
	}
	if !spec.ReadOnlyRoot || !spec.NoNewPrivileges || len(spec.DropCapabilities) != 41 {
		t.Errorf("read-only %v, no new privileges %v, drops %v", spec.ReadOnlyRoot, spec.NoNewPrivileges, spec.DropCapabilities)
	}

	spec, err = build(t, func(_ *corev1.Pod, own *corev1.Container) {
		own.SecurityContext = &corev1.SecurityContext{Privileged: &yes, RunAsUser: &zero}
	})
	if err != nil || spec.UID != 0 || spec.GID != 0 || len(spec.DropCapabilities) != 0 {
		t.Errorf("privileged: got %+v, %v", spec, err)
	}

	if _, err = build(t, func(pod *corev1.Pod, own *corev1.Container) {
		pod.Spec.SecurityContext = &corev1.PodSecurityContext{RunAsNonRoot: &yes}
		own.SecurityContext = &corev1.SecurityContext{RunAsUser: &zero}
	}); err == nil {
		t.Error("root was let in where runAsNonRoot stands")
	}
}
