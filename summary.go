package graphgen

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/graphgen/graphgen/chat"
)

// Bounds of a summary.
const (
	summarySteps = 100 // of a path, the last ones; nodes, the first ones
	summaryRunes = 160 // of a text
	summaryItems = 50  // of any other list, the first ones; child runs of all depths
)

// Summary returns the report as a text for a terminal: how the run ended, its path, what its nodes used, failures, the
// verdicts of guards, and the same of child runs. Columns without values are left out, and so is the output. What
// models and tools returned is in it only as the texts of failures and refusals, one line each, without control characters.
func (r *Report) Summary() string {
	s := summary{}
	s.report(r, "")
	return s.text.String()
}

// A summary is the text of a report, as far as it is written.
type summary struct {
	text    strings.Builder
	reports int // of child runs
}

func (s *summary) line(parts ...string) {
	for _, part := range parts {
		s.text.WriteString(part)
	}
	s.text.WriteByte('\n')
}

// report writes a report. indent is before every line.
func (s *summary) report(r *Report, indent string) {
	d := r.Detail
	if d == nil {
		d = &RunDetail{}
	}
	s.ending(r, d, indent)
	s.path(r, d, indent)
	s.nodes(r, d, indent)
	s.failures(r, indent)
	s.guards(r, d, indent)
	s.changes(r, indent)
	for i := range r.Nested {
		n := &r.Nested[i]
		if s.reports++; s.reports > summaryItems {
			s.line(indent, count(len(r.Nested)-i, "more child run"))
			break
		}
		s.line("\n", indent, "child run of ", at(n.Node, n.Branch), ", visit ", strconv.Itoa(n.Visit), ", attempt ", strconv.Itoa(n.Attempt), ":")
		s.report(n.Report, indent+"  ")
	}
}

// ending writes how the run ended, and what it used.
func (s *summary) ending(r *Report, d *RunDetail, indent string) {
	end := []string{indent, "graph ", plain(r.Graph), ", run ", plain(r.ID), ": ", r.Reason.String(), " after ", count(r.Steps, "step")}
	if d.Duration > 0 {
		end = append(end, " in ", brief(d.Duration))
	}
	if d.From > 0 {
		end = append(end, "; of the first ", count(d.From, "step"), " it has no times and calls")
	}
	s.line(end...)
	var used []string
	if r.ModelCalls > 0 {
		used = append(used, count(r.ModelCalls, "call")+" of models"+within(d.ModelTime)+usage(r.Usage))
	}
	if r.Tools != (ToolCount{}) {
		text := count(r.Tools.Made, "call") + " of tools" + within(d.ToolTime)
		text += counted(r.Tools.Failed, "failed") + counted(r.Tools.Deduplicated, "repeated")
		used = append(used, text)
	}
	for _, c := range []struct {
		n    int
		what string
	}{
		{r.Retries, "retried"}, {r.CacheHits, "from the cache"}, {r.Skips, "skipped"},
		{r.Rejected, "with a route that was rejected"}, {r.HookFailures, "with a hook that failed"},
	} {
		if c.n > 0 {
			used = append(used, strconv.Itoa(c.n)+" "+c.what)
		}
	}
	if len(used) > 0 {
		s.line(indent, strings.Join(used, "; "))
	}
}

// path writes the path, with the time of the steps.
func (s *summary) path(r *Report, d *RunDetail, indent string) {
	kinds := map[string]string{}
	for i := range min(len(d.Nodes), len(r.Nodes)) {
		kinds[r.Nodes[i].Node] = d.Nodes[i].Kind
	}
	t := sheet{{title: "step", right: true}, {title: "node"}, {title: "kind"}, {title: "visit", right: true}, {title: "time", right: true}}
	first := max(0, len(r.Path)-summarySteps)
	for i := first; i < len(r.Path); i++ {
		v, took := r.Path[i], ""
		if i < len(d.Times) {
			took = brief(d.Times[i])
		}
		t.add(strconv.Itoa(r.Dropped+i+1), plain(v.Node), kinds[v.Node], strconv.Itoa(v.Visit), took)
	}
	if before := r.Dropped + first; before > 0 {
		s.line("\n", indent, "the last ", strconv.Itoa(len(r.Path)-first), " of ", count(r.Steps, "step"), ":")
	} else if len(r.Path) > 0 {
		s.line()
	}
	s.sheet(t, indent)
}

// nodes writes what nodes used, those that were visited.
func (s *summary) nodes(r *Report, d *RunDetail, indent string) {
	t := sheet{
		{title: "node"}, {title: "visits", right: true}, {title: "time", right: true}, {title: "model calls", right: true}, {title: "model time", right: true},
		{title: "input", right: true}, {title: "output", right: true}, {title: "cost", right: true}, {title: "tool calls", right: true},
		{title: "tool time", right: true},
	}
	for i := range min(len(r.Nodes), summarySteps) {
		n, more := &r.Nodes[i], NodeDetail{}
		if i < len(d.Nodes) {
			more = d.Nodes[i]
		}
		if n.Visits > 0 {
			t.add(plain(n.Node), number(n.Visits), span(n.Time), number(n.ModelCalls), span(more.ModelTime),
				number(n.Usage.Input), number(n.Usage.Output), money(n.Usage.Cost), number(n.Tools.Made), span(more.ToolTime))
		}
	}
	if len(t[0].cells) > 0 {
		s.line()
	}
	s.sheet(t, indent)
	models := map[string]int{}
	var names []string
	for i := range d.Calls {
		name := d.Calls[i].Model
		if models[name] == 0 {
			names = append(names, name)
		}
		models[name]++
	}
	slices.Sort(names)
	for i, name := range names {
		if names[i] = plain(name) + " " + strconv.Itoa(models[name]); name == "" {
			names[i] = "the provider's default " + strconv.Itoa(models[name])
		}
	}
	if len(names) > 0 {
		s.line("\n", indent, "calls by model: ", strings.Join(names[:min(len(names), summaryItems)], ", "))
	}
}

