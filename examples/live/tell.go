package main

import (
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/graphgen/graphgen"
)

// A teller prints a run as it happens.
type teller struct {
	w    io.Writer
	mode string // of the line that has been begun, and the branch; empty: none has
	who  string // the branch of the last event; empty outside of branches
}

func (t *teller) tell(e graphgen.Event) {
	t.who = e.Run.Branch
	switch e.Kind {
	case graphgen.Token:
		t.say("thinks", e.Token().Reasoning)
		t.say("says", e.Token().Text)
	case graphgen.ToolStart:
		t.line("calls", e.Tool().Name+" "+e.Tool().Arguments)
	case graphgen.ToolEnd:
		if e.Err != nil {
			t.line("failed", e.Tool().Name+": "+e.Err.Error())
		} else {
			t.line("found", e.Tool().Name+": "+short(e.Tool().Result))
		}
	case graphgen.Retry:
		t.line("again", e.Err.Error())
	case graphgen.NodeEnd:
		t.end()
	case graphgen.Mutated:
		text, refused := e.Mutation()
		if refused != "" {
			text += ", refused: " + refused
		}
		t.line("alters", text)
	}
}

// say continues the line of the mode and the branch, or begins one.
func (t *teller) say(mode, text string) {
	if text == "" {
		return
	}
	if line := mode + " " + t.who; t.mode != line {
		t.end()
		fmt.Fprintf(t.w, "  %-7s", mode)
		if t.who != "" {
			fmt.Fprint(t.w, t.who, ": ")
		}
		t.mode = line
	}
	fmt.Fprint(t.w, clean(text))
}

func (t *teller) line(mode, text string) {
	t.end()
	t.say(mode, text)
	t.end()
}

// end ends the line that has been begun.
func (t *teller) end() {
	if t.mode != "" {
		fmt.Fprintln(t.w)
		t.mode = ""
	}
}

// figures returns a summary of what a run has cost.
func figures(r *graphgen.Report) string {
	text := fmt.Sprintf("%v: %d model calls, %d tokens in (%d of them from the cache), %d out; %d tool calls of which %d failed",
		r.Reason, r.ModelCalls, r.Usage.Input, r.Usage.CacheRead, r.Usage.Output, r.Tools.Made, r.Tools.Failed)
	if r.Usage.Cost > 0 {
		text += fmt.Sprintf("; %.4f US dollars", r.Usage.Cost)
	}
	return text
}

// short returns the beginning of a text, on one line.
func short(text string) string {
	const most = 100
	line := []rune(strings.Join(strings.Fields(text), " "))
	if len(line) > most {
		return string(line[:most]) + " …"
	}
	return string(line)
}

// clean takes from a text what would be an order to the terminal.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, text)
}
