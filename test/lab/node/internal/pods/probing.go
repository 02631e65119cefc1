package pods

import (
	"context"
	"log"
	"time"

	corev1 "k8s.io/api/core/v1"

	"gatewright.dev/lab/node/internal/container"
	"gatewright.dev/lab/node/internal/probes"
)

// probe asks a running container how it is: first whether it has started, then whether it is ready and alive.
func (w *worker) probe(ctx context.Context, m *member, process *container.Process) {
	target := w.target(m, process)
	go func() {
		if m.spec.StartupProbe != nil && !w.awaitStart(ctx, m, process, target) {
			return
		}
		if m.spec.LivenessProbe != nil {
			go w.watchLiveness(ctx, m, process, target)
		}
		if m.spec.ReadinessProbe != nil {
			w.watchReadiness(ctx, m, target)
		}
	}()
}

func (w *worker) awaitStart(ctx context.Context, m *member, process *container.Process, target probes.Target) bool {
	tracker := probes.NewTracker(m.spec.StartupProbe, false)
	started := false
	probes.WatchEagerly(ctx, m.spec.StartupProbe, target, func(err error) bool {
		started, _ = tracker.Observe(err == nil)
		if !started && tracker.Failing() && !withinEagerness(process, m) {
			w.restart(m, process, "startup", err)
			return false
		}
		return !started
	})
	if started {
		w.setState(m, process, func() {
			m.state.Started = true
			m.state.Ready = m.spec.ReadinessProbe == nil
		})
	}
	return started
}

// withinEagerness says that probes failed faster than they would have been made by their own period: that is no failure yet.
func withinEagerness(process *container.Process, m *member) bool {
	probe := m.spec.StartupProbe
	patience := time.Duration(max(probe.FailureThreshold, 1)*max(probe.PeriodSeconds, 1)) * time.Second
	return process.Age() < time.Duration(probe.InitialDelaySeconds)*time.Second+patience
}

func (w *worker) watchReadiness(ctx context.Context, m *member, target probes.Target) {
	tracker := probes.NewTracker(m.spec.ReadinessProbe, false)
	probes.WatchEagerly(ctx, m.spec.ReadinessProbe, target, func(err error) bool {
		if ready, changed := tracker.Observe(err == nil); changed {
			w.mu.Lock()
			m.state.Ready = ready && m.state.Running
			w.mu.Unlock()
			w.changed()
		}
		return true
	})
}

func (w *worker) watchLiveness(ctx context.Context, m *member, process *container.Process, target probes.Target) {
	tracker := probes.NewTracker(m.spec.LivenessProbe, true)
	probes.Watch(ctx, m.spec.LivenessProbe, target, func(err error) bool {
		tracker.Observe(err == nil)
		if tracker.Failing() {
			w.restart(m, process, "liveness", err)
			return false
		}
		return true
	})
}

// restart ends a container, which makes its supervisor run it again.
func (w *worker) restart(m *member, process *container.Process, probe string, err error) {
	log.Printf("%s/%s: %s probe: %v", w, m.spec.Name, probe, err)
	if w.process(m) == process {
		w.terminate(m, time.Now().Add(w.probeGrace(m.spec, probe)))
	}
}

func (w *worker) probeGrace(spec *corev1.Container, name string) time.Duration {
	probe := spec.LivenessProbe
	if name == "startup" {
		probe = spec.StartupProbe
	}
	if probe.TerminationGracePeriodSeconds != nil {
		return time.Duration(*probe.TerminationGracePeriodSeconds) * time.Second
	}
	return w.grace()
}

// setState changes what is known of a container, if it is still the same run.
func (w *worker) setState(m *member, process *container.Process, change func()) {
	w.mu.Lock()
	if m.running == process {
		change()
	}
	w.mu.Unlock()
	w.changed()
}
