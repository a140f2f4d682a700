//go:build !linux

// process_other.go lets the package compile where nodes are not run: Require
// and Run refuse such a machine before anything here is called.

package kafka

import (
	"context"
	"errors"
	"os/exec"
)

var errNotLinux = errors.New("nodes are run on Linux only")

type process struct {
	cmd  *exec.Cmd
	done chan struct{}
	err  error
}

func startProcess(*exec.Cmd) (*process, error)     { return nil, errNotLinux }
func runOwned(*exec.Cmd) error                     { return errNotLinux }
func (p *process) exited() bool                    { return true }
func (p *process) kill()                           {}
func (p *process) terminate(context.Context) error { return errNotLinux }
func (p *process) pause(context.Context) error     { return errNotLinux }
func (p *process) resume() error                   { return errNotLinux }
func processAlive(int) bool                        { return true }
func lockFile(string) (func(), error)              { return nil, errNotLinux }
