package podspec

import (
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// Sources are the objects of the pod's namespace that variables come from.
type Sources interface {
	ConfigMap(name string) (*corev1.ConfigMap, error)
	Secret(name string) (*corev1.Secret, error)
}

// Environment returns the variables that a container asks for, in order: a later one may use earlier ones.
func Environment(pod *corev1.Pod, container *corev1.Container, facts Facts, sources Sources) ([]Variable, error) {
	env := environment{pod: pod, container: container, facts: facts, sources: sources}
	for _, from := range container.EnvFrom {
		if err := env.addAll(from); err != nil {
			return nil, err
		}
	}
	for _, variable := range container.Env {
		value, set, err := env.value(variable)
		if err != nil {
			return nil, fmt.Errorf("variable %s: %w", variable.Name, err)
		}
		if set {
			env.variables = append(env.variables, Variable{variable.Name, value})
		}
	}
	return env.variables, nil
}

// Variable is one of a container's environment.
type Variable struct{ Name, Value string }

// Lookup finds the value that stands: the last.
func Lookup(variables []Variable) func(name string) (string, bool) {
	return func(name string) (string, bool) {
		for _, variable := range slices.Backward(variables) {
			if variable.Name == name {
				return variable.Value, true
			}
		}
		return "", false
	}
}

type environment struct {
	pod       *corev1.Pod
	container *corev1.Container
	facts     Facts
	sources   Sources
	variables []Variable
}

func (e *environment) addAll(from corev1.EnvFromSource) error {
	values := map[string]string{}
	if reference := from.ConfigMapRef; reference != nil {
		object, err := e.sources.ConfigMap(reference.Name)
		if err != nil {
			return ignoreMissing(err, reference.Optional)
		}
		maps.Copy(values, object.Data)
	}
	if reference := from.SecretRef; reference != nil {
		object, err := e.sources.Secret(reference.Name)
		if err != nil {
			return ignoreMissing(err, reference.Optional)
		}
		for key, value := range object.Data {
			values[key] = string(value)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		e.variables = append(e.variables, Variable{from.Prefix + key, values[key]})
	}
	return nil
}

func (e *environment) value(variable corev1.EnvVar) (value string, set bool, err error) {
	from := variable.ValueFrom
	switch {
	case from == nil:
		return Expand(variable.Value, Lookup(e.variables)), true, nil
	case from.FieldRef != nil:
		value, err = Field(e.pod, e.facts, from.FieldRef.FieldPath)
		return value, true, err
	case from.ResourceFieldRef != nil:
		value, err = Resource(e.pod, e.container, e.facts, from.ResourceFieldRef)
		return value, true, err
	case from.ConfigMapKeyRef != nil:
		reference := from.ConfigMapKeyRef
		object, err := e.sources.ConfigMap(reference.Name)
		if err != nil {
			return "", false, ignoreMissing(err, reference.Optional)
		}
		value, has := object.Data[reference.Key]
		return value, has, missingKey(has, "ConfigMap", reference.Name, reference.Key, reference.Optional)
	case from.SecretKeyRef != nil:
		reference := from.SecretKeyRef
		object, err := e.sources.Secret(reference.Name)
		if err != nil {
			return "", false, ignoreMissing(err, reference.Optional)
		}
		value, has := object.Data[reference.Key]
		return string(value), has, missingKey(has, "Secret", reference.Name, reference.Key, reference.Optional)
	}
	return "", false, fmt.Errorf("its source is of a kind that this node does not know")
}

func ignoreMissing(err error, optional *bool) error {
	if isTrue(optional) && apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

func missingKey(has bool, kind, name, key string, optional *bool) error {
	if has || isTrue(optional) {
		return nil
	}
	return fmt.Errorf("%s %s has no key %s", kind, name, key)
}

func isTrue(value *bool) bool { return value != nil && *value }
