package storetest_test

import (
	"bytes"
	"context"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"testing"

	"github.com/graphgen/graphgen/contrib/storetest"
	"github.com/graphgen/graphgen/internal/testing/mortal"
	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/thread"
)

// whole is no breakage, and apart one for which every call of Open returns a store of its own.
const whole, apart = "whole", "every store has threads of its own"

// breakages returns stores that break one promise each.
func breakages() map[string]func(*broken, *storetest.Clock) {
	all := maps.Clone(clockBreakages)
	for _, table := range []map[string]func(*broken){readBreakages, writeBreakages, transactBreakages, manageBreakages, damageBreakages} {
		for name, f := range table {
			all[name] = func(b *broken, _ *storetest.Clock) { f(b) }
		}
	}
	all[apart] = nil
	return all
}

// brokenVariable is the breakage of a process that runs the suite.
const brokenVariable = "GRAPHGEN_BROKEN_STORE"

// TestBroken runs the suite for a broken store, in a process of TestEveryClauseCanFail.
func TestBroken(t *testing.T) {
	name := os.Getenv(brokenVariable)
	if name == "" {
		t.Skip("TestEveryClauseCanFail runs it")
	}
	storetest.Run(t, func(t *testing.T, clock *storetest.Clock) storetest.Backend {
		m := &mortal.Memory{Memory: thread.NewMemoryAt(clock.Now)}
		d := &damaged{Memory: m}
		b := &broken{Store: d, damaged: d, clause: t.Name(), effect: func(ctx context.Context) error { return m.Write(ctx, "effect") }}
		if f := breakages()[name]; f != nil {
			f(b, clock)
		}
		return storetest.Backend{Lasting: true, Effect: b.effect, Effects: func() int { return len(m.Rows()) },
			Damage: &storetest.Damage{Remove: d.remove, Head: d.moveHead},
			Open: func() thread.Store {
				if name == apart {
					return thread.NewMemoryAt(clock.Now)
				}
				return b
			}}
	})
}

var failed = regexp.MustCompile(`(?m)^ +--- FAIL: TestBroken/(\S+/\S+) `)
var ran = regexp.MustCompile(`(?m)^ +--- (?:PASS|FAIL): TestBroken/(\S+/\S+) `)

// suite runs the suite for a broken store, and returns the clauses that ran and those that failed.
func suite(t *testing.T, name string) (all, bad []string) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "-test.run", "^TestBroken$", "-test.v", "-test.short", "-test.timeout", "5m")
	cmd.Env = append(os.Environ(), brokenVariable+"="+name)
	out, _ := cmd.CombinedOutput()
	if bytes.Contains(out, []byte("\npanic: ")) || bytes.Contains(out, []byte("\nfatal error: ")) {
		t.Errorf("%s: the suite ended early\n%s", name, out[max(0, len(out)-3000):])
	}
	for _, m := range ran.FindAllStringSubmatch(string(out), -1) {
		all = append(all, m[1])
	}
	for _, m := range failed.FindAllStringSubmatch(string(out), -1) {
		bad = append(bad, m[1])
	}
	return all, bad
}

// TestEveryClauseCanFail runs the suite for stores that each break a promise: every breakage is found, and every
// clause fails for one of them. Only the tier full takes every breakage.
func TestEveryClauseCanFail(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs the suite for each of many stores")
	}
	all, bad := suite(t, whole)
	if len(all) < 130 || len(bad) > 0 {
		t.Fatalf("%d clauses ran, %v failed", len(all), bad)
	}
	fails := map[string]bool{}
	for _, name := range tier.Some(t, 0, 16, slices.Sorted(maps.Keys(breakages()))) {
		_, bad := suite(t, name)
		if len(bad) == 0 {
			t.Errorf("no clause fails for a store with this breakage: %s", name)
		}
		for _, clause := range bad {
			fails[clause] = true
		}
	}
	for _, clause := range all {
		if tier.Full() && !fails[clause] {
			t.Errorf("the clause fails for none of the broken stores: %s", clause)
		}
	}
	t.Logf("%d clauses, %d breakages", len(all), len(breakages()))
}
