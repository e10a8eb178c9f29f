package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// An event is a line of go test -json.
type event struct {
	Action, Package, Test, Output string
	Elapsed                       float64
}

// A report turns events into what go test prints without -json.
type report struct {
	out   io.Writer
	ended func(pkg, name string, t *test) // of each test and subtest whose result is not cached; nil: nothing is to be done

	mu      sync.Mutex
	running map[string]*suite
	printed time.Time
}

// A suite is a package whose tests run.
type suite struct {
	begun time.Time
	own   []string // lines of the package
	order []string
	tests map[string]*test
}

// A test is a test, or a subtest.
type test struct {
	action       string // the last
	begun, ended time.Time
	took         time.Duration // without waiting for others of t.Parallel
	within       time.Duration // what its subtests took
	result       string        // the line that ends it
	lines        []string
}

// read reads events to their end.
func (r *report) read(events io.Reader) error {
	r.running = map[string]*suite{}
	lines := bufio.NewReader(events)
	for {
		line, err := lines.ReadBytes('\n')
		var e event
		switch {
		case len(line) == 0 && err == io.EOF:
			return nil
		case json.Unmarshal(line, &e) != nil:
			fmt.Fprintf(r.out, "%s", line)
		default:
			r.add(e)
		}
		if err != nil && err != io.EOF {
			return err
		}
	}
}

func (r *report) add(e event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e.Action == "build-output" {
		fmt.Fprint(r.out, e.Output)
		return
	}
	if e.Package == "" {
		return
	}
	s := r.running[e.Package]
	if s == nil {
		s = &suite{begun: time.Now(), tests: map[string]*test{}}
		r.running[e.Package] = s
	}
	if e.Test != "" {
		s.add(e)
		return
	}
	switch e.Action {
	case "output":
		s.own = append(s.own, e.Output)
	case "pass", "fail", "skip":
		r.end(e, s)
	}
}

// add takes an event of a test.
func (s *suite) add(e event) {
	t := s.tests[e.Test]
	if t == nil {
		t = &test{begun: time.Now()}
		s.tests[e.Test], s.order = t, append(s.order, e.Test)
	}
	if e.Action != "output" {
		t.action, t.ended, t.took = e.Action, time.Now(), time.Duration(e.Elapsed*float64(time.Second))
		if at := strings.LastIndex(e.Test, "/"); at >= 0 && s.tests[e.Test[:at]] != nil {
			s.tests[e.Test[:at]].within += t.took
		}
		return
	}
	switch line := strings.TrimLeft(e.Output, " "); {
	case strings.HasPrefix(line, "--- "):
		t.result = e.Output
	case !strings.HasPrefix(line, "=== "):
		t.lines = append(t.lines, e.Output)
	}
}

// own is what a test took without its subtests.
func (t *test) own() time.Duration { return max(0, t.took-t.within) }

// end prints a package that has ended.
func (r *report) end(e event, s *suite) {
	delete(r.running, e.Package)
	r.printed = time.Now()
	cached := slices.ContainsFunc(s.own, func(line string) bool { return strings.Contains(line, "\t(cached)") })
	for _, name := range s.order {
		t := s.tests[name]
		if !cached && r.ended != nil {
			r.ended(e.Package, name, t)
		}
		if e.Action == "fail" && t.action != "pass" && t.action != "skip" {
			fmt.Fprint(r.out, t.result, strings.Join(t.lines, ""))
		}
	}
	for _, line := range s.own {
		if e.Action == "fail" || line != "PASS\n" && strings.Contains(line, "\t"+e.Package) {
			fmt.Fprint(r.out, line)
		}
	}
}

// progress prints what runs where nothing has ended for a time. The function that it returns stops that.
func (r *report) progress(every time.Duration) (stop func()) {
	r.printed = time.Now()
	done, tick := make(chan struct{}), time.NewTicker(every)
	go func() {
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case now := <-tick.C:
				r.under(now, every)
			}
		}
	}()
	return func() { close(done) }
}

// under prints the tests that are under way.
func (r *report) under(now time.Time, every time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if now.Sub(r.printed) < every {
		return
	}
	r.printed = now
	for _, pkg := range slices.Sorted(maps.Keys(r.running)) {
		for _, name := range r.running[pkg].order {
			if t := r.running[pkg].tests[name]; (t.action == "run" || t.action == "cont") && !strings.Contains(name, "/") {
				fmt.Fprintf(r.out, "...\t%s %s, for %v\n", pkg, name, now.Sub(t.begun).Round(time.Second))
			}
		}
	}
}
