// Package upgrades compares the verdicts on changes of a spec with what codecs do: it changes random schemas, reads
// values of the older version with the codecs of the newer, and looks for what is lost.
package upgrades

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/gen/golang"
	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/internal/testing/tempmodule"
	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/runtime/versions"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/check"
	"github.com/graphgen/graphgen/spec/compat"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/shape"
)

// A trial is a changed schema with the values of the older one.
type trial struct {
	prefix  string
	edits   []string
	old     *schema
	new     *schema
	changes []compat.Change
	values  []any // as the newer version has them, where only names have changed
}

const valuesOfTrial = 120 // a limit may be in one of ten alone

// TestVerdicts holds that a compatible change loses nothing, and that a change which needs a migration loses
// something, where that can be seen.
func TestVerdicts(t *testing.T) {
	count := tier.Pick(30, 60, 300)
	module := tempmodule.New(t, tempmodule.Internal, "../../..")
	var trials []*trial
	for d := range tier.Draws(t, tier.Endless) {
		if len(trials) == count {
			break
		}
		if x := newTrial(t, d.Rand(), fmt.Sprintf("C%dX", len(trials))); x != nil && x.emit(t, module) {
			trials = append(trials, x)
		}
	}
	module.Write("main.go", program(trials))
	binary := filepath.Join(t.TempDir(), "upgrades")
	if out, err := module.Go("build", "-o", binary, "."); err != nil {
		t.Fatal(out)
	}
	results := run(t, binary, trials)
	verdicts := map[compat.Verdict]int{}
	alarms := 0
	for i, x := range trials {
		verdict := compat.VerdictOf(x.changes)
		verdicts[verdict]++
		lost := ""
		for j, r := range results[i] {
			if lost == "" && !(r.Error == "" && kept(x.values[j], r.Value)) {
				lost = fmt.Sprintf("%s\nbecomes %s %s", text(x.values[j]), text(r.Value), r.Error)
			}
		}
		switch {
		case verdict != compat.Migration && lost != "":
			t.Errorf("%s, compatible, loses something:\n%s\n%s\n%s\n%s", strings.Join(x.edits, ", "), lost, x.old.types(""), x.new.types(""), said(x.changes))
		case verdict == compat.Migration && lost == "" && decidable(x.changes):
			t.Errorf("%s needs a migration, and loses nothing:\n%s\n%s\n%s", strings.Join(x.edits, ", "), x.old.types(""), x.new.types(""), said(x.changes))
		case verdict == compat.Migration && decidable(x.changes):
			alarms++
		}
	}
	if low := count / 10; !tier.Alone() && (verdicts[compat.Same]+verdicts[compat.Compatible] < 3*low || verdicts[compat.Migration] < 3*low || alarms < 2*low) {
		t.Errorf("the verdicts are %v, of which %d that need a migration were seen to", verdicts, alarms)
	}
	t.Logf("verdicts %v; %d that need a migration were seen to", verdicts, alarms)
}

// newTrial makes a schema and changes it; nil where the change is none.
func newTrial(t *testing.T, r *rand.Rand, prefix string) *trial {
	x := &trial{prefix: prefix, old: randomSchema(r)}
	x.new = x.old.clone()
	for range 1 + r.IntN(5)/3 {
		e := edits[r.IntN(len(edits))]
		if !e.apply(x.new, r) {
			return nil
		}
		x.edits = append(x.edits, e.name)
	}
	old, new := shapeOf(x.old), shapeOf(x.new)
	if old == nil || new == nil {
		return nil
	}
	lock, found := shape.ParseLock("g.graph.lock", (*shape.Lock)(nil).Append(old, ""))
	if len(found) > 0 {
		t.Fatalf("%v in the lock file of\n%s", found, x.old.graph())
	}
	step := compat.Steps(lock, new)[0]
	x.changes = step.Changes
	steps := stepsOf(compat.MapsOf(lock.Last().Shape, new))
	for range valuesOfTrial {
		x.values = append(x.values, upgraded(t, steps, object(r, old.State, 8)))
	}
	return x
}

// stepsOf returns the step that generated code has for maps.
func stepsOf(maps compat.Maps) *versions.Versions {
	table := plan.NewMapTable(maps)
	step := versions.Step{Version: 1, Shape: "old", State: table.State}
	for _, m := range table.Maps {
		row := versions.Map{Elem: m.Elem, Label: m.Label}
		for _, f := range m.Fields {
			row.Fields = append(row.Fields, versions.Field(f))
		}
		for _, v := range m.Values {
			row.Values = append(row.Values, versions.Rename{From: v.From, To: v.To})
		}
		for _, v := range m.Variants {
			row.Variants = append(row.Variants, versions.Variant{Label: v.From, Map: v.Map})
		}
		step.Maps = append(step.Maps, row)
	}
	return &versions.Versions{Version: 2, Shape: "new", Steps: []versions.Step{step}}
}

