package volumes

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"gatewright.dev/lab/node/internal/podspec"
)

func reader() Reader {
	meta := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Namespace: "shop", Name: name} }
	return Reader{
		Client: fake.NewClientset(
			&corev1.Secret{ObjectMeta: meta("tls"), Data: map[string][]byte{"tls.crt": []byte("C"), "tls.key": []byte("K")}},
			&corev1.ConfigMap{ObjectMeta: meta("ca"), Data: map[string]string{"ca.crt": "A"}, BinaryData: map[string][]byte{"raw": {0}}},
			&certificatesv1.ClusterTrustBundle{ObjectMeta: metav1.ObjectMeta{Name: "roots"}, Spec: certificatesv1.ClusterTrustBundleSpec{TrustBundle: "B"}},
		),
		Pod:   &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web-1"}},
		Facts: podspec.Facts{},
		Token: func(_ context.Context, request *corev1.ServiceAccountTokenProjection) ([]byte, error) {
			return []byte("token for " + request.Audience), nil
		},
	}
}

// show makes files comparable: path, mode and content.
func show(files Files) string {
	var lines []string
	for _, path := range slices.Sorted(maps.Keys(files)) {
		lines = append(lines, fmt.Sprintf("%s %o %s", path, files[path].Mode, files[path].Content))
	}
	return strings.Join(lines, "; ")
}

func TestContent(t *testing.T) {
	yes, mode, own := true, int32(0o400), int32(0o600)
	missing := corev1.LocalObjectReference{Name: "none"}
	roots := "roots"
	cases := map[string]struct {
		source corev1.VolumeSource
		want   string
	}{
		"a Secret": {
			corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "tls"}},
			"tls.crt 644 C; tls.key 644 K",
		},
		"some keys": {
			corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "tls", DefaultMode: &mode,
				Items: []corev1.KeyToPath{{Key: "tls.crt", Path: "crt"}, {Key: "tls.key", Path: "deep/key", Mode: &own}}}},
			"crt 400 C; deep/key 600 K",
		},
		"a ConfigMap": {
			corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: "ca"}}},
			"ca.crt 644 A; raw 644 \x00",
		},
		"one that may be missing": {
			corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: missing, Optional: &yes}},
			"",
		},
		"the downward API": {
			corev1.VolumeSource{DownwardAPI: &corev1.DownwardAPIVolumeSource{Items: []corev1.DownwardAPIVolumeFile{
				{Path: "name", FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.name"}}}}},
			"name 644 web-1",
		},
		"all projected": {
			corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{DefaultMode: &mode, Sources: []corev1.VolumeProjection{
				{ServiceAccountToken: &corev1.ServiceAccountTokenProjection{Path: "token", Audience: "me"}},
				{ConfigMap: &corev1.ConfigMapProjection{LocalObjectReference: corev1.LocalObjectReference{Name: "ca"}, Items: []corev1.KeyToPath{{Key: "ca.crt", Path: "ca.crt"}}}},
				{Secret: &corev1.SecretProjection{LocalObjectReference: missing, Optional: &yes}},
				{ClusterTrustBundle: &corev1.ClusterTrustBundleProjection{Name: &roots, Path: "roots.pem"}},
				{DownwardAPI: &corev1.DownwardAPIProjection{Items: []corev1.DownwardAPIVolumeFile{{Path: "ns", FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.namespace"}}}}},
			}}},
			"ca.crt 400 A; ns 400 shop; roots.pem 400 B; token 400 token for me",
		},
	}
	for name, c := range cases {
		files, managed, err := reader().Content(t.Context(), corev1.Volume{Name: "v", VolumeSource: c.source})
		if got := show(files); err != nil || !managed || got != c.want {
			t.Errorf("%s: got %q, %v, %v; want %q", name, got, managed, err, c.want)
		}
	}
}

func TestContentIsNotOurs(t *testing.T) {
	for name, source := range map[string]corev1.VolumeSource{
		"emptyDir": {EmptyDir: &corev1.EmptyDirVolumeSource{}}, "hostPath": {HostPath: &corev1.HostPathVolumeSource{Path: os.TempDir()}},
	} {
		if files, managed, err := reader().Content(t.Context(), corev1.Volume{VolumeSource: source}); managed || err != nil || files != nil {
			t.Errorf("%s: got %v, %v, %v", name, files, managed, err)
		}
	}
}

func TestContentThatIsMissing(t *testing.T) {
	for says, source := range map[string]corev1.VolumeSource{
		`volume v: secrets "none" not found`: {Secret: &corev1.SecretVolumeSource{SecretName: "none"}},
		`volume v: there is no key "none"`: {Secret: &corev1.SecretVolumeSource{SecretName: "tls",
			Items: []corev1.KeyToPath{{Key: "none", Path: "x"}}}},
		"volume v: it is of a kind that this node does not know": {NFS: &corev1.NFSVolumeSource{}},
	} {
		if _, _, err := reader().Content(t.Context(), corev1.Volume{Name: "v", VolumeSource: source}); fmt.Sprint(err) != says {
			t.Errorf("got %v, want %s", err, says)
		}
	}
}
