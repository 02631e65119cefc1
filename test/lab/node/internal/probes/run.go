package probes

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// A kubelet asks once a second at best. Here a container that has just started is asked more often whether it is ready, which saves
// every test seconds.
const (
	eagerFor   = 10 * time.Second
	eagerEvery = 200 * time.Millisecond
)

// Watch asks as often as a probe says, and tells each result, until the context ends or `tell` returns false.
func Watch(ctx context.Context, probe *corev1.Probe, target Target, tell func(err error) bool) {
	watch(ctx, probe, target, tell, func(bool, time.Duration) time.Duration { return period(probe) })
}

// WatchEagerly asks more often until the first success. Failures then come faster than the probe says, so it is for those that cost
// nothing: not for whether a container is alive.
func WatchEagerly(ctx context.Context, probe *corev1.Probe, target Target, tell func(err error) bool) {
	watch(ctx, probe, target, tell, func(succeeded bool, age time.Duration) time.Duration {
		if !succeeded && age < eagerFor {
			return eagerEvery
		}
		return period(probe)
	})
}

func watch(ctx context.Context, probe *corev1.Probe, target Target, tell func(err error) bool, pause func(succeeded bool, age time.Duration) time.Duration) {
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
		delay = pause(succeeded, time.Since(started))
	}
}

func period(probe *corev1.Probe) time.Duration { return seconds(max(probe.PeriodSeconds, 1)) }
