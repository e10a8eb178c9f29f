package schema_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/graphgen/graphgen/gen/schema"
	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/check"
	"github.com/graphgen/graphgen/spec/diag"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// value is what a spec's text holds, as JSON has it; ok is false where it is no YAML.
func value(text []byte) (v any, ok bool) {
	if err := yaml.Unmarshal(text, &v); err != nil {
		return nil, false
	}
	return asJSON(v), true
}

func asJSON(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			v[k] = asJSON(v[k])
		}
	case map[any]any:
		m := make(map[string]any)
		for k := range v {
			m[fmt.Sprint(k)] = asJSON(v[k])
		}
		return m
	case []any:
		for i := range v {
			v[i] = asJSON(v[i])
		}
	case time.Time:
		return v.String()
	}
	return v
}

func files(t *testing.T, patterns ...string) map[string][]byte {
	t.Helper()
	texts := make(map[string][]byte)
	for _, pattern := range patterns {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(found), err)
		}
		for _, file := range found {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			texts[file] = text
		}
	}
	return texts
}

func validSpecs(t *testing.T) map[string][]byte {
	return files(t, "../../golden/*/*.graph.yaml", "../../examples/*/*.graph.yaml", "../../testdata/specs/valid/*.graph.yaml")
}

// TestLanguageSchema holds docs/reference/graph.schema.json; -update writes it.
func TestLanguageSchema(t *testing.T) {
	const file = "../../docs/reference/graph.schema.json"
	if *update {
		if err := os.WriteFile(file, schema.Language(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(file); err != nil || string(want) != string(schema.Language()) {
		t.Errorf("%s is not up to date (%v); go test ./gen/schema -update writes it", file, err)
	}
}

func TestEveryMapping(t *testing.T) {
	text := string(schema.Language())
	for _, m := range spec.Reference() {
		if ref := `"#/$defs/` + strings.ReplaceAll(m.Name, " ", "_") + `"`; !strings.Contains(text, ref) {
			t.Errorf("nothing refers to %s", m.Name)
		}
	}
}

func TestDefinitionNames(t *testing.T) {
	names := regexp.MustCompile(`(?m)^    "([^"]+)": \{$`).FindAllStringSubmatch(string(schema.Language()), -1)
	seen := map[string]bool{}
	for _, n := range names {
		if seen[n[1]] {
			t.Errorf("%s is defined twice", n[1])
		}
		seen[n[1]] = true
	}
	if len(seen) < 25 {
		t.Errorf("only %d definitions are found", len(seen))
	}
}

func TestValidSpecs(t *testing.T) {
	s := compile(t, schema.Language())
	for file, text := range validSpecs(t) {
		v, ok := value(text)
		if !ok {
			t.Errorf("%s: not YAML", file)
		}
		if err := s.Validate(v); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
	for _, r := range check.Rules() {
		if v, ok := value([]byte(r.Good)); ok && r.Good != "" {
			if err := s.Validate(v); err != nil {
				t.Errorf("the mended example of %s: %v", r.Code, err)
			}
		}
	}
}

// visible are the codes of mistakes in the form of a spec: those a schema can see.
var visible = []string{"GG012", "GG013", "GG014", "GG015", "GG017", "GG018", "GG019", "GG040", "GG041"}

func TestFormMistakes(t *testing.T) {
	s := compile(t, schema.Language())
	texts := files(t, "../../testdata/specs/invalid/*.graph.yaml", "../../testdata/syntax/*.yaml")
	for _, r := range spec.SyntaxRules() {
		texts[r.Code] = []byte(r.Bad)
	}
	refused := 0
	for file, text := range texts {
		v, ok := value(text)
		code := mistakeOfForm(judge(text))
		if !ok || code == "" {
			continue
		}
		refused++
		if s.Validate(v) == nil {
			t.Errorf("%s: the reader reports %s, the schema nothing", file, code)
		}
	}
	if refused < 20 {
		t.Errorf("only %d specs have a mistake of form", refused)
	}
}

// judge reads a spec, and returns what the reader and the checks find in it.
func judge(text []byte) (*spec.Graph, []diag.Diagnostic) {
	g, found := spec.Load("x.graph.yaml", text)
	if g != nil {
		found = append(found, check.Run(cfg.Of(g))...)
	}
	return g, found
}

// mistakeOfForm returns the code of a mistake that a schema can see, "" if none of those found in a spec is one.
func mistakeOfForm(g *spec.Graph, found []diag.Diagnostic) string {
	for _, d := range found {
		if strings.HasPrefix(d.Message, "there is no kind") {
			return "" // it may be the name of a template, whose keys a schema does not know
		}
	}
	ofPattern := g != nil && g.Pattern.V != ""
	for _, d := range found {
		if ofPattern && d.Code == "GG041" {
			continue // its node may be one of the pattern, of which a schema does not know the kind
		}
		if slices.Contains(visible, d.Code) {
			return d.Code
		}
	}
	return ""
}

// Specs changed at random: what graphgen accepts the schema accepts, and what the reader
// refuses for its form the schema refuses.
func TestMutants(t *testing.T) {
	s := compile(t, schema.Language())
	specs := validSpecs(t)
	accepted, refused, each := 0, 0, tier.Pick(2, 8, 60)
	files := slices.Sorted(maps.Keys(specs))
	for d := range tier.Draws(t, each*len(files)) {
		file := files[d.Number%uint64(len(files))]
		v, _ := value(specs[file])
		mutate(d.Rand(), v)
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		text = emptied(text)
		problem := s.Validate(v)
		g, found := judge(text)
		switch code := mistakeOfForm(g, found); {
		case code != "":
			refused++
			if problem == nil {
				t.Errorf("%s: the reader reports %s, the schema nothing:\n%s", file, code, text)
			}
		case !diag.HasErrors(found):
			accepted++
			if problem != nil {
				t.Errorf("%s: graphgen accepts what the schema refuses: %v\n%s", file, problem, text)
			}
		}
	}
	if !tier.Alone() && (accepted < each*5/2 || refused < each*25/2) {
		t.Errorf("%d mutants accepted, %d refused: too few to tell anything", accepted, refused)
	}
}

// emptied leaves the value out where JSON has null for a section without one: the reader
// takes the one and refuses the other, and a schema sees no difference.
func emptied(text []byte) []byte {
	for _, k := range spec.Reference()[0].Keys {
		if k.Empty {
			text = bytes.ReplaceAll(text, fmt.Appendf(nil, "%q:null", k.Name), fmt.Appendf(nil, "%q: ", k.Name))
		}
	}
	return text
}

// mutate changes one place of a value at random.
func mutate(r *rand.Rand, v any) {
	var places []func()
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for _, k := range slices.Sorted(maps.Keys(v)) {
				places = append(places,
					func() { delete(v, k) },
					func() { v[k] = other(r) },
					func() { v[k+"s"] = v[k]; delete(v, k) })
				walk(v[k])
			}
		case []any:
			for i := range v {
				places = append(places, func() { v[i] = other(r) })
				walk(v[i])
			}
		}
	}
	walk(v)
	places[r.IntN(len(places))]()
}

// other returns a value of any kind.
func other(r *rand.Rand) any {
	return [...]any{
		nil, "", "end", "string", "[]int", "?", "int[]", "10s", "3", 3, -1, 2.5, true, []any{}, []any{"end"}, []any{3},
		map[string]any{}, map[string]any{"end": "end"}, map[string]any{"enum": []any{"a"}}, map[string]any{"type": "int"},
	}[r.IntN(20)]
}

// The patterns of types and durations against the code that reads them.
func TestTypesAndDurations(t *testing.T) {
	s := compile(t, schema.Language())
	tests := []struct{ key, form string }{
		{"state", "graph: g\nstate: {x: %s}\n"}, {"timeout", "graph: g\nlimits: {timeout: %s}\n"},
	}
	pieces := []string{"[]", "map[string]", "?", "string", "int", "Ü", "_", "1", "0.5", ".", "ms", "s", "h", "µs", "m", "-", " ", "]", "+"}
	for _, tt := range tests {
		accepted := 0
		for d := range tier.Draws(t, tier.Pick(800, 4000, 20_000)) {
			r := d.Rand()
			var b strings.Builder
			for range 1 + r.IntN(4) {
				b.WriteString(pieces[r.IntN(len(pieces))])
			}
			quoted, err := json.Marshal(b.String())
			if err != nil {
				t.Fatal(err)
			}
			text := fmt.Appendf(nil, tt.form, quoted)
			_, found := spec.Load("x.graph.yaml", text)
			v, _ := value(text)
			err = s.Validate(v)
			negative := tt.key == "timeout" && strings.HasPrefix(b.String(), "-") // the checks refuse it
			if (err == nil) != (len(found) == 0) && !negative {
				t.Errorf("%s: the reader says %v, the schema %v", text, found, err)
			}
			if err == nil {
				accepted++
			}
		}
		if accepted < tier.Pick(1, 5, 25) && !tier.Alone() {
			t.Errorf("%s: only %d texts are accepted", tt.key, accepted)
		}
	}
}

func TestErrorPlace(t *testing.T) {
	s := compile(t, schema.Language())
	v, _ := value([]byte("graph: g\nnodes:\n  a: {raeds: x}\n"))
	if err := s.Validate(v); err == nil || !strings.Contains(err.Error(), "/nodes/a") || !strings.Contains(err.Error(), "raeds") {
		t.Errorf("got %v", err)
	}
}
