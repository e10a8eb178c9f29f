package faultinject

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/graphgen/graphgen"
)

// events counts the events of a run and its child runs.
type events struct {
	mu    sync.Mutex
	all   int
	ended bool           // by a governing hook: perhaps between the begin of a step and the step
	open  map[string]int // steps and runs that have begun and not ended
	kinds [graphgen.RunEnd + 1]int
}

func (t *events) note(e graphgen.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all++
	if e.Run.Within == "" {
		t.kinds[e.Kind]++
	}
	key := fmt.Sprintf("%s %s %s", e.Run.Within, e.Run.Branch, e.Node)
	if e.Kind == graphgen.RunStart || e.Kind == graphgen.RunEnd {
		key = "the run " + e.Run.Within
	}
	if full, ok := errors.AsType[*graphgen.LimitError](e.Err); ok && full.Limit == graphgen.LimitVisits && e.Kind == graphgen.NodeFailed && t.open[key] == 0 {
		return // a node that did not run
	}
	switch e.Kind {
	case graphgen.NodeStart, graphgen.RunStart:
		t.open[key]++
	case graphgen.NodeEnd, graphgen.NodeFailed, graphgen.RunEnd:
		t.open[key]--
	}
}

// unlike returns a difference between the events of a run, if it had an observer, and its report.
func (t *events) unlike(report *graphgen.Report, err error) string {
	if t.all == 0 || t.ended {
		return ""
	}
	for key, n := range t.open {
		if n != 0 && !(n == 1 && report.Reason == graphgen.Paused) {
			return fmt.Sprintf("%q has begun %d times more than it has ended: %v", key, n, report.NodePath())
		}
	}
	for _, c := range []struct {
		kind   graphgen.EventKind
		report int
	}{{graphgen.NodeStart, report.Steps - waitingBefore(err)}, {graphgen.Mutated, len(report.Mutations)}, {graphgen.Retry, report.Retries},
		{graphgen.CacheHit, report.CacheHits}} {
		if t.kinds[c.kind] != c.report {
			return fmt.Sprintf("%d events %s, the report has %d: %v", t.kinds[c.kind], c.kind, c.report, report.NodePath())
		}
	}
	return ""
}

// waitingBefore returns how many nodes a run waits before: they are on its path, and have not begun.
func waitingBefore(err error) (nodes int) {
	p := pauseOf(err)
	if p == nil {
		return 0
	}
	for _, q := range p.Requests {
		if q.Kind == graphgen.RequestInterrupt && q.Within == "" && strings.HasSuffix(q.ID, ".before") {
			nodes++
		}
	}
	return nodes
}
