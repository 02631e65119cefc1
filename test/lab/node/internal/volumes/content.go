package volumes

import (
	"context"
	"fmt"
	"os"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"gatewright.dev/lab/node/internal/podspec"
)

const defaultMode = 0o644

// Reader reads what the volumes of a pod hold from the API server.
type Reader struct {
	Client kubernetes.Interface
	Pod    *corev1.Pod
	Facts  podspec.Facts
	// Token returns a token of the pod's service account.
	Token func(ctx context.Context, request *corev1.ServiceAccountTokenProjection) ([]byte, error)
}

// Content returns the files of a volume; `managed` is false for one whose content is not ours (emptyDir, hostPath).
func (r Reader) Content(ctx context.Context, volume corev1.Volume) (files Files, managed bool, err error) {
	files = Files{}
	switch source := volume.VolumeSource; {
	case source.Secret != nil:
		into := target{files, mode(source.Secret.DefaultMode, defaultMode)}
		err = r.secret(ctx, source.Secret.SecretName, source.Secret.Items, source.Secret.Optional, into)
	case source.ConfigMap != nil:
		into := target{files, mode(source.ConfigMap.DefaultMode, defaultMode)}
		err = r.configMap(ctx, source.ConfigMap.Name, source.ConfigMap.Items, source.ConfigMap.Optional, into)
	case source.DownwardAPI != nil:
		err = r.downward(source.DownwardAPI.Items, target{files, mode(source.DownwardAPI.DefaultMode, defaultMode)})
	case source.Projected != nil:
		into := target{files, mode(source.Projected.DefaultMode, defaultMode)}
		for _, one := range source.Projected.Sources {
			if err = r.projection(ctx, one, into); err != nil {
				break
			}
		}
	case source.EmptyDir != nil, source.HostPath != nil:
		return nil, false, nil
	default:
		err = fmt.Errorf("it is of a kind that this node does not know")
	}
	if err != nil {
		return nil, true, fmt.Errorf("volume %s: %w", volume.Name, err)
	}
	return files, true, nil
}

// target is where a source puts its files, and the mode of those that have none of their own.
type target struct {
	files Files
	mode  os.FileMode
}

func mode(value *int32, otherwise os.FileMode) os.FileMode {
	if value == nil {
		return otherwise
	}
	return os.FileMode(*value)
}

func (r Reader) projection(ctx context.Context, source corev1.VolumeProjection, into target) error {
	switch {
	case source.Secret != nil:
		return r.secret(ctx, source.Secret.Name, source.Secret.Items, source.Secret.Optional, into)
	case source.ConfigMap != nil:
		return r.configMap(ctx, source.ConfigMap.Name, source.ConfigMap.Items, source.ConfigMap.Optional, into)
	case source.DownwardAPI != nil:
		return r.downward(source.DownwardAPI.Items, into)
	case source.ServiceAccountToken != nil:
		token, err := r.Token(ctx, source.ServiceAccountToken)
		if err != nil {
			return err
		}
		into.files[source.ServiceAccountToken.Path] = File{token, into.mode}
		return nil
	case source.ClusterTrustBundle != nil && source.ClusterTrustBundle.Name != nil:
		return r.trustBundle(ctx, source.ClusterTrustBundle, into)
	}
	return fmt.Errorf("a source is of a kind that this node does not know")
}

func (r Reader) secret(ctx context.Context, name string, items []corev1.KeyToPath, optional *bool, into target) error {
	object, err := r.Client.CoreV1().Secrets(r.Pod.Namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return ignoreMissing(err, optional)
	}
	return pick(object.Data, items, optional, into)
}

func (r Reader) configMap(ctx context.Context, name string, items []corev1.KeyToPath, optional *bool, into target) error {
	object, err := r.Client.CoreV1().ConfigMaps(r.Pod.Namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return ignoreMissing(err, optional)
	}
	all := map[string][]byte{}
	for key, value := range object.Data {
		all[key] = []byte(value)
	}
	for key, value := range object.BinaryData {
		all[key] = value
	}
	return pick(all, items, optional, into)
}

func (r Reader) downward(items []corev1.DownwardAPIVolumeFile, into target) error {
	for _, item := range items {
		var value string
		var err error
		if item.FieldRef != nil {
			value, err = podspec.Field(r.Pod, r.Facts, item.FieldRef.FieldPath)
		} else if item.ResourceFieldRef != nil {
			value, err = podspec.Resource(r.Pod, nil, r.Facts, item.ResourceFieldRef)
		}
		if err != nil {
			return err
		}
		into.files[item.Path] = File{[]byte(value), mode(item.Mode, into.mode)}
	}
	return nil
}

func (r Reader) trustBundle(ctx context.Context, source *corev1.ClusterTrustBundleProjection, into target) error {
	bundle, err := r.Client.CertificatesV1().ClusterTrustBundles().Get(ctx, *source.Name, metav1.GetOptions{})
	if err != nil {
		return ignoreMissing(err, source.Optional)
	}
	into.files[source.Path] = File{[]byte(bundle.Spec.TrustBundle), into.mode}
	return nil
}

func ignoreMissing(err error, optional *bool) error {
	if optional != nil && *optional && apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

func pick(all map[string][]byte, items []corev1.KeyToPath, optional *bool, into target) error {
	if len(items) == 0 {
		for key, value := range all {
			into.files[key] = File{value, into.mode}
		}
		return nil
	}
	for _, item := range items {
		value, ok := all[item.Key]
		if !ok {
			if optional != nil && *optional {
				continue
			}
			return fmt.Errorf("there is no key %q", item.Key)
		}
		into.files[item.Path] = File{value, mode(item.Mode, into.mode)}
	}
	return nil
}
