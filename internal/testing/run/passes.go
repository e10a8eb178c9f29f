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
	name string
	race bool
	env  []string
	args []string
}

// flags are the arguments that are no package.
func (p pass) flags() []string {
	return slices.DeleteFunc(slices.Clone(p.args), func(arg string) bool { return !strings.HasPrefix(arg, "-") })
}

// short is what people read of the arguments.
func (p pass) short() string {
	packages := slices.DeleteFunc(slices.Clone(p.args), func(arg string) bool { return strings.HasPrefix(arg, "-") })
	text := strings.Join(slices.Concat(p.env, p.flags()), " ")
	if len(packages) > 4 {
		return text + " ./... of every module"
	}
	return text + " " + strings.Join(packages, " ")
}

// unraced are tests that play machines in programs which are built without the race detector, and those that kill processes and runs at
// many points: the tier full has these with it.
const unraced = "TestGoldenMachines|TestExamplesLeakNothing|TestDurableGraphs|TestBehaviour|Killed|TestStopped"

// tiers are the passes of each tier, for the folders of the modules.
var tiers = map[string]func(modules []string) []pass{
	"short": func([]string) []pass {
		return []pass{{name: "this module", args: []string{"-short", "./..."}}}
	},
	"test": func(modules []string) []pass {
		return []pass{
			{name: "every module", args: every(modules, "-timeout=30m")},
			{name: "data races of the kernel and of branches", race: true,
				args: append(common("-timeout=30m", "-race", "-short", "-skip="+unraced), "./runtime/...", "./golden", "./golden/mutation")},
		}
	},
	"full": func(modules []string) []pass {
		full := []string{tier.Variable + "=full"}
		return append([]pass{
			{name: "every module", env: full, args: every(modules, "-timeout=3h")},
			{name: "data races", race: true, args: every(modules, "-timeout=3h", "-race")},
		}, soak("1m")...)
	},
	"soak": func([]string) []pass { return soak("5m") },
}

// soak kills and starts the servers of the stores at random while writers go on, and kills runs at every point, for SOAK each.
func soak(long string) []pass {
	env := []string{"GRAPHGEN_SERVERS=required", "GRAPHGEN_SOAK=" + cmp.Or(os.Getenv("SOAK"), long)}
	return []pass{
		{name: "servers end while writers go on", env: env,
			args: []string{"-vet=off", "-count=1", "-timeout=2h", "-p=1", "-run=^TestServerEnds$", "./contrib/postgres", "./contrib/redis"}},
		{name: "runs are killed at every point", env: env,
			args: []string{"-vet=off", "-count=1", "-timeout=2h", "-p=1", "-run=^TestKilledProcesses$", "./golden",
				"./contrib/sqlite", "./contrib/postgres", "./contrib/redis"}},
	}
}

// begin are the packages whose tests take longest: they begin first, so that no core waits for them at the end.
var begin = []string{"./contrib/postgres", "./internal/testing/differential", "./golden", "./cmd/graphgen", "./spec/check"}

// every returns the arguments that test every module.
func every(modules []string, flags ...string) []string {
	args := append(common(flags...), begin...)
	for _, dir := range modules {
		args = append(args, dir+"/...")
	}
	return args
}

// common are the flags of all passes. Lint has run every analysis of go vet. Tests that wait for servers and processes leave a core to
// one package more than there are cores.
func common(flags ...string) []string {
	return append([]string{"-vet=off", "-p=" + strconv.Itoa(runtime.NumCPU()+1)}, flags...)
}
