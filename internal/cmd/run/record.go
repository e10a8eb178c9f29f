package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
)

// recorded is the file that the tier full writes.
const recorded = "internal/cmd/run/full.txt"

// record writes what the run was, and how long it took.
func (r *runner) record(begun time.Time, took time.Duration) error {
	commit, result := "unknown", "green"
	if text, err := output(r.ctx, "git", "rev-parse", "--short", "HEAD"); err == nil {
		commit = text
	}
	if len(r.failed) > 0 {
		result = "red: " + strings.Join(r.failed, ", ")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "The last run of make full, which writes this file.\n\n")
	fmt.Fprintf(&b, "begun     %s\ncommit    %s\nmachine   %d cores, %s/%s, %s\nseed      %s\nresult    %s\nduration  %v\n\n",
		begun.UTC().Format("2006-01-02 15:04 MST"), commit, runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version(), r.seed, result, took)
	fmt.Fprintf(&b, "%s\n\nThe ten slowest tests, on a quiet machine and as measured:\n\n", strings.Join(r.passes, "\n"))
	for _, t := range r.top(10) {
		fmt.Fprintln(&b, t)
	}
	return os.WriteFile(recorded, []byte(b.String()), 0o644)
}
