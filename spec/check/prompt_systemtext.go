package check

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/dataflow"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/resolve"
)

// systemPasses look at what goes into a system prompt.
var systemPasses = []Pass{
	{Code: "GG296", run: dataInInstructions},
}

func dataInInstructions(c *context) {
	f := c.dataFlow()
	if f == nil {
		return
	}
	var sources []*dataflow.Source
	for _, n := range c.graph.All() {
		if !n.Asks && !n.Kind.Picks() || n.Spec.Unread || n.Spec.Prompt.Instructions.Lost || misnames(n) {
			continue
		}
		source := func(p resolve.Piece) *dataflow.Source {
			if p.Field == nil {
				return nil
			}
			if sources == nil {
				sources = f.Outside()
			}
			return sources[f.Number(p.Field)]
		}
		at := slices.IndexFunc(n.Instructions, func(p resolve.Piece) bool { return source(p) != nil })
		if at < 0 {
			continue
		}
		p := n.Instructions[at] // the mended lines are of all placeholders
		c.warn(p.Pos,
			"the instructions of node "+quote(n.Spec.Name.V)+" are the system prompt, and "+quote(p.Name)+" is data: it comes from "+source(p).String(),
			mendedPrompt(n, func(p resolve.Piece) bool { return source(p) != nil }))
	}
}

// misnames reports whether a placeholder of the node has a mistake of its own.
func misnames(n *resolve.Node) bool {
	for p := range n.Pieces() {
		hidden := n.Spec.ReadsPos.IsSet() && !slices.ContainsFunc(n.Spec.Reads, func(r spec.String) bool { return r.V == p.Name })
		if p.Name != "" && (p.Field == nil || hidden) {
			return true
		}
	}
	return len(n.Malformed) > 0
}

// mendedPrompt returns the lines of a prompt whose instructions have no placeholders for data.
func mendedPrompt(n *resolve.Node, data func(resolve.Piece) bool) string {
	text, bare := n.Spec.Prompt.Instructions.V, lastPlaceholder
	if file := n.Spec.Prompt.Instructions.File.V; file != "" {
		return "write the name of the field instead of the placeholder in " + file + ", and let the spec give the value, in message or reads"
	}
	var lines []string
	if at := bare.FindStringSubmatchIndex(text); at != nil && !n.Spec.Prompt.Message.IsSet() && strings.Count(text, "{{") == 1 {
		lines = []string{diag.Set("instructions", yamlText(text[:at[0]]+".")), diag.Set("message", `"{{`+text[at[2]:at[3]]+`}}"`)}
	} else {
		var names []string
		for p := range n.Pieces() {
			if p.Name != "" && !slices.Contains(names, p.Name) {
				names = append(names, p.Name)
			}
		}
		lines = []string{diag.Set("instructions", yamlText(namingData(n.Instructions, data)))}
		if !n.Spec.ReadsPos.IsSet() {
			lines = append(lines, diag.Set("reads", "["+strings.Join(names, ", ")+"]"))
		}
	}
	return "write\n" + strings.Join(lines, "\n")
}

// lastPlaceholder is a placeholder at the end of a text, after a colon.
var lastPlaceholder = regexp.MustCompile(`:\s*\{\{\s*(\w+)\s*\}\}\s*$`)

// articleBefore is a word before a placeholder that the name of its field needs no other before.
var articleBefore = regexp.MustCompile(`(?i)\b(the|this|that|a|an|your|their)[ \n]+$`)

// namingData returns a text with the names of fields instead of placeholders for data.
func namingData(pieces []resolve.Piece, data func(resolve.Piece) bool) string {
	var b strings.Builder
	for _, p := range pieces {
		switch {
		case p.Name == "":
			b.WriteString(strings.ReplaceAll(p.Text, "{{", "{{{{"))
		case !data(p):
			b.WriteString("{{" + p.Name + "}}")
		case b.Len() == 0:
			b.WriteString("The " + p.Name)
		case articleBefore.MatchString(b.String()):
			b.WriteString(p.Name)
		default:
			b.WriteString("the " + p.Name)
		}
	}
	return b.String()
}

// yamlText returns a key with a text: in quotes, or as a block where it has several lines.
func yamlText(text string) string {
	text = strings.TrimSpace(text)
	if !strings.Contains(text, "\n") {
		return strconv.Quote(text)
	}
	return "|\n  " + strings.ReplaceAll(text, "\n", "\n  ")
}
