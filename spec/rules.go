package spec

import (
	"strings"
	"sync"

	"github.com/graphgen/graphgen/spec/diag"
)

var syntaxRules = []diag.Rule{
	{
		Code: "GG001", Name: "yaml-syntax",
		Doc: "The file is not YAML. Nothing else is reported until it is: what follows a syntax error cannot be trusted. The " +
			"position is where the reader noticed it; the mistake may be a little before.",
		Bad:  "graph: review\ndoc: this: is wrong\n",
		Good: "graph: review\ndoc: \"this: is right\"\n",
	},
	{
		Code: "GG002", Name: "tab-indentation",
		Doc:  "A line is indented with a tab. YAML allows only spaces, because a tab has no agreed width.",
		Bad:  "graph: review\nnodes:\n\tdraft: {}\n",
		Good: "graph: review\nnodes:\n  draft: {}\n",
	},
	{
		Code: "GG003", Name: "encoding",
		Doc:  "The file holds bytes that are not UTF-8. They are reported as one diagnostic.",
		Bad:  "graph: review\ndoc: caf\xe9\n",
		Good: "graph: review\ndoc: café\n",
	},
	{
		Code: "GG004", Name: "forbidden-character",
		Doc: "The file holds a control character, a byte order mark that is not at its beginning, or a character that YAML takes " +
			"for a line break though editors do not (a lone carriage return, U+0085, U+2028, U+2029). They are reported as one diagnostic.",
		Bad:  "graph: review\ndoc: a bell \a\n",
		Good: "graph: review\ndoc: \"a bell \\a\"\n",
	},
	{
		Code: "GG005", Name: "file-too-large",
		Doc:  "The file is larger than 4 MiB. A spec of 10,000 nodes has half of that.",
		Good: "graph: review\n",
		Large: sync.OnceValue(func() string {
			return "graph: review\n" + strings.Repeat("# ...............................................................\n", MaxFile/64)
		}),
	},
	{
		Code: "GG006", Name: "nested-too-deep",
		Doc:  "Values are nested more than 100 deep.",
		Bad:  "graph: review\nstate:\n  x: \"" + strings.Repeat("[]", 101) + "int\"\n",
		Good: "graph: review\nstate:\n  x: \"[][]int\"\n",
	},
	{
		Code: "GG007", Name: "empty-file",
		Doc:  "The file is empty, or has only comments.",
		Bad:  "# a graph will be written here\n",
		Good: "# a graph\ngraph: review\n",
	},
	{
		Code: "GG008", Name: "several-documents",
		Doc:  "The file continues after its first YAML document. A file holds one graph; what follows the marker is not read.",
		Bad:  "graph: review\n---\ngraph: publish\n",
		Good: "graph: review\n",
	},
	{
		Code: "GG009", Name: "alias",
		Doc: "The file uses an anchor (&name), an alias (*name) or a merge key (<<). A spec has none, so that every value is " +
			"written where it is used, and a diagnostic about it has one position. A text that begins with & or * needs quotes.",
		Bad:  "graph: review\nnodes:\n  draft: &draft {next: end}\n",
		Good: "graph: review\nnodes:\n  draft: {next: end}\n",
	},
	{
		Code: "GG010", Name: "tag",
		Doc:  "The file uses a YAML tag: a word that begins with an exclamation mark. It is most often a condition that begins with ! and lacks its quotes.",
		Bad:  "graph: review\nedges:\n  - from: draft\n    to: end\n    if: !state.Done\n",
		Good: "graph: review\nedges:\n  - from: draft\n    to: end\n    if: \"!state.Done\"\n",
	},
	{
		Code: "GG011", Name: "duplicate-key",
		Doc:  "A mapping has a key twice; two nodes have one name. The first one is read.",
		Bad:  "graph: review\nnodes:\n  draft: {}\n  draft: {}\n",
		Good: "graph: review\nnodes:\n  draft: {}\n  redraft: {}\n",
	},
	{
		Code: "GG012", Name: "unknown-key",
		Doc:  "A mapping has a key that the language does not know there.",
		Bad:  "graph: review\nnodes:\n  draft: {raeds: [topic]}\n",
		Good: "graph: review\nnodes:\n  draft: {reads: [topic]}\n",
	},
	{
		Code: "GG013", Name: "wrong-kind",
		Doc: "A value has another kind than its key expects: a list where a name is expected, a text where a number is. A " +
			"number or bool in quotes is a text, and a text that looks like a number needs quotes.",
		Bad:  "graph: review\nlimits: {max_steps: three}\n",
		Good: "graph: review\nlimits: {max_steps: 3}\n",
	},
	{
		Code: "GG014", Name: "unreadable-value",
		Doc:  "A value is of the right kind but cannot be read: a duration without a unit, a number that is too large or not written in decimal.",
		Bad:  "graph: review\nlimits: {timeout: 30}\n",
		Good: "graph: review\nlimits: {timeout: 30s}\n",
	},
	{
		Code: "GG015", Name: "empty-value",
		Doc:  "A key has no value, or an empty text, where it needs one. The sections of a graph may be left empty, and so may a node.",
		Bad:  "graph: review\nnodes:\n  draft: {next: }\n",
		Good: "graph: review\nnodes:\n  draft:\n",
	},
	{
		Code: "GG016", Name: "bad-key",
		Doc:  "A key is not a name: it is empty, a number, a bool, a list, a mapping, or more than one line long.",
		Bad:  "graph: review\nnodes:\n  1: {}\n",
		Good: "graph: review\nnodes:\n  \"1\": {}\n",
	},
	{
		Code: "GG017", Name: "type-text",
		Doc:  "The text of a type does not follow the grammar: string, int, float, bool, a declared name, or one of []T, map[string]T and ?T.",
		Bad:  "graph: review\nstate:\n  tags: \"string[]\"\n",
		Good: "graph: review\nstate:\n  tags: \"[]string\"\n",
	},
	{
		Code: "GG018", Name: "type-form",
		Doc: "A type is written in none of its forms, or in two: a field has exactly one of type, enum and struct; an entry of " +
			"types is an enum or a struct, not another name for a type.",
		Bad:  "graph: review\nstate:\n  tags: [string]\n",
		Good: "graph: review\nstate:\n  tags: {enum: [low, high]}\n",
	},
	{
		Code: "GG019", Name: "incomplete-or-mixed",
		Doc: "A mapping lacks a required key, or mixes keys that exclude one another: an entry of edges is an edge, a branch " +
			"table, a sequential entry or a loop_until entry; on_output and a flag with settings have one entry.",
		Bad:  "graph: review\nedges:\n  - {from: draft}\n",
		Good: "graph: review\nedges:\n  - {from: draft, to: end}\n",
	},
}

// SyntaxRules returns the rules of reading: what Load reports.
func SyntaxRules() []diag.Rule { return diag.Complete(syntaxRules) }
