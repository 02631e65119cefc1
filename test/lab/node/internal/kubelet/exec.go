package kubelet

import (
	"context"
	"errors"
	"io"
	"os/exec"
	"syscall"
	"time"

	"k8s.io/cri-streaming/pkg/streaming/remotecommand"
	utilexec "k8s.io/utils/exec"

	"gatewright.dev/lab/node/internal/container"
)

// executor runs programs in a container. There are no terminals: the streams are pipes.
type executor struct{ process *container.Process }

// ExecInContainer implements remotecommand.Executor. The context of such a request does not end with its client: a program runs
// until it ends by itself or with its container.
func (e executor) ExecInContainer(ctx context.Context, _, _, _ string, args []string, in io.Reader, out, errOut io.WriteCloser, _ bool, _ <-chan remotecommand.TerminalSize, _ time.Duration) error {
	return run(e.process.Command(ctx, args), in, out, errOut)
}

func run(cmd *exec.Cmd, in io.Reader, out, errOut io.Writer) error {
	if in != nil {
		// Not as cmd.Stdin: Wait would then wait for the client to close it.
		pipe, err := cmd.StdinPipe()
		if err != nil {
			return err
		}
		go func() {
			_, _ = io.Copy(pipe, in)
			_ = pipe.Close()
		}()
	}
	cmd.Stdout, cmd.Stderr = out, errOut
	err := cmd.Run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return err
	}
	code := exit.ExitCode()
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		code = 128 + int(status.Signal())
	}
	return utilexec.CodeExitError{Err: err, Code: code}
}
