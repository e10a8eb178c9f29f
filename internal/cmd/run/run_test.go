package main

import (
	"strings"
	"testing"
	"time"
)

// TestReport holds that events become what go test prints without -json: the tests that fail, and a line for each package.
func TestReport(t *testing.T) {
	const events = `
{"Action":"start","Package":"a"}
{"Action":"run","Package":"a","Test":"TestFine"}
{"Action":"output","Package":"a","Test":"TestFine","Output":"=== RUN   TestFine\n"}
{"Action":"output","Package":"a","Test":"TestFine","Output":"    a_test.go:1: a log\n"}
{"Action":"output","Package":"a","Test":"TestFine","Output":"--- PASS: TestFine (2.50s)\n"}
{"Action":"pass","Package":"a","Test":"TestFine","Elapsed":2.5}
{"Action":"output","Package":"a","Output":"PASS\n"}
{"Action":"output","Package":"a","Output":"ok  \ta\t2.600s\n"}
{"Action":"pass","Package":"a","Elapsed":2.6}
{"Action":"run","Package":"b","Test":"TestRed"}
{"Action":"run","Package":"b","Test":"TestRed/one"}
{"Action":"output","Package":"b","Test":"TestRed/one","Output":"    b_test.go:7: it is 3\n"}
{"Action":"output","Package":"b","Test":"TestRed/one","Output":"    --- FAIL: TestRed/one (0.00s)\n"}
{"Action":"fail","Package":"b","Test":"TestRed/one","Elapsed":0.04}
{"Action":"output","Package":"b","Test":"TestRed","Output":"--- FAIL: TestRed (0.10s)\n"}
{"Action":"fail","Package":"b","Test":"TestRed","Elapsed":0.1}
{"Action":"run","Package":"b","Test":"TestPanics"}
{"Action":"output","Package":"b","Test":"TestPanics","Output":"panic: oh\n"}
{"Action":"output","Package":"b","Output":"FAIL\tb\t0.200s\n"}
{"Action":"fail","Package":"b","Elapsed":0.2}
{"ImportPath":"c [c.test]","Action":"build-output","Output":"c.go:3:1: syntax error\n"}
{"Action":"output","Package":"c","Output":"FAIL\tc [build failed]\n"}
{"Action":"fail","Package":"c","Elapsed":0}
{"Action":"run","Package":"d","Test":"TestOld"}
{"Action":"pass","Package":"d","Test":"TestOld","Elapsed":9}
{"Action":"output","Package":"d","Output":"ok  \td\t(cached)\n"}
{"Action":"pass","Package":"d","Elapsed":0}
{"Action":"output","Package":"e","Output":"?   \te\t[no test files]\n"}
{"Action":"skip","Package":"e","Elapsed":0}
`
	const want = "ok  \ta\t2.600s\n" +
		"--- FAIL: TestRed (0.10s)\n    --- FAIL: TestRed/one (0.00s)\n    b_test.go:7: it is 3\npanic: oh\nFAIL\tb\t0.200s\n" +
		"c.go:3:1: syntax error\nFAIL\tc [build failed]\n" +
		"ok  \td\t(cached)\n" +
		"?   \te\t[no test files]\n"
	var out, ended strings.Builder
	r := &report{out: &out, ended: func(pkg, name string, t *test) {
		ended.WriteString(pkg + " " + name + " " + t.own().String() + "\n")
	}}
	if err := r.read(strings.NewReader(strings.TrimPrefix(events, "\n"))); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); got != want {
		t.Errorf("it prints\n%s\nwant\n%s", got, want)
	}
	if got := ended.String(); got != "a TestFine 2.5s\nb TestRed 60ms\nb TestRed/one 40ms\nb TestPanics 0s\n" {
		t.Errorf("tests that ended: %q", got)
	}
}

// TestSpeed holds that an interval is as slow as the samples during it say.
func TestSpeed(t *testing.T) {
	at := func(second int) time.Time { return time.Unix(int64(second), 0) }
	s := &speed{}
	const quiet = piecesPerSample * time.Millisecond
	for second, times := range []time.Duration{1, 1, 4, 4, 2} {
		s.add(slow{at(second), times * quiet}, time.Millisecond)
	}
	for _, row := range []struct {
		from, to int
		want     float64
	}{{0, 1, 1}, {2, 3, 4}, {3, 4, 3}, {5, 9, 2}} {
		if got := s.factor(at(row.from), at(row.to)); got != row.want {
			t.Errorf("from %d to %d: %v, want %v", row.from, row.to, got, row.want)
		}
	}
}

// TestLimit holds that a test which seems slow runs again, alone, and fails the run where it is slow then, too.
func TestLimit(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds this package again")
	}
	for _, row := range []struct {
		longest time.Duration
		failed  int
		prints  string
	}{{time.Minute, 0, "== alone it is faster: "}, {-1, 1, "== over -1ns, "}} {
		var out strings.Builder
		slow := timed{&pass{flags: []string{"-vet=off"}}, "github.com/graphgen/graphgen/internal/cmd/run", "TestReport", time.Hour, time.Hour}
		r := &runner{ctx: t.Context(), out: &out, seed: "1", speed: newSpeed(), tests: []timed{slow}}
		r.limit(row.longest)
		if len(r.failed) != row.failed || !strings.HasPrefix(out.String(), row.prints) || strings.Contains(out.String(), "3600") {
			t.Errorf("at most %v: failed %q, it prints\n%s", row.longest, r.failed, &out)
		}
	}
}

// TestPasses holds that the tier full tests every module at full size, and that no flag is taken for a package.
func TestPasses(t *testing.T) {
	for name, passes := range tiers {
		for _, p := range passes([]string{"/m", "/m/contrib/x"}) {
			if p.short() == "" || len(p.packages) == 0 || strings.HasPrefix(strings.Join(p.packages, " "), "-") {
				t.Errorf("%s, %s: the packages are %q", name, p.name, p.packages)
			}
		}
	}
	first := tiers["full"]([]string{"/m"})[0]
	if len(first.env) != 1 || first.env[0] != "TIER=full" || first.packages[len(first.packages)-1] != "/m/..." {
		t.Errorf("the first pass of full is %q %q", first.env, first.packages)
	}
}
