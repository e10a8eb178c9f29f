package main

import (
	"cmp"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/internal/testing/tier"
)

// A pass is a call of go test.
type pass struct {
	name     string
	race     bool
	dir      string // of a module that go.work does not join to the others
	env      []string
	flags    []string
	packages []string
}

// short is what people read of the arguments.
func (p pass) short() string {
	packages := p.packages
	if len(packages) > 4 {
		packages = []string{"./... of every module"}
	}
	text := strings.Join(slices.Concat(p.env, p.flags, packages), " ")
	if p.dir != "" {
		text += " in " + p.dir
	}
	return text
}

// unraced are tests that play machines in programs which are built without the race detector, and those that kill processes and runs at
// many points: the tier full has these with it.
const unraced = "TestGoldenMachines|TestExamplesLeakNothing|TestDurableGraphs|TestBehaviour|Killed|TestStopped"

// tiers are the passes of each tier, for the folders of the modules.
var tiers = map[string]func(modules []string) []pass{
	"short": func([]string) []pass {
		return []pass{{name: "this module", flags: []string{"-short"}, packages: []string{"./..."}}}
	},
	"test": func(modules []string) []pass {
		return []pass{
			{name: "every module", flags: common("-timeout=30m"), packages: every(modules)},
			weighed(),
			{name: "data races of the kernel and of branches", race: true, flags: common("-timeout=30m", "-race", "-short", "-skip="+unraced),
				packages: []string{".", "./chat/...", "./hooks", "./runtime/...", "./thread/...", "./golden", "./golden/mutation"}},
		}
	},
	"full": func(modules []string) []pass {
		full := []string{tier.Variable + "=full"}
		return append([]pass{
			{name: "every module", env: full, flags: common("-timeout=3h"), packages: every(modules)},
			weighed(full...),
			{name: "workflows on a server of Temporal", dir: "contrib/temporal/realserver", env: append([]string{"GOWORK=off"}, full...),
				flags: common("-timeout=1h"), packages: []string{"."}},
			{name: "data races", race: true, flags: common("-timeout=3h", "-race"), packages: every(modules)},
		}, soak("1m")...)
	},
	"soak": func([]string) []pass { return soak("5m") },
}

// soak kills and starts the servers of the stores at random while writers continue, and kills runs at every point, for SOAK each.
func soak(long string) []pass {
	env := []string{"GRAPHGEN_SERVERS=required", "GRAPHGEN_SOAK=" + cmp.Or(os.Getenv("SOAK"), long)}
	flags := []string{"-vet=off", "-count=1", "-timeout=2h", "-p=1"}
	return []pass{
		{name: "servers end while writers go on", env: env, flags: append(flags, "-run=^TestServerEnds$"),
			packages: []string{"./contrib/postgres", "./contrib/redis"}},
		{name: "runs are killed at every point", env: env, flags: append(slices.Clone(flags), "-run=^TestKilledProcesses$"),
			packages: []string{"./golden", "./contrib/sqlite", "./contrib/postgres", "./contrib/redis"}},
	}
}

// begin are the packages whose tests take longest: they begin first, so that no core waits for them at the end.
var begin = []string{"./contrib/postgres", "./internal/testing/differential", "./golden", "./cmd/graphgen", "./spec/check"}

// weighs is the module whose tests build programs of packages that the tests do not link. The go command does not look at files outside of
// a module: it would keep a result after these packages have changed.
const weighs = "./examples/wasm"

// weighed is the pass of that module, without kept results.
func weighed(env ...string) pass {
	return pass{name: "programs that are weighed", env: env, flags: common("-count=1"), packages: []string{weighs}}
}

// every returns the packages of every module but that one.
func every(modules []string) []string {
	packages := slices.Clone(begin)
	for _, dir := range modules {
		if strings.HasSuffix(dir, weighs[1:]) {
			continue
		}
		packages = append(packages, dir+"/...")
	}
	return packages
}

// common are the flags of all passes. Lint has run every analysis of go vet. Tests that wait for servers and processes leave a core to
// one package more than there are cores.
func common(flags ...string) []string {
	return append([]string{"-vet=off", "-p=" + strconv.Itoa(runtime.NumCPU()+1)}, flags...)
}
