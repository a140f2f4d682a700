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

func startProfiles(cfg *Config) (*profiles, error) {
	p := &profiles{mem: cfg.MemProfile}
	if p.mem != "" {
		runtime.MemProfileRate = 4096
	}
	if cfg.CPUProfile == "" {
		return p, nil
	}
	f, err := os.Create(cfg.CPUProfile)
	if err != nil {
		return nil, fmt.Errorf("cpu profile: %w", err)
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return nil, fmt.Errorf("cpu profile: %w", err)
	}
	p.cpu = f
	return p, nil
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
