// process_linux.go owns child processes: their birth with a death warrant, and
// the signals that stop and continue them.

package kafka

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// process is one running child. Its fields but done are written before done
// closes and read after it.
type process struct {
	cmd  *exec.Cmd
	done chan struct{} // closed when the child is reaped
	err  error         // how it ended
}

// tie makes the kernel kill the child when the thread that started it ends, and
// gives it a process group of its own so that a terminal's interrupt reaches it
// only through us.
func tie(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// startProcess starts a child that lives at most as long as this process. The
// parent-death signal belongs to a thread, so one goroutine holds its thread
// from the child's start until it is reaped.
func startProcess(cmd *exec.Cmd) (*process, error) {
	tie(cmd)
	p := &process{cmd: cmd, done: make(chan struct{})}
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err != nil {
			return
		}
		p.err = cmd.Wait()
		close(p.done)
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", cmd.Path, err)
	}
	return p, nil
}

// runOwned runs a short child to its end on the caller's thread, with the same
// guarantee.
func runOwned(cmd *exec.Cmd) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	tie(cmd)
	return cmd.Run()
}

// exited tells whether the child is gone.
func (p *process) exited() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// kill ends the child at once and waits until it is reaped. It works on a
// paused one too.
func (p *process) kill() {
	if !p.exited() {
		_ = p.cmd.Process.Kill() // an error means it has just ended
	}
	<-p.done
}

// terminate asks the child to end, and kills it when ctx ends first.
func (p *process) terminate(ctx context.Context) error {
	if p.exited() {
		return nil
	}
	_ = p.cmd.Process.Signal(syscall.SIGCONT)
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.done:
		return nil
	case <-ctx.Done():
		p.kill()
		return fmt.Errorf("pid %d did not end after SIGTERM: %w", p.cmd.Process.Pid, ctx.Err())
	}
}

// pause stops the child with SIGSTOP and returns when the kernel reports it
// stopped.
func (p *process) pause(ctx context.Context) error {
	if err := p.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		return fmt.Errorf("pause pid %d: %w", p.cmd.Process.Pid, err)
	}
	for {
		state, err := processState(p.cmd.Process.Pid)
		if err != nil {
			return fmt.Errorf("pause pid %d: %w", p.cmd.Process.Pid, err)
		}
		if state == 'T' {
			return nil
		}
		if err := pollPause(ctx, time.Millisecond); err != nil {
			return fmt.Errorf("pause pid %d: state %c: %w", p.cmd.Process.Pid, state, err)
		}
	}
}

// resume lets a paused child go on.
func (p *process) resume() error {
	if err := p.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		return fmt.Errorf("resume pid %d: %w", p.cmd.Process.Pid, err)
	}
	return nil
}

// processState reads the state letter of a process: it follows the command
// name, which stands in parentheses and may contain blanks.
func processState(pid int) (byte, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	i := bytes.LastIndexByte(stat, ')')
	if i < 0 || i+2 >= len(stat) {
		return 0, fmt.Errorf("unexpected /proc stat line %q", stat)
	}
	return stat[i+2], nil
}

// processAlive tells whether a process of that id exists.
func processAlive(pid int) bool { return syscall.Kill(pid, 0) != syscall.ESRCH }

// lockFile takes an exclusive lock on path, waiting for it; the returned
// function releases it.
func lockFile(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return func() { _ = f.Close() }, nil
}
