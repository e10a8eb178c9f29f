// Package tier gives tests the sizes of their samples, and random tests their seeds.
//
// There are three tiers: short (go test -short), test (go test) and full (TIER=full go test). A seed is the variable SEED, or the
// date. SEED=7 repeats a run, SEED=7:12 makes draw 12 of seed 7 alone.
package tier

import (
	"cmp"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

const (
	// Variable is the environment variable that selects a tier besides the tiers of go test: "full".
	Variable = "TIER"
	// SeedVariable is the environment variable with the seed of random tests, and the number of a draw.
	SeedVariable = "SEED"
	// List is the file of a package with draws that were red once: in each line the name of a test, SEED:NUMBER, and what the draw found.
	List = "testdata/seeds.txt"
)

// Full reports whether the tier is full.
func Full() bool { return os.Getenv(Variable) == "full" }

// Pick returns the one of three sizes that the tier has.
func Pick[T any](short, test, full T) T {
	switch {
	case testing.Short():
		return short
	case Full():
		return full
	}
	return test
}

// Raced reports whether the test was built with the race detector: a program that it builds is to be too.
func Raced() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// Endless is how many draws there are where a test ends its loop by a count of its own.
const Endless = 1 << 30

// A Draw is the source of one random case of a test: what a case is depends on its draw alone.
type Draw struct{ Seed, Number uint64 }

// Rand returns the random numbers of the draw, from the first.
func (d Draw) Rand() *rand.Rand { return rand.New(rand.NewPCG(d.Seed, d.Number)) }

// String is the value of SEED that makes this draw alone.
func (d Draw) String() string { return fmt.Sprintf("%d:%d", d.Seed, d.Number) }

// Again is the command that makes a draw of a test again.
func (d Draw) Again(t testing.TB) string {
	name := strings.ReplaceAll("^"+t.Name()+"$", "/", "$/^")
	return fmt.Sprintf("%s=%v go test -count=1 -run '%s' .", SeedVariable, d, name)
}

// Alone reports whether SEED names one draw.
func Alone() bool {
	_, only, err := parseSeed(cmp.Or(os.Getenv(SeedVariable), Today()))
	return err == nil && only != nil
}

// Draws yields the draws of a random test: the draws of its name in the [List], then n of the seed, numbered from 0. If the test fails
// during one, the test's log has the command that makes the draw again. A draw that SEED names comes alone.
func Draws(t testing.TB, n int) iter.Seq[Draw] {
	t.Helper()
	seed, only, err := parseSeed(cmp.Or(os.Getenv(SeedVariable), Today()))
	if err != nil {
		t.Fatal(err)
	}
	list, err := listed(t.Name())
	if err != nil {
		t.Fatal(err)
	}
	return func(yield func(Draw) bool) {
		if only != nil {
			makeDraw(t, *only, yield)
			return
		}
		for _, d := range list {
			if !makeDraw(t, d, yield) {
				return
			}
		}
		for i := range uint64(n) {
			if d := (Draw{seed, i}); !slices.Contains(list, d) && !makeDraw(t, d, yield) {
				return
			}
		}
	}
}

// Some returns some of a list, in its order: as many as the tier has, by the draws of the test, and all of them where the tier is full.
func Some[E any](t testing.TB, short, test int, list []E) []E {
	t.Helper()
	n := min(Pick(short, test, len(list)), len(list))
	if n == len(list) {
		return list
	}
	var picked []int
	for d := range Draws(t, 1) {
		picked = append(picked, d.Rand().Perm(len(list))[:n]...)
	}
	slices.Sort(picked)
	var out []E
	for _, i := range slices.Compact(picked) {
		out = append(out, list[i])
	}
	return out
}

// makeDraw makes a draw, also one that ends the test.
func makeDraw(t testing.TB, d Draw, yield func(Draw) bool) bool {
	before := t.Failed()
	defer func() {
		if !before && t.Failed() {
			t.Logf("the draw again: %s", d.Again(t))
		}
	}()
	return yield(d)
}

// Today is the seed of the day, in UTC.
func Today() string { return time.Now().UTC().Format("20060102") }

// parseSeed reads SEED or SEED:NUMBER.
func parseSeed(text string) (seed uint64, only *Draw, err error) {
	first, second, one := strings.Cut(text, ":")
	seed, err = strconv.ParseUint(first, 10, 64)
	if one && err == nil {
		only = &Draw{Seed: seed}
		only.Number, err = strconv.ParseUint(second, 10, 64)
	}
	if err != nil {
		return 0, nil, fmt.Errorf("%s=%s: want N or N:NUMBER", SeedVariable, text)
	}
	return seed, only, nil
}

// listed returns the draws of a test in the list of the package whose folder is the current one.
func listed(test string) ([]Draw, error) {
	text, err := os.ReadFile(filepath.FromSlash(List))
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []Draw
	for i, line := range strings.Split(string(text), "\n") {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		if len(words) < 3 {
			return nil, fmt.Errorf("%s:%d: want a test, SEED:NUMBER, and what it found", List, i+1)
		}
		_, draw, err := parseSeed(words[1])
		if err != nil || draw == nil {
			return nil, fmt.Errorf("%s:%d: want SEED:NUMBER, have %s", List, i+1, words[1])
		}
		if words[0] == test {
			out = append(out, *draw)
		}
	}
	return out, nil
}
