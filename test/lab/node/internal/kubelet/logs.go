// Package kubelet is the part of a kubelet's API that kubectl logs, kubectl exec and the conformance suite use.
package kubelet

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"
	"time"

	"gatewright.dev/lab/node/internal/container"
)

// How often a log that is followed is looked at.
const followEvery = 200 * time.Millisecond

// LogOptions are what a reader of a container's log wants of it.
type LogOptions struct {
	// Since is the time of the first line, as the file has it; empty: all.
	Since string
	// Tail is the number of lines from the end; negative: all.
	Tail       int
	Timestamps bool
	Follow     bool
}

// ParseLogOptions reads them as the API server passes them on.
func ParseLogOptions(query url.Values, now time.Time) (LogOptions, error) {
	options := LogOptions{Tail: -1, Timestamps: query.Get("timestamps") == "true", Follow: query.Get("follow") == "true"}
	if text := query.Get("sinceTime"); text != "" {
		since, err := time.Parse(time.RFC3339, text)
		if err != nil {
			return options, fmt.Errorf("sinceTime: %w", err)
		}
		options.Since = since.UTC().Format(container.LogTime)
	}
	if text := query.Get("sinceSeconds"); text != "" {
		seconds, err := strconv.Atoi(text)
		if err != nil {
			return options, fmt.Errorf("sinceSeconds: %w", err)
		}
		options.Since = now.Add(-time.Duration(seconds) * time.Second).UTC().Format(container.LogTime)
	}
	if text := query.Get("tailLines"); text != "" {
		lines, err := strconv.Atoi(text)
		if err != nil {
			return options, fmt.Errorf("tailLines: %w", err)
		}
		options.Tail = lines
	}
	return options, nil
}

// show returns what a reader sees of a line of the file, and whether it is to see it.
func (o LogOptions) show(line string) (string, bool) {
	at, text, _ := strings.Cut(line, " ")
	if at < o.Since {
		return "", false
	}
	if o.Timestamps {
		return line, true
	}
	return text, true
}

// CopyLog writes what is wanted of a log to a reader, until all has been written; one that is followed, until the context ends.
func CopyLog(ctx context.Context, file io.Reader, options LogOptions, out io.Writer, flush func()) error {
	lines := bufio.NewReader(file)
	var kept []string
	rest := ""
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			rest = line
			break
		}
		if text, wanted := options.show(line); wanted {
			kept = append(kept, text)
		}
	}
	if options.Tail >= 0 && len(kept) > options.Tail {
		kept = kept[len(kept)-options.Tail:]
	}
	for _, text := range kept {
		if _, err := io.WriteString(out, text); err != nil {
			return err
		}
	}
	if !options.Follow {
		return nil
	}
	for {
		flush()
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(followEvery):
		}
		for {
			line, err := lines.ReadString('\n')
			rest += line
			if err != nil {
				break
			}
			if text, wanted := options.show(rest); wanted {
				if _, err := io.WriteString(out, text); err != nil {
					return err
				}
			}
			rest = ""
		}
	}
}