// upgraded returns the field s of a state as the newer version has it.
func upgraded(t *testing.T, v *versions.Versions, state any) any {
	run, err := v.Upgrade("old", versions.Run{State: text(state)})
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(strings.NewReader(run.State))
	d.UseNumber()
	var out map[string]any
	if err := d.Decode(&out); err != nil {
		t.Fatal(err)
	}
	return out["s"]
}

// shapeOf returns the shape of a schema; nil where it is none of a graph.
func shapeOf(s *schema) *shape.Shape {
	g, found := spec.Load("g.graph.yaml", []byte(s.graph()))
	if len(found) > 0 {
		return nil
	}
	flow := cfg.Of(g)
	if diag.HasErrors(check.Run(flow)) {
		return nil
	}
	return shape.Of(flow)
}

// emit writes the types and codecs of the newer schema; false where they have errors.
func (x *trial) emit(t *testing.T, module *tempmodule.Module) bool {
	g, found := spec.Load(strings.ToLower(x.prefix)+spec.TypesSuffix, []byte(x.new.types(x.prefix)))
	if len(found) > 0 {
		t.Fatalf("%v in\n%s", found, x.new.types(x.prefix))
	}
	flow := cfg.Of(g)
	if diag.HasErrors(check.Run(flow)) {
		return false
	}
	files, err := golang.Emit(plan.Lower(flow, "main"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		module.Write(f.Name, string(f.Content))
	}
	return true
}

// program reads values, and writes what the codecs of their schemas make of them.
func program(trials []*trial) string {
	var b strings.Builder
	b.WriteString(`package main

import (
	"bufio"
	"encoding/json"
	"os"

	"github.com/graphgen/graphgen/runtime/codec"
)

type result struct {
	Value json.RawMessage
	Error string
}

// again reads and writes a value.
func again[T any, P interface {
	*T
	codec.Unmarshaler
}](data []byte) (r result) {
	v := new(T)
	if err := codec.Unmarshal(data, P(v)); err != nil {
		return result{Error: err.Error()}
	}
	out, err := codec.Marshal(any(v).(codec.Marshaler))
	if err != nil {
		return result{Error: err.Error()}
	}
	return result{Value: out}
}

var schemas = []func([]byte) result{
`)
	for _, x := range trials {
		fmt.Fprintf(&b, "\tagain[%s%s],\n", x.prefix, stateName)
	}
	b.WriteString(`}

func main() {
	in, out := json.NewDecoder(bufio.NewReader(os.Stdin)), bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for i := range schemas {
		var values []json.RawMessage
		if err := in.Decode(&values); err != nil {
			panic(err)
		}
		var results []result
		for _, v := range values {
			results = append(results, schemas[i](v))
		}
		if err := json.NewEncoder(out).Encode(results); err != nil {
			panic(err)
		}
	}
}
`)
	return b.String()
}

// A result is what the program has made of a value.
type result struct {
	Value any
	Error string
}

func run(t *testing.T, binary string, trials []*trial) [][]result {
	t.Helper()
	var in, errs bytes.Buffer
	for _, x := range trials {
		in.WriteString(text(x.values) + "\n")
	}
	cmd := exec.CommandContext(t.Context(), binary)
	cmd.Stdin, cmd.Stderr = &in, &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, errs.String())
	}
	d := json.NewDecoder(bytes.NewReader(out))
	d.UseNumber()
	results := make([][]result, len(trials))
	for i := range trials {
		if err := d.Decode(&results[i]); err != nil || len(results[i]) != len(trials[i].values) {
			t.Fatal(i, err)
		}
	}
	return results
}

func text(v any) string {
	out, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(out)
}

func said(changes []compat.Change) string {
	var lines []string
	for _, c := range changes {
		lines = append(lines, c.Code+" "+c.Message)
	}
	return strings.Join(lines, "\n")
}

// decidable reports whether values show that each change which needs a migration loses something: a text
// that stays a text may have another meaning.
func decidable(changes []compat.Change) bool {
	return !slices.ContainsFunc(changes, func(c compat.Change) bool {
		return c.Verdict == compat.Migration && c.Code == "GG331" && textsAlone(c.Message)
	})
}

// textsAlone reports whether two types of a message have the same JSON, or may have.
func textsAlone(message string) bool {
	_, types, _ := strings.Cut(message, " is of type ")
	is, was, _ := strings.Cut(types, ", and ")
	was, _, _ = strings.Cut(was, " in release")
	reads := func(typ string) bool {
		base := typ[strings.LastIndexAny(typ, "]?")+1:]
		return slices.Contains([]string{"string", "bytes", "any"}, base)
	}
	return reads(is) && !slices.Contains([]string{"int", "float", "bool"}, was)
}
