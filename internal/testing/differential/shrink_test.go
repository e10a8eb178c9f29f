package differential

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/internal/testing/scriptdriver"
)

// shrinkGraph returns a graph that the script still shows to differ and of which no edge
// and no node can be left out, and its program. It builds every graph it tries.
func shrinkGraph(t *testing.T, s *shapes, p *program, script *scriptdriver.Script) (*shapes, *program) {
	t.Helper()
	for {
		next, built := smallerGraph(t, s, script)
		if next == nil {
			return s, p
		}
		s, p = next, built
	}
}

// entryLine is the line of a node or of an edge.
var entryLine = regexp.MustCompile(`^  (- |([ncdkz]\d+): \{)`)

func smallerGraph(t *testing.T, s *shapes, script *scriptdriver.Script) (*shapes, *program) {
	lines := strings.SplitAfter(string(s.Source), "\n")
	for i, line := range lines {
		match := entryLine.FindStringSubmatch(line)
		if match == nil {
			continue
		}
		text := strings.Join(slices.Delete(slices.Clone(lines), i, i+1), "")
		if name := match[2]; name != "" && regexp.MustCompile(`\b`+name+`\b`).MatchString(text) {
			continue
		}
		smaller := load(s.Name.V, text)
		if smaller == nil {
			continue
		}
		if p := build(t, []*shapes{smaller}); differs(t, p, smaller, script) != "" {
			return smaller, p
		}
	}
	return nil, nil
}

// shrink returns a script that still fails and of which no part can be left out.
func shrink(script *scriptdriver.Script, fails func(*scriptdriver.Script) bool) *scriptdriver.Script {
	for {
		smaller := firstFailing(script, fails)
		if smaller == nil {
			return script
		}
		script = smaller
	}
}

func firstFailing(script *scriptdriver.Script, fails func(*scriptdriver.Script) bool) *scriptdriver.Script {
	for _, name := range slices.Sorted(maps.Keys(script.Nodes)) {
		list := script.Nodes[name]
		for i := range list {
			var options [][]scriptdriver.Entry
			if len(list) > 1 {
				options = append(options, slices.Delete(slices.Clone(list), i, i+1))
			}
			for _, e := range simpler(list[i]) {
				options = append(options, slices.Replace(slices.Clone(list), i, i+1, e))
			}
			for _, option := range options {
				smaller := *script
				smaller.Nodes = maps.Clone(script.Nodes)
				smaller.Nodes[name] = option
				if fails(&smaller) {
					return &smaller
				}
			}
		}
	}
	return nil
}

// simpler lists entries that do less.
func simpler(e scriptdriver.Entry) []scriptdriver.Entry {
	var out []scriptdriver.Entry
	if e.Kind != "" && e.Kind != scriptdriver.Waits {
		plain := e
		plain.Kind = ""
		out = append(out, plain)
	}
	if len(e.Calls) > 0 {
		silent := e
		silent.Calls = e.Calls[1:]
		out = append(out, silent)
	}
	if len(e.Mutate) > 0 {
		content := e
		content.Mutate = e.Mutate[1:]
		out = append(out, content)
	}
	if len(e.Set) > 0 {
		still := e
		still.Set = nil
		out = append(out, still)
	}
	return out
}
