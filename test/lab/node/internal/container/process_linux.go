package container

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"
)

// Process is a running container.
type Process struct {
	PID     int
	spec    Spec
	cmd     *exec.Cmd
	started time.Time
	done    chan struct{}
	exit    Exit
}

// Exit is how a container ended.
type Exit struct {
	Code int
	// Message tells more than the code if there is more to tell.
	Message string
}

// Start starts a container and returns once its program runs. What it prints is read by `logs` until all its processes have ended.
func Start(spec Spec, logs func(io.Reader)) (*Process, error) {
	logRead, logWrite, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer logWrite.Close()
	specRead, specWrite, err := os.Pipe()
	if err != nil {
		_ = logRead.Close()
		return nil, err
	}
	defer specRead.Close()
	defer specWrite.Close()
	startedRead, startedWrite, err := os.Pipe()
	if err != nil {
		_ = logRead.Close()
		return nil, err
	}
	defer startedRead.Close()

	cmd := exec.Command("/proc/self/exe", InitCommand)
	cmd.ExtraFiles = []*os.File{specRead, startedWrite}
	cmd.Stdout, cmd.Stderr = logWrite, logWrite
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWIPC | syscall.CLONE_NEWUTS,
		Setsid:     true,
	}
	err = cmd.Start()
	_ = startedWrite.Close()
	if err != nil {
		_ = logRead.Close()
		return nil, err
	}
	go func() {
		logs(logRead)
		_ = logRead.Close()
	}()
	p := &Process{PID: cmd.Process.Pid, spec: spec, cmd: cmd, started: time.Now(), done: make(chan struct{})}
	// A process that ended at once is met below by Wait.
	_ = json.NewEncoder(specWrite).Encode(spec)
	_ = specWrite.Close()
	go p.wait()
	// Ends when the program has been executed: an exec into the container before that would see this host.
	_, _ = startedRead.Read(make([]byte, 1))
	return p, nil
}

func (p *Process) wait() {
	err := p.cmd.Wait()
	p.exit.Code = p.cmd.ProcessState.ExitCode()
	if status, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		p.exit.Code = 128 + int(status.Signal())
	}
	if err != nil {
		p.exit.Message = err.Error()
	}
	close(p.done)
}

// Done is closed when the container has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Exit tells how the container ended; call it after Done is closed.
func (p *Process) Exit() Exit { return p.exit }

// Age is how long ago the container was started.
func (p *Process) Age() time.Duration { return time.Since(p.started) }

// Terminate asks the container to end.
func (p *Process) Terminate() { _ = p.cmd.Process.Signal(syscall.SIGTERM) }

// Kill ends the container and everything in it.
func (p *Process) Kill() { _ = p.cmd.Process.Kill() }

// Command prepares a program in all namespaces, the root, the working directory, the environment and the user of the container.
func (p *Process) Command(ctx context.Context, args []string) *exec.Cmd {
	flags := []string{"--target", strconv.Itoa(p.PID), "--mount", "--uts", "--ipc", "--net", "--pid", "--root", "--wd"}
	if p.spec.UID != 0 || p.spec.GID != 0 {
		flags = append(flags, "--setuid", fmt.Sprint(p.spec.UID), "--setgid", fmt.Sprint(p.spec.GID))
	}
	cmd := exec.CommandContext(ctx, "nsenter", append(append(flags, "--"), args...)...)
	cmd.Env = p.spec.Env
	return cmd
}
