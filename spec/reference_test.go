package spec_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/spec"
)

// TestReference holds docs/reference/spec-reference.md; -update writes it.
func TestReference(t *testing.T) {
	golden(t, "../docs/reference/spec-reference.md", reference())
}

// reference writes the language's reference from its tables.
func reference() string {
	var b strings.Builder
	b.WriteString("# The spec language\n\n" +
		"This page lets you look up every key of a graph: first the few that each graph needs, then the keys of production, then all. " +
		"`graphgen explain KEY` prints one with an example. It is written from the tables in package `spec` by `make docs`.\n\n" +
		"A spec is one YAML document of at most 4 MiB. Keys not listed here are errors, and so are keys\n" +
		"written twice, anchors, aliases, merge keys and tags. A key needs a value, except for the sections of\n" +
		"a graph and for a node, which may be left empty.\n\n" +
		"What can be wrong with the meaning of a graph is under [checks](checks/README.md). Editors know this page from\n" +
		"the [JSON Schema](graph.schema.json) that `graphgen schema` prints.\n")
	for ring := spec.First; ring < spec.Rest; ring++ {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n| key | of | value | meaning |\n|---|---|---|---|\n", spec.Rings[ring].Title, spec.Rings[ring].Doc)
		for _, m := range spec.Reference() {
			for _, k := range m.Keys {
				if spec.RingOf(m.Name, k.Name) == ring {
					fmt.Fprintf(&b, "| `%s` | [%s](#%s) | %s | %s |\n", k.Name, m.Name, strings.ReplaceAll(m.Name, " ", "-"), value(k), first(k.Doc))
				}
			}
		}
	}
	b.WriteString("\n## All keys\n\nThey follow by the mapping that has them.\n")
	for _, m := range spec.Reference() {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n| key | value | default | meaning |\n|---|---|---|---|\n", m.Name, m.Doc)
		for _, k := range m.Keys {
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", k.Name, value(k), initial(k), says(k))
		}
	}
	b.WriteString("\n## Values\n\n| value | example | what it is |\n|---|---|---|\n")
	for _, form := range spec.Forms {
		d := form
		fmt.Fprintf(&b, "| %s | `%s` | %s |\n", d.Name, d.Example, d.Doc)
	}
	for _, list := range []struct {
		title string
		words []spec.Word
	}{
		{"Types", spec.BasicTypes}, {"Formats", spec.Formats},
		{"Kinds of node", spec.Words(spec.Kinds)}, {"Flags", spec.Words(spec.Flags)}, {"Merge rules", spec.Merges},
		{"Strategies", spec.Strategies}, {"Context of a prompt", spec.Contexts}, {"Processors before", spec.Before},
		{"Processors after", spec.After}, {"tool_choice besides names", spec.ToolChoices},
		{"on of an edge", spec.EdgeEvents}, {"no_match", spec.NoMatches},
		{"Modes of a graph", spec.Modes}, {"join", spec.Words(spec.Joins)}, {"Actions of mutations", spec.Actions},
		{"Kinds of nodes that are added", spec.MutableKinds},
		{"on_max_steps", spec.StepOutcomes}, {"on of retryable", spec.RetryCauses},
		{"JSON Schema keywords that types do not have", spec.SchemaKeywords()},
	} {
		fmt.Fprintf(&b, "\n## %s\n\n| word | what it means |\n|---|---|\n", list.title)
		for _, w := range list.words {
			fmt.Fprintf(&b, "| `%s` | %s |\n", w.Name, w.Doc)
		}
	}
	return b.String()
}

// first returns the first sentence of a text.
func first(text string) string {
	before, _, more := strings.Cut(text, ". ")
	if more {
		before += "."
	}
	return before
}

func value(k spec.Key) string {
	switch {
	case k.Form == spec.FormWord || k.Form == spec.FormWords:
		return "`" + strings.Join(spec.Names(k.Words), "`, `") + "`"
	case k.Of != "":
		return fmt.Sprintf("%s: [%s](#%s)", k.Form, k.Of, strings.ReplaceAll(k.Of, " ", "-"))
	}
	return k.Form.String()
}

func initial(k spec.Key) string {
	switch {
	case k.Required:
		return "required"
	case k.Default != "":
		return k.Default
	}
	return ""
}

func says(k spec.Key) string {
	if k.Kinds == nil {
		return k.Doc
	}
	return fmt.Sprintf("%s Only kind %s.", k.Doc, strings.Join(k.Kinds, ", "))
}
