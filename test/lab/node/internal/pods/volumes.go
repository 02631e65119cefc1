package pods

import (
	"context"
	"errors"
	"io/fs"
	"log"
	"os"
	"strings"
	"sync"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gatewright.dev/lab/node/internal/container"
	"gatewright.dev/lab/node/internal/podspec"
	"gatewright.dev/lab/node/internal/volumes"
)

const (
	// A kubelet takes up to a minute or two.
	refreshEvery = 5 * time.Second
	retryEvery   = 300 * time.Millisecond
	tokenFor     = 24 * time.Hour
)

// fillVolumes returns when all volumes have their content, or false when the pod is to end.
func (w *worker) fillVolumes() bool {
	told := ""
	for {
		err := w.writeVolumes()
		if err == nil {
			return true
		}
		if err.Error() != told {
			told = err.Error()
			log.Printf("%s waits: %v", w, err)
			for _, m := range w.members {
				w.setWaiting(m, "ContainerCreating", err)
			}
		}
		select {
		case <-w.ctx.Done():
			return false
		case <-time.After(retryEvery):
		}
	}
}

// refreshVolumes follows changes of what volumes are made from.
func (w *worker) refreshVolumes() {
	if !changeable(w.pod) {
		return
	}
	for {
		select {
		case <-w.ctx.Done():
			return
		case <-time.After(refreshEvery):
		}
		// What has been deleted stays as it was, as with a kubelet.
		_ = w.writeVolumes()
	}
}

func changeable(pod *corev1.Pod) bool {
	for _, volume := range pod.Spec.Volumes {
		// The token for the API server lives as long as this lab, and its certificate does not change.
		own := strings.HasPrefix(volume.Name, "kube-api-access-")
		if volume.Secret != nil || volume.ConfigMap != nil || volume.DownwardAPI != nil || volume.Projected != nil && !own {
			return true
		}
	}
	return false
}

func (w *worker) writeVolumes() error {
	pod := w.object()
	reader := volumes.Reader{Client: w.options.Client, Pod: pod, Facts: w.facts(), Token: w.token}
	var group *int64
	if pod.Spec.SecurityContext != nil {
		group = pod.Spec.SecurityContext.FSGroup
	}
	for _, volume := range pod.Spec.Volumes {
		files, managed, err := reader.Content(w.ctx, volume)
		if err != nil {
			return err
		}
		folder := podspec.VolumeFolder(w.folder, volume.Name)
		if !managed {
			if err := makeOther(folder, volume, group); err != nil {
				return err
			}
			continue
		}
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
		if err := volumes.Write(folder, files, group); err != nil {
			return err
		}
	}
	return nil
}

// makeOther makes the folder of a volume whose content is the containers' own.
func makeOther(folder string, volume corev1.Volume, group *int64) error {
	if path := volume.HostPath; path != nil {
		if path.Type != nil && *path.Type == corev1.HostPathDirectoryOrCreate {
			return os.MkdirAll(path.Path, 0o755)
		}
		return nil
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	mode := fs.FileMode(0o777)
	if group != nil {
		if err := os.Chown(folder, -1, int(*group)); err != nil {
			return err
		}
		mode |= fs.ModeSetgid
	}
	return os.Chmod(folder, mode)
}

// makeSubPaths makes folders within volumes that nobody has made yet.
func makeSubPaths(mounts []container.Mount) error {
	for _, mount := range mounts {
		_, err := os.Stat(mount.Source)
		if errors.Is(err, fs.ErrNotExist) {
			err = os.MkdirAll(mount.Source, 0o777)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// tokens are those of the pod's service account, by audience.
type tokens struct {
	mu  sync.Mutex
	had map[string]token
}

type token struct {
	text   []byte
	issued time.Time
}

func (w *worker) token(ctx context.Context, request *corev1.ServiceAccountTokenProjection) ([]byte, error) {
	w.tokens.mu.Lock()
	defer w.tokens.mu.Unlock()
	if known, ok := w.tokens.had[request.Audience]; ok && time.Since(known.issued) < tokenFor/2 {
		return known.text, nil
	}
	pod := w.object()
	seconds := int64(tokenFor / time.Second)
	ask := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{
		ExpirationSeconds: &seconds,
		BoundObjectRef:    &authenticationv1.BoundObjectReference{APIVersion: "v1", Kind: "Pod", Name: pod.Name, UID: pod.UID},
	}}
	if request.Audience != "" {
		ask.Spec.Audiences = []string{request.Audience}
	}
	answer, err := w.options.Client.CoreV1().ServiceAccounts(pod.Namespace).
		CreateToken(ctx, pod.Spec.ServiceAccountName, ask, metav1.CreateOptions{})
	if err != nil {
		return nil, err
	}
	if w.tokens.had == nil {
		w.tokens.had = map[string]token{}
	}
	w.tokens.had[request.Audience] = token{[]byte(answer.Status.Token), time.Now()}
	return []byte(answer.Status.Token), nil
}

// ConfigMap returns one of the pod's namespace, where variables come from.
func (w *worker) ConfigMap(name string) (*corev1.ConfigMap, error) {
	return w.options.Client.CoreV1().ConfigMaps(w.pod.Namespace).Get(w.ctx, name, metav1.GetOptions{})
}

// Secret returns one of the pod's namespace.
func (w *worker) Secret(name string) (*corev1.Secret, error) {
	return w.options.Client.CoreV1().Secrets(w.pod.Namespace).Get(w.ctx, name, metav1.GetOptions{})
}
