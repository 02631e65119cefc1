package container

import (
	"bufio"
	"fmt"
	"io"
	"log"
	"os"
	"strings"
	"time"
)

// LogTime is the form of the times in front of each line of a container's log file. They sort as text.
const LogTime = "2006-01-02T15:04:05.000000000Z"

// KeepLogs returns a reader of what a container prints, which appends each line with its time to a file.
func KeepLogs(file string) func(io.Reader) {
	return func(output io.Reader) {
		kept, err := os.OpenFile(file, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
		if err != nil {
			log.Print(err)
			// The container must not block on its output.
			_, _ = io.Copy(io.Discard, output)
			return
		}
		defer kept.Close()
		lines := bufio.NewReaderSize(output, 64<<10)
		for {
			line, err := lines.ReadString('\n')
			if line != "" {
				fmt.Fprintf(kept, "%s %s\n", time.Now().UTC().Format(LogTime), strings.TrimSuffix(line, "\n"))
			}
			if err != nil {
				return
			}
		}
	}
}
