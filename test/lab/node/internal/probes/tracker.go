// Package probes asks containers whether they are well.
package probes

import corev1 "k8s.io/api/core/v1"

// Tracker turns the results of single probes into a state, by thresholds.
type Tracker struct {
	successThreshold, failureThreshold int32
	successes, failures                int32
	ok                                 bool
}

// NewTracker returns a tracker which thinks `ok` until enough probes in a row say otherwise.
func NewTracker(probe *corev1.Probe, ok bool) *Tracker {
	return &Tracker{successThreshold: max(probe.SuccessThreshold, 1), failureThreshold: max(probe.FailureThreshold, 1), ok: ok}
}

// Observe takes a result and says how the container is now, and whether that has changed.
func (t *Tracker) Observe(success bool) (ok, changed bool) {
	if success {
		t.successes, t.failures = t.successes+1, 0
	} else {
		t.successes, t.failures = 0, t.failures+1
	}
	was := t.ok
	switch {
	case t.successes >= t.successThreshold:
		t.ok = true
	case t.failures >= t.failureThreshold:
		t.ok = false
	}
	return t.ok, t.ok != was
}

// Failing says that enough probes in a row have failed, whatever was before.
func (t *Tracker) Failing() bool { return t.failures >= t.failureThreshold }
