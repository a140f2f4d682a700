//go:build linux || darwin

package harness

import (
	"syscall"
	"time"
)

// usage_unix.go owns how these systems tell what a process used.

func readUsage() usage {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return usage{}
	}
	return usage{
		user:     time.Duration(r.Utime.Nano()),
		sys:      time.Duration(r.Stime.Nano()),
		switches: int64(r.Nvcsw) + int64(r.Nivcsw),
	}
}
