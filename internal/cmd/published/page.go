package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/check"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/dialect/draft"
)

// rules returns the rules of what an import may report, by code.
func rules() map[string]diag.Rule {
	all := map[string]diag.Rule{}
	for _, r := range slices.Concat(spec.SyntaxRules(), check.Rules(), draft.Rules()) {
		all[r.Code] = r
	}
	return all
}

const intro = `# Defects in published graphs

This page lets you see what graphgen finds in graphs that others have published, and count it again. None of their files is in this repository.

`

const reading = `
- GG365 is the key ` + "`verify`" + `, which the format had before: these texts were right for the program of their day, and are not for the present one.
  GG353 and GG354 are of one text, whose nodes have a key ` + "`next`" + ` that the format never had instead of the edges; its author mended it in
  the next version.
- Of the warnings, GG357 is a retry that never happens: the node has no eval that could fail. GG358 is an instruction that a second try is not given.
  GG363 names skills and tools that a file uses and does not hold, such as the built-in ones of its program: their arguments cannot be checked.
- Among the notes, GG359 has the nodes after which a run ends without an error where no edge is taken, and cycles that only a limit of the program ends.

No text of the table has a node that nothing reaches, an edge that is never taken, or a cycle without an end. The files are few, most are of the
authors of a format, and they were checked before they were published. So the counts are no measure of other graphs.

`

const how = `## Count it again

    git clone https://github.com/swenyai/sweny clones/swenyai/sweny    # and the other repositories of the table
    go run ./internal/cmd/published -clones clones

The command imports each file at the commit of the table from your clones, as ` + "`graphgen import`" + ` does, and prints the counts. For a
repository that is missing it prints the command that clones it. ` + "`-update`" + ` writes this page
([sources.txt](../../internal/cmd/published/sources.txt), [counts.txt](../../internal/cmd/published/counts.txt)). To see the diagnostics of one
file with their lines: ` + "`graphgen import DIALECT FILE`" + `.

A test holds this page to the recorded counts, and the counting to a repository that it makes. It does not clone anything.
`

// page returns docs/reference/defects.md.
func page(sources []source, counts []count) string {
	var b strings.Builder
	b.WriteString(intro)
	files, accepted, whole := 0, 0, map[kind]places{}
	for _, c := range counts {
		files, accepted = files+c.files, accepted+c.accepted
		for k, p := range c.found {
			whole[k] = places{whole[k].places + p.places, whole[k].files + p.files}
		}
	}
	fmt.Fprintf(&b, "Of %d texts of files, %d are accepted: a graph with a test can be made of them. The others have errors. \"every\" counts each text\n"+
		"that a file has had in the history of its repository; \"last\" counts the files at the commit.\n\n", files, accepted)
	b.WriteString("| repository | commit | files | versions | texts | accepted |\n|---|---|---|---|---|---|\n")
	for _, s := range sources {
		versions := "last"
		if s.every {
			versions = "every"
		}
		fmt.Fprintf(&b, "| [%s](https://github.com/%s) | `%s` | `%s` (%s) | %s | ", s.repo, s.repo, s.commit[:12], s.pattern, s.dialect, versions)
		if i := slices.IndexFunc(counts, func(c count) bool { return c.source == s }); i >= 0 {
			fmt.Fprintf(&b, "%d | %d |\n", counts[i].files, counts[i].accepted)
		} else {
			b.WriteString("not counted: no clone was at hand | |\n")
		}
	}
	b.WriteString("\n## What was found\n\nBy kind, with the number of places and of texts. An error is a mistake of the file, a warning is\n" +
		"for its author to read, and a note is a difference that needs no decision.\n\n" +
		"| kind | what it is | places | texts |\n|---|---|---|---|\n")
	known := rules()
	for _, k := range sorted(whole) {
		fmt.Fprintf(&b, "| %s [%s](checks/%s.md) | %s | %d | %d |\n", k.severity, k.code, k.code, known[k.code].Name, whole[k].places, whole[k].files)
	}
	b.WriteString(reading + how)
	return b.String()
}
