package diag_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/spec/diag"
)

// TestHelp writes a help in YAML and by another writer, and finds its fixes.
func TestHelp(t *testing.T) {
	h := diag.Help("add " + diag.Add("timeout", "24h") + ", as in " + diag.Item("{from: a, to: b}") + ", write " + diag.Instead("next", "NODE") + " " +
		diag.Either("under nodes", "to the struct") + ", " + diag.Key("if") + ", " + diag.Declare("topic", "string") + ", " + diag.OfType("?int") + ", " +
		diag.Rename("kind", "prompt") + ", " + diag.DidYouMean("draft") + " " + diag.Quote("quotes") + " " + diag.Unquote("no quotes") + " or " +
		diag.Remove("remove it"))
	const yaml = "add timeout: 24h, as in {from: a, to: b}, write next: NODE under nodes, if:, topic: string, ?int, kind: prompt, " +
		`did you mean "draft"? quotes no quotes or remove it`
	if got := h.String(); got != yaml {
		t.Errorf("got  %q\nwant %q", got, yaml)
	}
	forms := ""
	words := h.Write(func(s diag.Suggestion) string { forms += string(s.Form); return "_" })
	if words != "add _, as in _, write _ _, _, _, _, _, _ _ _ or _" || forms != "sesvsftsnppp" {
		t.Errorf("the help has %q and %q", words, forms)
	}
	if again := words.Write(nil); again != words || again.Fixes() != nil {
		t.Errorf("words become %q", again)
	}
	want := []diag.Suggestion{
		{diag.Setting, "timeout", "24h", diag.Adding}, {diag.Setting, "next", "NODE", diag.Replacing}, {diag.Setting, "kind", "prompt", diag.Renaming},
		{diag.Name, "", "draft", diag.Renaming}, {diag.Phrase, "quotes", "", diag.Quoting}, {diag.Phrase, "no quotes", "", diag.Unquoting},
		{diag.Phrase, "remove it", "", diag.Removing},
	}
	if got := h.Fixes(); !slices.Equal(got, want) {
		t.Errorf("the fixes are %v", got)
	}
}

// TestHelpWithMarks leaves marks of an author as they are, and finds what is behind them.
func TestHelpWithMarks(t *testing.T) {
	for _, words := range []string{"\x02", "\x03", "a\x02b\x1fc", "\x02s\x1fa\x1fb\x03", "\x02\x1f\x1f\x1f\x03", "\x02\x02"} {
		h := diag.Help(words + diag.Set("next", "b") + words)
		if got := h.String(); got != words+"next: b"+words {
			t.Errorf("%q becomes %q", words, got)
		}
	}
}

// TestFixesAsJSON writes the fixes of a help without its words.
func TestFixesAsJSON(t *testing.T) {
	var out bytes.Buffer
	help := diag.Help(diag.Add("timeout", "24h") + diag.DidYouMean("draft") + diag.Remove("remove it"))
	if err := diag.JSON(&out, []diag.Diagnostic{{Code: "GG001", File: "f", Message: "m", Help: help}}); err != nil {
		t.Fatal(err)
	}
	_, fixes, _ := strings.Cut(strings.Join(strings.Fields(out.String()), ""), `"fixes":`)
	if fixes != `[{"do":"add","key":"timeout","value":"24h"},{"do":"rename","value":"draft"},{"do":"remove"}]}]` {
		t.Errorf("the fixes are %s", fixes)
	}
}
