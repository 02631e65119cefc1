package probes

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// A kubelet asks once a second at best. Here a container that has just started is asked more often, which saves every test seconds.
const (
	eagerFor   = 10 * time.Second
	eagerEvery = 200 * time.Millisecond
)

// Watch asks as often as a probe says, and tells each result, until the context ends or `tell` returns false.
func Watch(ctx context.Context, probe *corev1.Probe, target Target, tell func(err error) bool) {
	started := time.Now()
	delay := seconds(probe.InitialDelaySeconds)
	succeeded := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(delay):
		}
		err := target.Probe(ctx, probe)
		if ctx.Err() != nil || !tell(err) {
			return
		}
		succeeded = succeeded || err == nil
		delay = seconds(max(probe.PeriodSeconds, 1))
		if !succeeded && time.Since(started) < eagerFor {
			delay = eagerEvery
		}
	}
}
