package check

import (
	"strings"
	"unicode/utf8"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
)

// textFilePasses judge the files that hold texts of prompts.
var textFilePasses = []Pass{
	{run: textProblems("GG297"), Rule: diag.Rule{
		Code: "GG297", Name: "prompt-path",
		Doc: "The path of the file of a prompt may not be used. It leads from the folder of the spec, with slashes, to a file of " +
			"the same module, or below the folder of the spec where there is no go.mod. " +
			"The name ends in `.md` or `.txt`, and no part of the path begins with `.` or `_`, except `..`. The same holds for " +
			"the file that a symbolic link leads to. So a spec from elsewhere cannot put other files into a prompt.",
		Bad:  "-- secrets.env --\nKEY=1\n-- g.graph.yaml --\n" + textFileExample("../../secrets.env"),
		Good: "-- prompts/poem.md --\nWrite a poem.\n-- g.graph.yaml --\n" + textFileExample("prompts/poem.md"),
	}},
	{run: textProblems("GG298"), Rule: diag.Rule{
		Code: "GG298", Name: "prompt-file",
		Doc: "The file of a prompt cannot be read: it is not there, is a directory or another file that is not regular, or has " +
			"more than 1 MiB. Paths are relative to the folder of the spec.",
		Bad:  "-- prompts/poem.md --\nWrite a poem.\n-- g.graph.yaml --\n" + textFileExample("poem.md"),
		Good: "-- prompts/poem.md --\nWrite a poem.\n-- g.graph.yaml --\n" + textFileExample("prompts/poem.md"),
	}},
	{run: textProblems("GG299"), Rule: diag.Rule{
		Code: "GG299", Name: "prompt-encoding",
		Doc: "The file of a prompt is not UTF-8, or has a control character. A byte order mark at the start and carriage returns " +
			"before line feeds are allowed, and not part of the prompt.",
		Bad:  "-- poem.md --\nWrite a \x07poem.\n-- g.graph.yaml --\n" + textFileExample("poem.md"),
		Good: "-- poem.md --\nWrite a poem.\n-- g.graph.yaml --\n" + textFileExample("poem.md"),
	}},
}

// textFileExample is a spec whose instructions are in a file.
func textFileExample(file string) string {
	return "graph: g\nentry: a\nnodes:\n  a:\n    kind: prompt\n    instructions: {file: " + file + "}\n"
}

// textProblems is the pass that reports why files of prompts cannot be used, for one code.
func textProblems(code string) func(*context) {
	return func(c *context) {
		for t := range c.spec.Texts() {
			p := t.Problem
			if p == nil && t.File.V != "" && t.In == nil {
				p = &spec.Problem{Code: "GG298", Message: "the file " + quote(t.File.V) + " was not read",
					Help: "compile the graph from its folder, with graphgen"}
			}
			switch {
			case p == nil || p.Code != code:
			case p.Pos.IsSet():
				c.report(p.Pos, p.Message, p.Help, diag.Related{Pos: t.File.Pos, Message: "the file is named here"})
			default:
				c.report(t.File.Pos, p.Message, p.Help)
			}
		}
	}
}

// placeIn returns the place of a part of a text: in the file, where a file holds the text and the part
// is in it as it is.
func placeIn(t *spec.Text, part string) spec.Pos {
	if t.In == nil {
		return t.Pos
	}
	at := strings.Index(t.In.Text, part)
	if at < 0 {
		return t.Pos
	}
	before := t.In.Text[:at]
	line := before[strings.LastIndexByte(before, '\n')+1:]
	return spec.Pos{File: t.In.Path, Line: strings.Count(before, "\n") + 1, Col: utf8.RuneCountInString(line) + 1, Width: utf8.RuneCountInString(part)}
}
