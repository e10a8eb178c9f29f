package check

import (
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
)

// templatePasses report what package template has found.
var templatePasses = []Pass{
	{Code: "GG340", run: expanded("GG340")},
	{Code: "GG341", run: expanded("GG341")},
	{Code: "GG342", run: expanded("GG342")},
	{Code: "GG343", run: expanded("GG343")},
	{Code: "GG344", run: expanded("GG344")},
	{Code: "GG345", run: expanded("GG345")},
	{Code: "GG346", run: expanded("GG346")},
	{Code: "GG347", run: expanded("GG347")},
	{Code: "GG348", run: expanded("GG348")},
	{Code: "GG351", run: expanded("GG351")},
	{Code: "GG398", run: expanded("GG398")},
	{Code: "GG399", run: expanded("GG399")},
	{Code: "GG349", run: expanded("GG349")},
}

// expanded is the pass that reports what package template has found, of one code.
func expanded(code string) func(*context) {
	return func(c *context) {
		for _, d := range c.spec.Expanding {
			if d.Code == code {
				c.report(d.Pos, d.Message, string(d.Help), d.Related...)
			}
		}
	}
}

// misread returns what the reader has found in what templates have become, and in nodes of a kind that is neither a
// template nor, as its name shows, meant to be one.
func (c *context) misread() (found []diag.Diagnostic) {
	for _, d := range c.spec.Expanding {
		if !slices.ContainsFunc(templatePasses, func(p Pass) bool { return p.Code == d.Code }) {
			found = append(found, d)
		}
	}
	for _, n := range c.spec.Nodes {
		if n.Instance == nil {
			continue
		}
		if _, near := diag.Suggest(n.Kind.V, spec.Names(spec.Words(spec.Kinds))); near || spec.ForeignKind(strings.ToLower(n.Kind.V)) != "" {
			found = append(found, n.Instance.Found...)
		}
	}
	return found
}

// kindHelp returns what to write instead of an unknown kind.
func (c *context) kindHelp(kind string, kinds []string) string {
	if remedy := spec.ForeignKind(strings.ToLower(kind)); remedy != "" {
		return remedy
	}
	return didYouMean(kind, kinds, "use one of "+strings.Join(kinds, ", ")+", or the name of a template")
}

// once returns the findings without those that repeat one of their code at the same place: a template may have put one
// value into several nodes.
func once(found []diag.Diagnostic) []diag.Diagnostic {
	type place struct {
		code string
		pos  spec.Pos
	}
	seen := map[place]bool{}
	return slices.DeleteFunc(found, func(d diag.Diagnostic) bool {
		at := place{d.Code, d.Pos}
		repeated := seen[at] && d.Pos.In == nil
		seen[at] = true
		return repeated
	})
}