// failures writes the failed steps.
func (s *summary) failures(r *Report, indent string) {
	for i := range r.Failures {
		f := &r.Failures[i]
		if i == 0 {
			s.line("\n", indent, "failures:")
		}
		if i == summaryItems {
			s.line(indent, "  ", count(len(r.Failures)-i, "more failure"))
			return
		}
		after := ", not recovered"
		switch {
		case f.Soft:
			after = ", soft"
		case f.Cleared:
			after = ", recovered"
		}
		if f.Err == nil {
			continue
		}
		w := &f.Err.Where
		s.line(indent, "  step ", strconv.Itoa(w.Step), ", ", at(w.Node, w.Branch), ", attempt ", strconv.Itoa(f.Err.Attempt),
			after, ": ", plain(f.Err.Err.Error()))
	}
}

// guards writes the verdicts of guards, and the blocks of prompts that were left out.
func (s *summary) guards(r *Report, d *RunDetail, indent string) {
	t := sheet{{title: "guard"}, {title: "node"}, {title: "passed", right: true}, {title: "refused", right: true}}
	for _, g := range d.Guards[:min(len(d.Guards), summaryItems)] {
		t.add(plain(g.Guard), plain(g.Node), strconv.Itoa(g.Passed), number(g.Refused))
	}
	if len(d.Guards) > 0 {
		s.line()
	}
	s.sheet(t, indent)
	for i := range r.Refusals {
		f := &r.Refusals[i]
		if i == 0 {
			s.line("\n", indent, "refused:")
		}
		if i == summaryItems {
			s.line(indent, "  ", count(len(r.Refusals)-i, "more refusal"))
			break
		}
		for _, g := range f.Guards {
			s.line(indent, "  step ", strconv.Itoa(f.Where.Step), ", ", at(f.Where.Node, f.Where.Branch), ", attempt ",
				strconv.Itoa(f.Attempt), ": ", plain(g.Guard), ": ", plain(g.Message))
		}
	}
	for i, b := range d.LeftOut {
		if i == 0 {
			s.line("\n", indent, "left out of prompts:")
		}
		if i == summaryItems {
			s.line(indent, "  ", count(len(d.LeftOut)-i, "more block"))
			break
		}
		s.line(indent, "  ", at(b.Node, b.Branch), ", visit ", strconv.Itoa(b.Visit), ": ", plain(b.Block))
	}
}

// changes writes how many changes of the graph nodes requested.
func (s *summary) changes(r *Report, indent string) {
	if len(r.Mutations) == 0 {
		return
	}
	refused := 0
	for i := range r.Mutations {
		if r.Mutations[i].Refused != "" {
			refused++
		}
	}
	s.line("\n", indent, count(len(r.Mutations), "change"), " of the graph", counted(refused, "refused"))
}

// A sheet is a table, by columns.
type sheet []column

type column struct {
	title string
	right bool // numbers
	cells []string
}

func (t sheet) add(cells ...string) {
	for i := range t {
		t[i].cells = append(t[i].cells, cells[i])
	}
}

// sheet writes a table, without the columns that are empty.
func (s *summary) sheet(t sheet, indent string) {
	t = slices.DeleteFunc(t, func(c column) bool {
		return !slices.ContainsFunc(c.cells, func(cell string) bool { return cell != "" })
	})
	if len(t) == 0 {
		return
	}
	widths := make([]int, len(t))
	for i, c := range t {
		widths[i] = utf8.RuneCountInString(c.title)
		for _, cell := range c.cells {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for row := -1; row < len(t[0].cells); row++ {
		line := ""
		for i, c := range t {
			cell := c.title
			if row >= 0 {
				cell = c.cells[row]
			}
			room := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if c.right {
				cell = room + cell
			} else {
				cell += room
			}
			line += "  " + cell
		}
		s.line(indent, strings.TrimRight(line, " "))
	}
}

// at returns a node with its branch.
func at(node, branch string) string {
	if branch == "" {
		return plain(node)
	}
	return plain(node) + " in " + plain(branch)
}

// plain returns a text as a part of a line: without control characters, and not longer than a line.
func plain(text string) string {
	var b strings.Builder
	runes := 0
	for _, c := range text {
		if runes++; runes > summaryRunes {
			b.WriteRune('…')
			break
		}
		switch {
		case unicode.IsSpace(c):
			b.WriteByte(' ')
		case !unicode.IsPrint(c):
			b.WriteRune(utf8.RuneError)
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}

// count returns a number of things.
func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return strconv.Itoa(n) + " " + what
}

func counted(n int, what string) string {
	if n == 0 {
		return ""
	}
	return ", " + strconv.Itoa(n) + " " + what
}

func number(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func span(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return brief(d)
}

func within(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return " in " + brief(d)
}

func money(dollars float64) string {
	if dollars == 0 {
		return ""
	}
	return "$" + strconv.FormatFloat(dollars, 'f', 4, 64)
}

func usage(u chat.Usage) string {
	text := counted(u.Input, "tokens in") + counted(u.Output, "out")
	if u.Cost != 0 {
		text += ", " + money(u.Cost)
	}
	return text
}

// brief returns a duration with about three digits.
func brief(d time.Duration) string {
	switch {
	case d >= time.Minute:
		d = d.Round(time.Second)
	case d >= time.Second:
		d = d.Round(10 * time.Millisecond)
	case d >= time.Millisecond:
		d = d.Round(10 * time.Microsecond)
	default:
		d = d.Round(100 * time.Nanosecond)
	}
	return d.String()
}
