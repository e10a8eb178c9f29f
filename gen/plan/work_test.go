package plan_test

import (
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec"
)

// works are the types of the work of nodes, by their kinds.
var works = map[string]string{
	"func": "Handler", "transform": "Handler", "guard": "Handler Prompt", "router": "Handler Prompt", "prompt": "Prompt", "tool": "Call",
	"human": "Human", "subgraph": "Sub", "loop": "Loop", "retry": "Retry", "parallel": "Fork", "map": "Each", "autonomous": "Pool",
	"set": "Set", "say": "Saying", "pass": "Pass",
}

// kindOf matches the kind in the line of a node, and workOf the line of its work.
var (
	kindOf = regexp.MustCompile(`^Nodes .* Kind=(\w+) `)
	workOf = regexp.MustCompile(`^    (Handler|Prompt|Call|Human|Sub|Loop|Retry|Fork|Each|Pool|Set|Saying|Pass)( |$)`)
)

// TestWorks holds which work nodes of each kind do, in the plans of golden and examples: each node has one.
func TestWorks(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]map[string]bool{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, node := range strings.Split("\n"+string(text), "\nNodes ")[1:] {
			lines := strings.Split("Nodes "+node, "\n")
			kind := kindOf.FindStringSubmatch(lines[0])
			if kind == nil {
				t.Fatalf("%s: no kind in %s", path, lines[0])
			}
			var own []string
			for _, line := range lines[1:] {
				if !strings.HasPrefix(line, "    ") {
					break
				}
				if w := workOf.FindStringSubmatch(line); w != nil {
					own = append(own, w[1])
				}
			}
			if len(own) != 1 {
				t.Errorf("%s: the works are %v, want one: %s", path, own, lines[0])
				continue
			}
			if found[kind[1]] == nil {
				found[kind[1]] = map[string]bool{}
			}
			found[kind[1]][own[0]] = true
		}
	}
	for _, k := range spec.Kinds {
		if got := strings.Join(slices.Sorted(maps.Keys(found[k.Name])), " "); got != works[k.Name] {
			t.Errorf("nodes of kind %s do %q, want %q", k.Name, got, works[k.Name])
		}
	}
}

// TestLevels holds that a node and a machine have few fields at one level: a further one belongs to the work of a node,
// or to a part.
func TestLevels(t *testing.T) {
	for of, most := range map[reflect.Type]int{reflect.TypeFor[plan.Node](): 25, reflect.TypeFor[plan.Machine](): 20} {
		if got := of.NumField(); got > most {
			t.Errorf("%s has %d fields, want %d at most", of, got, most)
		}
	}
}
