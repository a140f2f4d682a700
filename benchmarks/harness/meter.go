package harness

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// meter.go owns what is measured of the process, and the JSON it becomes.

// Result is one measured run. A figure "a record" is a mean over the measured records.
type Result struct {
	Client    string  `json:"client"`
	Config    *Config `json:"config"`
	Seconds   float64 `json:"seconds"`
	RecPerSec float64 `json:"rec_per_s"`
	MBPerSec  float64 `json:"mb_per_s"`    // keys and values
	CPU       float64 `json:"cpu_ns"`      // a record, User and Sys
	User      float64 `json:"user_ns"`     // a record
	Sys       float64 `json:"sys_ns"`      // a record
	RSS       float64 `json:"rss_mb"`      // the most memory that was resident; 0: not known
	Allocs    float64 `json:"allocs"`      // a record
	Bytes     float64 `json:"alloc_bytes"` // a record
	GCs       uint32  `json:"gcs"`
	Switches  float64 `json:"ctxsw_per_k"` // context switches per 1,000 records
	P50       float64 `json:"p50_us"`      // latency of Sync; 0: asynchronous
	P99       float64 `json:"p99_us"`
	P999      float64 `json:"p999_us"`
}

// usage is what the system has counted for this process.
type usage struct {
	user, sys time.Duration
	switches  int64
}

// Meter measures the process from StartMeter to Result.
type Meter struct {
	start time.Time
	usage usage
	mem   runtime.MemStats
}

// StartMeter begins a measurement.
func StartMeter() *Meter {
	m := &Meter{}
	resetPeak()
	runtime.ReadMemStats(&m.mem)
	m.usage = readUsage()
	m.start = time.Now()
	return m
}

// Result ends the measurement, of cfg.Records records.
func (m *Meter) Result(client string, cfg *Config) Result {
	seconds := time.Since(m.start).Seconds()
	used := readUsage()
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	n := float64(cfg.Records)
	user, sys := float64(used.user-m.usage.user)/n, float64(used.sys-m.usage.sys)/n
	return Result{
		Client: client, Config: cfg, Seconds: seconds,
		RecPerSec: n / seconds, MBPerSec: n * float64(cfg.Size+cfg.KeySize) / seconds / 1e6,
		CPU: user + sys, User: user, Sys: sys, RSS: peak(),
		Allocs: float64(mem.Mallocs-m.mem.Mallocs) / n, Bytes: float64(mem.TotalAlloc-m.mem.TotalAlloc) / n,
		GCs: mem.NumGC - m.mem.NumGC, Switches: float64(used.switches-m.usage.switches) / n * 1e3,
	}
}

// resetPeak makes Linux forget the peak of resident memory so far; elsewhere there is no such file.
func resetPeak() { _ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) }

// peak is the most memory that was resident since resetPeak, in MiB; 0 where the system does not tell.
func peak() float64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "VmHWM:" {
			kb, _ := strconv.ParseFloat(f[1], 64)
			return kb / 1024
		}
	}
	return 0
}
