package scenario

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/graphgen/graphgen/spec/escape"
)

// report writes the results of a graph in the style of go test.
func (t *tester) report(g *Graph) {
	failed := 0
	for i := range g.Results {
		r := &g.Results[i]
		if len(r.Failures) > 0 {
			failed++
			r.write(t.Stdout)
		} else if t.Verbose {
			fmt.Fprintf(t.Stdout, "--- PASS: %s\n    path: %s (%s)\n", r.title(), list(r.Path), r.End)
		}
	}
	if g.Cover != nil {
		g.Cover.write(t.Stdout, specFile(g.Spec))
	}
	switch {
	case g.Problem != "":
		fmt.Fprintf(t.Stdout, "%s\nFAIL\t%s\n", g.Problem, g.Spec)
	case failed > 0:
		fmt.Fprintf(t.Stdout, "FAIL\t%s\t%s, %d failed\t%s\n", g.Spec, counted(len(g.Results), "scenario"), failed, seconds(g.Elapsed))
	case len(g.Results) == 0 && g.LeftOut > 0:
		fmt.Fprintf(t.Stdout, "ok  \t%s\t[no scenarios to run: -run matches none of %d]\n", g.Spec, g.LeftOut)
	case len(g.Results) == 0:
		fmt.Fprintf(t.Stdout, "?   \t%s\t[no scenarios]\n", g.Spec)
	default:
		fmt.Fprintf(t.Stdout, "ok  \t%s\t%s\t%s\n", g.Spec, counted(len(g.Results), "scenario"), seconds(g.Elapsed))
	}
}

func (r *Result) title() string {
	return fmt.Sprintf("%s/%s (%s:%d)", r.Graph, visible(r.Name), r.File, r.Line)
}

// counted formats a count: 1 scenario, 2 scenarios.
func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3fs", d.Seconds()) }

func list(names []string) string {
	if len(names) == 0 {
		return none
	}
	return strings.Join(names, ", ")
}

// write writes a failed scenario.
func (r *Result) write(w io.Writer) {
	fmt.Fprintf(w, "--- FAIL: %s\n", r.title())
	about := map[string]bool{}
	for _, f := range r.Failures {
		about[f.What] = true
		f.write(w)
	}
	if !about["path"] && !about["run"] {
		fmt.Fprintf(w, "    the path was %s (%s)\n", list(r.Path), r.End)
	}
	if r.Error != "" && !about["error"] {
		fmt.Fprintf(w, "    the error was %s\n", visible(r.Error))
	}
}

// write writes the expected value above the actual one, and marks the difference.
func (f *Failure) write(w io.Writer) {
	if f.What == "run" {
		fmt.Fprintf(w, "    %s\n", visible(f.Got))
		return
	}
	fmt.Fprintf(w, "    %s, line %d:\n", f.What, f.Line)
	fmt.Fprintf(w, "        want  %s\n", visible(f.Want))
	fmt.Fprintf(w, "        got   %s\n", visible(f.Got))
	if f.MarkWidth > 0 {
		before := utf8.RuneCountInString(f.Got[:min(f.Mark, len(f.Got))])
		fmt.Fprintf(w, "              %s%s\n", strings.Repeat(" ", before), strings.Repeat("^", f.MarkWidth))
	}
}

// visible indents the lines of a text under the first, and escapes control characters.
func visible(s string) string {
	var b strings.Builder
	for _, c := range strings.TrimRight(s, "\n") {
		switch {
		case c == '\n':
			b.WriteString("\n              ")
		case c == '\t':
			b.WriteRune(c)
		default:
			b.WriteString(escape.Line(string(c)))
		}
	}
	return b.String()
}
