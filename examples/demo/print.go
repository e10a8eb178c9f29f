package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/graphgen/graphgen"
)

// width is the width of a terminal, less the margin.
const width = 88

// printRun prints a run. clean removes from a text what differs from run to run.
func printRun(w io.Writer, clean func(string) string, result string, err error, s *stage) {
	r := &s.report
	row := func(title, text string) {
		for _, line := range wrap(clean(text)) {
			fmt.Fprintf(w, "  %-8s %s\n", title, line)
			title = ""
		}
	}
	row("path", path(r))
	for _, seen := range s.seen {
		row("seen", seen)
	}
	row("result", result)
	row("end", end(r, err))
	row("report", figures(r))
	if r.ModelCalls > 0 {
		row("", spending(r))
	}
	for _, f := range r.Failures {
		if f.Soft || f.Cleared { // else it is the end
			row("failure", failure(f))
		}
	}
	row("unused", unused(r))
}

// path numbers the visits after the first.
func path(r *graphgen.Report) string {
	var steps []string
	for _, v := range r.Path {
		if v.Visit > 1 {
			v.Node = fmt.Sprintf("%s#%d", v.Node, v.Visit)
		}
		steps = append(steps, v.Node)
	}
	return strings.Join(steps, " → ")
}

func end(r *graphgen.Report, err error) string {
	if err != nil {
		return fmt.Sprintf("%v: %v", r.Reason, err)
	}
	return r.Reason.String()
}

func figures(r *graphgen.Report) string {
	cleared := 0
	for _, f := range r.Failures {
		if f.Cleared {
			cleared++
		}
	}
	return fmt.Sprintf("%d steps, %d retries, %d cache hits, %d skipped, %d failures of which %d cleared",
		r.Steps, r.Retries, r.CacheHits, r.Skips, len(r.Failures), cleared)
}

// spending returns the counts of what models and tools did.
func spending(r *graphgen.Report) string {
	return fmt.Sprintf("%d model calls, %d tokens in, %d out; %d tool calls of which %d failed, %d answered from earlier ones; %d answers refused",
		r.ModelCalls, r.Usage.Input, r.Usage.Output, r.Tools.Made, r.Tools.Failed, r.Tools.Deduplicated, len(r.Refusals))
}

func failure(f graphgen.Failure) string {
	if f.Soft {
		return fmt.Sprintf("passed over: %v", f.Err)
	}
	return fmt.Sprintf("cleared: %v", f.Err)
}

// unused names the transitions of the graph that the run has not taken.
func unused(r *graphgen.Report) string {
	var ways []string
	for _, w := range r.Transitions {
		if w.Count > 0 {
			continue
		}
		way := w.From + " → " + w.To
		if w.Rule == graphgen.RuleError && w.From == "" {
			way = "any failure → " + w.To
		}
		if w.Text != "" {
			way += " (" + w.Text + ")"
		}
		ways = append(ways, way)
	}
	if len(ways) == 0 {
		return "none of the ways"
	}
	return fmt.Sprintf("%d of %d ways: %s", len(ways), len(r.Transitions), strings.Join(ways, ", "))
}

// wrap breaks a text into lines, at spaces where they get too long.
func wrap(text string) []string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		for len([]rune(line)) > width {
			runes := []rune(line)
			at := strings.LastIndex(string(runes[:width]), " ")
			if at <= 0 {
				break
			}
			lines = append(lines, line[:at])
			line = line[at+1:]
		}
		lines = append(lines, line)
	}
	return lines
}
