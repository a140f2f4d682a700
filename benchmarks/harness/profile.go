package harness

import (
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
)

// profile.go owns the profiles a run may write. They cost time: a run with one is not a measurement.

type profiles struct {
	cpu *os.File // nil: none
	mem string   // file; empty: none
}

// newProfiles is called before the client is opened: its allocations are to be sampled alike.
func newProfiles(cfg *Config) *profiles {
	if cfg.MemProfile != "" {
		runtime.MemProfileRate = 4096
	}
	return &profiles{mem: cfg.MemProfile}
}

// start begins the CPU profile if file is not empty.
func (p *profiles) start(file string) error {
	if file == "" {
		return nil
	}
	f, err := os.Create(file)
	if err != nil {
		return fmt.Errorf("cpu profile: %w", err)
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return fmt.Errorf("cpu profile: %w", err)
	}
	p.cpu = f
	return nil
}

func (p *profiles) stop() error {
	if p.cpu != nil {
		pprof.StopCPUProfile()
		if err := p.cpu.Close(); err != nil {
			return fmt.Errorf("cpu profile: %w", err)
		}
	}
	if p.mem == "" {
		return nil
	}
	f, err := os.Create(p.mem)
	if err != nil {
		return fmt.Errorf("memory profile: %w", err)
	}
	if err := pprof.Lookup("allocs").WriteTo(f, 0); err != nil {
		return fmt.Errorf("memory profile: %w", err)
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("memory profile: %w", err)
	}
	return nil
}
