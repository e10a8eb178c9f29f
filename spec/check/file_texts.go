package check

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
)

// textFilePasses judge the files that hold texts of prompts.
var textFilePasses = []Pass{
	{Code: "GG297", run: textProblems("GG297")},
	{Code: "GG298", run: textProblems("GG298")},
	{Code: "GG299", run: textProblems("GG299")},
	{Code: "GG303", run: textsThatNameFiles},
	{Code: "GG304", run: textsTooLarge, large: sync.OnceValue(manyTexts)},
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

// textsTooLarge reports the text in a file with which the texts of the graph become too large.
func textsTooLarge(c *context) {
	whole := 0
	for t := range c.spec.Texts() {
		if t.In == nil {
			continue
		}
		if whole += len(t.In.Text); whole > spec.MaxTexts {
			c.report(t.File.Pos, "the texts in files are more than the "+strconv.Itoa(spec.MaxTexts>>20)+" MiB that the texts of a graph may have together",
				"name large files in fewer prompts; a file counts for each that names it")
			return
		}
	}
}

// manyTexts is a graph whose prompts name one large file.
func manyTexts() string {
	var b strings.Builder
	b.WriteString("-- large.md --\n" + strings.Repeat("Write a poem about otters.\n", 38_000) + "-- g.graph.yaml --\ngraph: g\nentry: n0\nnodes:\n")
	for i := range 17 {
		b.WriteString("  n" + strconv.Itoa(i) + ": {kind: prompt, instructions: {file: large.md}, next: " + "n" + strconv.Itoa(i+1) + "}\n")
	}
	b.WriteString("  n17: {}\n")
	return b.String()
}

// textsThatNameFiles reports texts that are a path alone: the model would be sent the path.
func textsThatNameFiles(c *context) {
	for t := range c.spec.Texts() {
		path, scheme := strings.CutPrefix(t.V, "file:")
		path = strings.TrimPrefix(strings.TrimPrefix(path, "//"), "@")
		isText := slices.ContainsFunc(spec.TextSuffixes, func(suffix string) bool { return strings.HasSuffix(path, suffix) })
		if t.In == nil && path != "" && (scheme || isText) && !strings.ContainsFunc(path, unicode.IsSpace) {
			c.warn(t.Pos, "the text is "+quote(t.V)+", the name of a file, which a model would be sent as it is",
				"name it as a file, as in "+diag.Set("instructions", "{file: "+path+"}"))
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
