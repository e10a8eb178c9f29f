package tsclient_test

import (
	"bytes"
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/gen/tsclient"
	"github.com/graphgen/graphgen/gen/view"
	"github.com/graphgen/graphgen/internal/api"
	"github.com/graphgen/graphgen/internal/testing/committed"
)

var update = flag.Bool("update", false, "rewrite the golden file")

// described returns graphs of the repository, as they are served under names.
func described(t *testing.T, files map[string]string) (graphs []api.Graph) {
	t.Helper()
	for _, g := range committed.Graphs(t) {
		for file, name := range files {
			if strings.HasSuffix(g.File, file) {
				d, err := api.Describe(string(view.Of(g.Machine).JSON()))
				if err != nil {
					t.Fatal(err)
				}
				graphs = append(graphs, api.Graph{Name: name, Durable: g.Machine.Threads.Durable, Description: d})
			}
		}
	}
	if len(graphs) != len(files) {
		t.Fatalf("%d graphs are found", len(graphs))
	}
	return graphs
}

// TestClient holds the types of graphs with every kind of request to the golden file. That a compiler accepts them, make judges holds.
func TestClient(t *testing.T) {
	graphs := described(t, map[string]string{
		"golden/clienttools/clienttools.graph.yaml": "browser", "golden/durable/office.graph.yaml": "front-office", "golden/say/say.graph.yaml": "say",
	})
	graphs = append(graphs, api.Graph{Name: "other"}) // that does not describe itself
	got, err := tsclient.Client(graphs)
	if err != nil {
		t.Fatal(err)
	}
	got, rest, found := bytes.Cut(got, []byte("export type DurableGraph"))
	if !found || !bytes.Contains(rest, []byte("export class Client {")) {
		t.Error("the client is not there")
	}
	const file = "testdata/types.ts"
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("it differs from %s: go test ./gen/tsclient -update", file)
	}
}

// TestNames holds that graphs whose types would have the same names are refused, and texts of authors stay in comments and quotes.
func TestNames(t *testing.T) {
	describe := func(text string) *api.Description {
		d, err := api.Describe(text)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	empty := describe(`{"input": {}, "output": {}}`)
	_, err := tsclient.Client([]api.Graph{{Name: "a-b", Description: empty}, {Name: "a_b", Description: empty}})
	if err == nil || !strings.Contains(err.Error(), `graph "a-b" and of graph "a_b"`) {
		t.Errorf("the error is %v", err)
	}
	text, err := tsclient.Client([]api.Graph{{Name: "7 '\"\n", Description: describe(`{"output": {}, "input": {"type": "object", "description": "a */ b\n",
		"properties": {"x-y": {"enum": ["a'b", "\u2028"]}, "n": {"type": ["integer", "null"]}, "m": {"type": "object", "additionalProperties": {"type": "array",
		"items": {"anyOf": [{"type": "string"}, {"type": "null"}]}}}}, "required": ["n"]}}`)}})
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{
		"/** a *\\/ b */\nexport type Graph7Input = {\n",
		`  "x-y"?: "a'b" | "\u2028"` + "\n", "  n: number | null\n", "  m?: Record<string, (string | null)[]>\n",
		`  "7 '\"\n": { durable: false; input: Graph7Input; output: Graph7Output; answer: never }` + "\n",
	} {
		if !strings.Contains(string(text), part) {
			t.Errorf("no %s in\n%.900s", part, text)
		}
	}
}

// TestTypesOfOneName holds that types of one name are types of their own, in the schemas of a graph and of several ones.
func TestTypesOfOneName(t *testing.T) {
	d, err := api.Describe(`{
		"input": {"type": "object", "properties": {"old": {"$ref": "#/$defs/Order"}, "said": {"$ref": "#/$defs/chat.Message"},
			"of": {"$ref": "#/$defs/Graph"}}, "required": ["old", "said", "of"],
			"$defs": {"Order": {"type": "object", "properties": {"of": {"$ref": "#/$defs/Item"}}, "required": ["of"]}, "Item": {"type": "string"},
				"chat.Message": {"type": "string"}, "ChatMessage": {"type": "integer"}, "Graph": {"type": "boolean"}}},
		"output": {"type": "object", "properties": {"new": {"$ref": "#/$defs/Order"}, "item": {"$ref": "#/$defs/Item"}}, "required": ["new", "item"],
			"$defs": {"Order": {"type": "object", "properties": {"of": {"$ref": "#/$defs/Item"}}, "required": ["of"]}, "Item": {"type": "boolean"}}},
		"requests": [{"node": "a", "kind": "reply", "answer": {"$ref": "#/$defs/Item", "$defs": {"Item": {"type": "string"}}}},
			{"node": "a", "tool": "", "kind": "reply", "answer": {"type": "boolean"}}]}`)
	if err != nil {
		t.Fatal(err)
	}
	text, err := tsclient.Client([]api.Graph{{Name: "shop", Description: d}, {Name: "shop-order", Description: d}, {Name: "durable", Description: d}})
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{
		"export type ShopInput = {\n  old: ShopOrder\n  said: ShopChatMessage2\n  of: ShopGraph\n}\n",
		"export type ShopOutput = {\n  new: ShopOrder2\n  item: ShopItem2\n}\n",
		"export type ShopItem = string\n", "export type ShopItem2 = boolean\n", "export type ShopOrder = {\n  of: ShopItem\n}\n",
		"export type ShopOrder2 = {\n  of: ShopItem2\n}\n", "export type ShopChatMessage = number\n", "export type ShopChatMessage2 = string\n",
		"export type ShopAnswerA = ShopItem\n", "export type ShopAnswerA2 = boolean\n", "answer: ShopAnswerA | ShopAnswerA2 }",
		"export type DurableGraph2 = boolean\n", "export type DurableGraph = {",
	} {
		if !strings.Contains(string(text), part) {
			t.Errorf("no %s in\n%.2000s", part, text)
		}
	}
	seen := map[string]bool{}
	for _, name := range regexp.MustCompile(`(?m)^export (?:interface|type|class) (\w+)`).FindAllStringSubmatch(string(text), -1) {
		if seen[name[1]] {
			t.Errorf("%s is there twice", name[1])
		}
		seen[name[1]] = true
	}
}
