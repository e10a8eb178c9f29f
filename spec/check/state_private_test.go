package check_test

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/spec/diag"
)

// TestTenants changes the spec of examples/tenants: each change would let a model see the tenant, or
// choose it, and is refused.
func TestTenants(t *testing.T) {
	const file = "../../examples/tenants/tenants.graph.yaml"
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const pattern = "number: {type: string, pattern: \"^[0-9]+$\"}"
	for name, test := range map[string]struct{ old, new, code string }{
		"an argument for the tenant":        {pattern, pattern + "\n      tenant: string", "GG311"},
		"an argument that holds the tenant": {pattern, "query: {struct: {tenant: string, number: string}}", "GG311"},
		"a prompt that reads the tenant":    {"message: \"{{question}}\"", "reads: [question, tenant]", "GG310"},
		"a placeholder for the tenant":      {"Answer the question from", "Answer for {{tenant}} from", "GG310"},
		"a judge that is shown the tenant":  {"guard_retries: 1", "evals: {own: {judge: it is theirs, reads: [tenant]}}", "GG310"},
		"a run that gives the tenant back":  {"output: [answer]", "output: [answer, tenant]", "GG310"},
		"a model that writes the tenant":    {"next: end", "next: pick\n  pick: {kind: prompt, instructions: Guess., writes: tenant, next: end}", "GG312"},
		"a tool that writes the tenant": {"next: end",
			"next: pick\n  pick: {kind: tool, tool: read_order, args: {number: question}, writes: tenant, next: end}", "GG312"},
		"a tenant that is made of a question": {"next: end", "next: pick\n  pick: {kind: set, set: {tenant: state.Question}, next: end}", "GG312"},
		"a tenant in parentheses":             {"next: end", "next: pick\n  pick: {kind: set, set: {tenant: ((state)).Question}, next: end}", "GG312"},
		"a tenant by the pointer":             {"next: end", "next: pick\n  pick: {kind: set, set: {tenant: (*state).Question}, next: end}", "GG312"},
	} {
		t.Run(name, func(t *testing.T) {
			if strings.Count(string(source), test.old) != 1 {
				t.Fatalf("the spec has %q %d times", test.old, strings.Count(string(source), test.old))
			}
			var codes []string
			for _, d := range judge(file, []byte(strings.Replace(string(source), test.old, test.new, 1))) {
				if d.Severity == diag.Error {
					codes = append(codes, d.Code)
				}
			}
			if got := strings.Join(codes, " "); got != test.code {
				t.Errorf("found %q, want %q", got, test.code)
			}
		})
	}
}

// TestPrivateAcrossGraphs passes fields between a graph and the one that it runs: private ones stay
// private, and what is not private chooses none.
func TestPrivateAcrossGraphs(t *testing.T) {
	graphs := func(inner, outer string) string {
		return "-- inner.graph.yaml --\ngraph: inner\nentry: a\nstate: {x: " + inner + "}\ninput: x\nnodes:\n  a: {reads: x}\n" +
			"-- g.graph.yaml --\ngraph: g\nentry: a\nuse: {inner: inner.graph.yaml}\nstate: {y: " + outer + "}\ninput: y\nnodes:\n" +
			"  a: {kind: subgraph, graph: inner, in: {x: y}}\n"
	}
	const private = "{type: string, private: true}"
	for name, test := range map[string]struct{ inner, outer, code string }{
		"both are private":           {private, private, ""},
		"neither is":                 {"string", "string", ""},
		"it is private outside":      {"string", private, "GG310"},
		"it is private in the child": {private, "string", "GG312"},
	} {
		t.Run(name, func(t *testing.T) {
			var codes []string
			for _, d := range judgeAll(diag.Files("g.graph.yaml", graphs(test.inner, test.outer))) {
				codes = append(codes, d.Code)
			}
			if got := strings.Join(codes, " "); got != test.code {
				t.Errorf("found %q, want %q", got, test.code)
			}
		})
	}
}

// TestSecretsInExpressions writes what is made of a secret field to one that is not, in each way in which Go reads a field.
func TestSecretsInExpressions(t *testing.T) {
	for text, code := range map[string]string{
		"state.Card": "GG380", "(state).Card": "GG380", "(*state).Card": "GG380", "((*(state)).Card)": "GG380", "strings.ToUpper((state).Card)": "GG380",
		"state.Other": "", "(state).Other": "", "(*state).Other": "",
	} {
		found := judge("g.graph.yaml", []byte("graph: g\nentry: a\ndurable: true\n"+
			"state: {card: {type: string, secret: true}, other: string, note: string}\n"+
			"input: [card, other]\noutput: note\nnodes:\n"+
			"  a: {kind: set, set: {note: "+strconv.Quote(text)+"}, next: b}\n  b: {reads: [card, other], next: end}\n"))
		var codes []string
		for _, d := range diag.WithoutNotes(found) {
			codes = append(codes, d.Code)
		}
		if got := strings.Join(codes, " "); got != code {
			t.Errorf("%s: found %q, want %q", text, got, code)
		}
	}
}
