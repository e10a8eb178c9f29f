package diagram_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/internal/testing/randomgraph"
	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/check"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/link"
)

var (
	opens    = regexp.MustCompile(`^\s*subgraph (?:cluster_)?(\w+)`)
	closes   = regexp.MustCompile(`^\s*(?:end|\})$`)
	declares = regexp.MustCompile(`^\s*n(\d+) ?[\[({>]`)
	names    = regexp.MustCompile(`\bn(\d+)\b`)
	line     = regexp.MustCompile(`^\s*\w+ (?:-|==)`)
	quoted   = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
)

// declared returns what is wrong with a diagram: each node has to be declared once, in the box of the node that runs it. A node
// that runs others is declared in a box of its own, which has to be there.
func declared(m *plan.Machine, text string) error {
	boxes, in, around := []string{""}, map[int]string{}, map[string]string{}
	for l := range strings.Lines(text) {
		l = quoted.ReplaceAllString(strings.TrimSuffix(l, "\n"), `""`)
		switch {
		case opens.MatchString(l):
			box := opens.FindStringSubmatch(l)[1]
			if _, twice := around[box]; twice {
				return fmt.Errorf("there are two boxes %q", box)
			}
			around[box] = boxes[len(boxes)-1]
			boxes = append(boxes, box)
		case closes.MatchString(l) && len(boxes) > 1:
			boxes = boxes[:len(boxes)-1]
		case line.MatchString(l):
			for _, name := range names.FindAllStringSubmatch(l, -1) {
				if n, _ := strconv.Atoi(name[1]); n < 1 || n > len(m.Flow.Nodes) {
					return fmt.Errorf("there is no node %d: %s", n, l)
				}
			}
		case declares.MatchString(l):
			n, _ := strconv.Atoi(declares.FindStringSubmatch(l)[1])
			if other, twice := in[n]; twice {
				return fmt.Errorf("node %d is in the boxes %q and %q", n, other, boxes[len(boxes)-1])
			}
			in[n] = boxes[len(boxes)-1]
		}
	}
	for _, n := range m.Flow.Nodes {
		box, ok := in[n.ID]
		if own := fmt.Sprintf("in%d", n.ID); box == own {
			box = around[own]
		}
		want := ""
		switch {
		case n.Parent != nil:
			want = fmt.Sprintf("in%d", n.Parent.ID)
		case n.Template:
			want = "templates"
		}
		if !ok || box != want {
			return fmt.Errorf("node %q, n%d, is in the box %q, want %q", n.Name, n.ID, box, want)
		}
	}
	return nil
}

func TestNodesAreDeclaredOnce(t *testing.T) {
	files, err := filepath.Glob("../../golden/*/*.graph.yaml")
	if err != nil || len(files) < 200 {
		t.Fatal("no golden specs", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		g, found := spec.Load(file, text)
		if g == nil || diag.HasErrors(found) {
			t.Fatal(file, found)
		}
		link.New(filepath.Dir(file), os.ReadFile, nil).Link(g)
		holdDeclared(t, file, plan.Lower(cfg.Of(g), "main"))
	}
	for d := range tier.Draws(t, tier.Pick(50, 300, 5000)) {
		text := randomgraph.Make(d.Rand(), "random", randomgraph.Options{Composes: true, Routers: true})
		if g, found := spec.Load("random.graph.yaml", []byte(text)); g != nil && !diag.HasErrors(found) {
			if c := cfg.Of(g); !diag.HasErrors(check.Run(c)) {
				holdDeclared(t, text, plan.Lower(c, "main"))
			}
		}
	}
}

func holdDeclared(t *testing.T, name string, m *plan.Machine) {
	for format, draw := range formats {
		text := string(draw(m))
		if err := declared(m, text); err != nil {
			t.Errorf("%s as %s: %v\n%s", name, format, err, text)
		}
	}
}
