package tier_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/graphgen/graphgen/internal/testing/tier"
)

func TestPick(t *testing.T) {
	want := "test"
	if testing.Short() {
		want = "short"
	}
	t.Setenv(tier.Variable, "")
	if got := tier.Pick("short", "test", "full"); got != want {
		t.Errorf("without %s: %s, want %s", tier.Variable, got, want)
	}
	t.Setenv(tier.Variable, "full")
	if got := tier.Pick("short", "test", "full"); !testing.Short() && got != "full" {
		t.Errorf("with %s=full: %s", tier.Variable, got)
	}
}

// draws returns the draws of a test in a folder with a list.
func draws(t *testing.T, seed, list string, n int) (out []string) {
	t.Helper()
	t.Chdir(t.TempDir())
	t.Setenv(tier.SeedVariable, seed)
	if list != "" {
		if err := os.MkdirAll(filepath.Dir(tier.List), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(tier.List, []byte(list), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for d := range tier.Draws(t, n) {
		out = append(out, d.String())
	}
	return out
}

func TestDraws(t *testing.T) {
	const list = "# draws that were red\nTestDraws/with_a_list 5:17 a join of nothing\nTestOther 6:1 something\n"
	for _, row := range []struct {
		name, seed, list string
		want             []string
	}{
		{"of a seed", "7", "", []string{"7:0", "7:1", "7:2"}},
		{"with a list", "7", list, []string{"5:17", "7:0", "7:1", "7:2"}},
		{"of other tests", "7", list, []string{"7:0", "7:1", "7:2"}},
		{"of a number", "7:12", list, []string{"7:12"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := draws(t, row.seed, row.list, 3); !slices.Equal(got, row.want) {
				t.Errorf("%v, want %v", got, row.want)
			}
		})
	}
}

func TestSome(t *testing.T) {
	list := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	t.Setenv(tier.Variable, "")
	seen := map[int]bool{}
	for seed := range 20 {
		t.Setenv(tier.SeedVariable, strconv.Itoa(seed))
		got := tier.Some(t, 3, 3, list)
		if again := tier.Some(t, 3, 3, list); len(got) != 3 || !slices.IsSorted(got) || !slices.Equal(got, again) {
			t.Errorf("seed %d: %v, then %v; want three in their order", seed, got, again)
		}
		for _, i := range got {
			seen[i] = true
		}
	}
	if len(seen) != len(list) {
		t.Errorf("twenty seeds take %d of %d", len(seen), len(list))
	}
	t.Setenv(tier.Variable, "full")
	if got := tier.Some(t, 3, 3, list); !testing.Short() && !slices.Equal(got, list) {
		t.Errorf("the tier full takes %v", got)
	}
}

func TestSeedIsTheDate(t *testing.T) {
	t.Setenv(tier.SeedVariable, "")
	synctest.Test(t, func(t *testing.T) {
		for d := range tier.Draws(t, 1) {
			if got := d.String(); got != "20000101:0" {
				t.Errorf("on the first of January 2000: %s", got)
			}
		}
	})
}

func TestDrawsAreTheSameAgain(t *testing.T) {
	d, other := tier.Draw{Seed: 7, Number: 12}, tier.Draw{Seed: 7, Number: 13}
	if a, b := d.Rand().Uint64(), d.Rand().Uint64(); a != b {
		t.Errorf("%d, then %d", a, b)
	}
	if d.Rand().Uint64() == other.Rand().Uint64() {
		t.Error("two numbers have the same draw")
	}
}

// A recorder is a test that may fail.
type recorder struct {
	testing.TB
	failed bool
	log    string
}

func (r *recorder) Helper()                        {}
func (r *recorder) Name() string                   { return "TestThis/that" }
func (r *recorder) Failed() bool                   { return r.failed }
func (r *recorder) Error(...any)                   { r.failed = true }
func (r *recorder) Logf(format string, a ...any)   { r.log += fmt.Sprintf(format, a...) }
func (r *recorder) Fatal(a ...any)                 { r.failed, r.log = true, r.log+fmt.Sprint(a...); runtime.Goexit() }
func (r *recorder) Fatalf(format string, a ...any) { r.Fatal(fmt.Sprintf(format, a...)) }

// record runs a test to its end, also if that is fatal.
func record(f func(r *recorder)) *recorder {
	r, done := &recorder{}, make(chan struct{})
	go func() {
		defer close(done)
		f(r)
	}()
	<-done
	return r
}

// TestRedDraw holds that the log of a test names the first draw that fails, in whichever way.
func TestRedDraw(t *testing.T) {
	t.Setenv(tier.SeedVariable, "7")
	const want = "the draw again: SEED=7:2 go test -count=1 -run '^TestThis$/^that$' ."
	for name, fail := range map[string]func(*recorder){
		"an error":        func(r *recorder) { r.Error() },
		"a fatal mistake": func(r *recorder) { r.Fatal() },
	} {
		r := record(func(r *recorder) {
			for d := range tier.Draws(r, 5) {
				if d.Number >= 2 {
					fail(r)
				}
			}
		})
		if r.log != want {
			t.Errorf("%s: the log is %q, want %q", name, r.log, want)
		}
	}
}

func TestWrongSeeds(t *testing.T) {
	for _, seed := range []string{"x", "7:", "7:x", "-1"} {
		t.Setenv(tier.SeedVariable, seed)
		if r := record(func(r *recorder) { tier.Draws(r, 1) }); !strings.Contains(r.log, "SEED="+seed+": want N or N:NUMBER") {
			t.Errorf("SEED=%s: %q", seed, r.log)
		}
	}
	t.Setenv(tier.SeedVariable, "7")
	for _, list := range []string{"TestThis/that 7:1\n", "TestThis/that 7 it lacks a number\n"} {
		t.Chdir(t.TempDir())
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(tier.List, []byte(list), 0o644); err != nil {
			t.Fatal(err)
		}
		if r := record(func(r *recorder) { tier.Draws(r, 1) }); !strings.Contains(r.log, "testdata/seeds.txt:1: want ") {
			t.Errorf("%q: %q", list, r.log)
		}
	}
}
