package hooks

import (
	"context"
	"hash/fnv"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen"
)

// A CycleError reports that a run repeats nodes, or a state, as often as the options Cycles and States allow. The hook that finds it is governing:
// the run ends with the reason failed. Path has where to look: change the conditions of the edges or the instructions there, or allow more.
type CycleError struct {
	Path  []string // the nodes that the run has repeated; of States: the node that has the same state again
	Times int
}

func (e *CycleError) Error() string {
	return "the run has been " + strconv.Itoa(e.Times) + " times at " + strings.Join(e.Path, ", ") + " without progress"
}

// Cycles ends a run that has repeated the same nodes in the same order that number of times in a row, at least
// twice. It finds cycles of up to 32 nodes. Nodes that are not watched are left out of the path. Branches, iterations of
// regions and child runs have paths of their own.
func Cycles(times int, nodes ...string) graphgen.Option {
	if times < 2 {
		return graphgen.Invalid("hooks.Cycles", seldom)
	}
	only := selection(nodes)
	return cycleHook("hooks.Cycles", only, func(c *cycles, e *graphgen.Event) error {
		if !only.has(e) {
			return nil
		}
		return c.step(e, times)
	})
}

// States ends a run that has visited a node that number of times with the same state, at least twice. key returns
// what of the state has to change for the run to have made progress. S is the state type of the graph; runs of other
// graphs, such as child runs, are not watched.
func States[S any](times int, key func(*S) string, nodes ...string) graphgen.Option {
	switch {
	case times < 2:
		return graphgen.Invalid("hooks.States", seldom)
	case key == nil:
		return graphgen.Invalid("hooks.States", "key is nil: return what of the state has to change")
	}
	only := selection(nodes)
	return cycleHook("hooks.States", only, func(c *cycles, e *graphgen.Event) error {
		state := graphgen.State[S](*e)
		if state == nil || !only.has(e) {
			return nil
		}
		return c.visit(e, key(state), times)
	})
}

const seldom = "times is below 2: a run is once at a node without a cycle"

type cyclesKey struct{ name string }

// cycleHook returns a governing hook with something of its own for each run.
func cycleHook(option string, nodes selection, before func(*cycles, *graphgen.Event) error) graphgen.Option {
	name := strings.ToLower(strings.TrimPrefix(option, "hooks."))
	key := &cyclesKey{name}
	return watching(option, nodes, graphgen.WithHook(graphgen.Hook{
		Name: name, Governing: true,
		Begin: func(ctx context.Context, e graphgen.Event) (context.Context, func(graphgen.Event)) {
			if e.Run.Within != "" && ctx.Value(key) != nil {
				return ctx, nil
			}
			return context.WithValue(ctx, key, &cycles{paths: map[*graphgen.RunInfo]*path{}, seen: map[sight]int{}}), nil
		},
		Before: func(ctx context.Context, e graphgen.Event) error {
			c, _ := ctx.Value(key).(*cycles)
			if c == nil {
				return nil
			}
			return before(c, &e)
		},
	}))
}

// longestCycle is the most nodes of a cycle that Cycles finds.
const longestCycle = 32

// mostSeen is how many states of nodes a run keeps.
const mostSeen = 1 << 14

// cycles is what is known of a run. Hooks before steps are called one after the other.
type cycles struct {
	paths map[*graphgen.RunInfo]*path
	seen  map[sight]int
}

// A path is the last nodes of a run, or of a branch of it.
type path struct {
	nodes [longestCycle]string // a ring: number n is at n % longestCycle
	n     int
	same  [longestCycle + 1]int // by length of a cycle: how many nodes in a row equal the nodes so many steps before
}

// A sight is a node with a state.
type sight struct {
	run   *graphgen.RunInfo
	node  string
	state uint64
}

// step adds a node to its path, and returns a CycleError if that closes a cycle.
func (c *cycles) step(e *graphgen.Event, times int) error {
	p := c.paths[e.Run]
	if p == nil {
		p = new(path)
		c.paths[e.Run] = p
	}
	found := 0
	for length := 1; length <= min(p.n, longestCycle); length++ {
		if p.nodes[(p.n-length)%longestCycle] != e.Node {
			p.same[length] = 0
			continue
		}
		p.same[length]++
		if found == 0 && p.same[length] >= length*(times-1) {
			found = length
		}
	}
	p.nodes[p.n%longestCycle] = e.Node
	p.n++
	if found == 0 {
		return nil
	}
	list := make([]string, found)
	for i := range list {
		list[i] = p.nodes[(p.n-found+i)%longestCycle]
	}
	return &CycleError{Path: list, Times: times}
}

// visit counts the visits of a node with a state.
func (c *cycles) visit(e *graphgen.Event, state string, times int) error {
	h := fnv.New64a()
	_, _ = h.Write([]byte(state))
	at := sight{e.Run, e.Node, h.Sum64()}
	if len(c.seen) >= mostSeen && c.seen[at] == 0 {
		return nil
	}
	if c.seen[at]++; c.seen[at] < times {
		return nil
	}
	return &CycleError{Path: []string{e.Node}, Times: times}
}
