package record

import (
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/quote"
)

// Excerpt is how many bytes of a value a DivergenceError quotes at most.
const Excerpt = 72

// A DivergenceError is the error of a call of a replay that was not recorded, and of Done for
// recorded calls that were not made. It ends the run, and is not sent to a model. If the change is
// intended, record the run again; otherwise mend what Field names.
type DivergenceError struct {
	Call  int    // the number of the recorded call; 0: none is like it
	Kind  string // model, tool, or tools: the list of a toolbox
	Name  string // the purpose, or the tool
	By    string // who called in the recorded run
	Field string // what differs, such as messages[3].text; empty: the call itself is too many, or missing
	How   string // in words
}

func (e *DivergenceError) Error() string {
	s := "the replay diverges"
	if e.Call > 0 {
		s += " at call " + strconv.Itoa(e.Call)
	}
	s += " (" + e.Kind
	if e.Name != "" {
		s += " " + clipped(e.Name)
	}
	if e.By != "" {
		s += " of " + clipped(e.By)
	}
	s += "): "
	if e.Field != "" {
		s += e.Field + ": "
	}
	return s + e.How
}

// clipped returns a name as it is, or an excerpt if the name is long or is not plain text.
func clipped(name string) string {
	if q := quote.Text(name); len(name) > Excerpt || q[1:len(q)-1] != name {
		return excerpt(name, 0)
	}
	return name
}

// Fatal reports true: a model cannot mend it.
func (e *DivergenceError) Fatal() bool { return true }

// EndsRun reports true: a run that is not the one recorded goes no further, whatever its graph has
// wired for failures.
func (e *DivergenceError) EndsRun() bool { return true }

func notMade(e *entry, others int) *DivergenceError {
	how := "it has not been made"
	switch {
	case others == 1:
		how += ", nor has another one"
	case others > 1:
		how += ", nor have " + strconv.Itoa(others) + " others"
	}
	return &DivergenceError{Call: e.number, Kind: e.kind, Name: e.name, By: e.by, How: how}
}

func oneMore(kind, name string) *DivergenceError {
	return &DivergenceError{Kind: kind, Name: name, How: "it is made once more than in the recording"}
}

// foreign is of a call without a recorded call to compare it with.
func foreign(kind, name string, entries []*entry) *DivergenceError {
	recorded := 0
	for _, e := range entries {
		if e.kind == kind && (kind == "model" || e.name == name) {
			recorded++
		}
	}
	how := "the recording has no such call"
	switch {
	case recorded == 1:
		how = "the only one in the recording has been made, with something else"
	case recorded > 1:
		how = "all " + strconv.Itoa(recorded) + " in the recording have been made, with something else"
	}
	return &DivergenceError{Kind: kind, Name: name, How: how}
}

// A field is a part of a call, as text. Those that are empty are not there.
type field struct{ path, value string }

type fields []field

func (f *fields) add(path, value string) {
	if value != "" {
		*f = append(*f, field{path, value})
	}
}

func toolFields(k toolKey) (f fields) {
	f.add("by", k.by)
	f.add("name", k.name)
	f.add("arguments", k.arguments)
	return f
}

func requestFields(by string, r *chat.Request) (f fields) {
	f.add("by", by)
	f.add("purpose", string(r.Purpose))
	f.add("model", r.Model)
	f.add("system", r.System)
	for i, t := range r.Tools {
		at := "tools[" + strconv.Itoa(i) + "]"
		f.add(at+".name", t.Name)
		f.add(at+".doc", t.Doc)
		f.add(at+".schema", compact(t.Schema))
	}
	if r.Choice.Mode != chat.Auto {
		f.add("choice.mode", modeJSON.Names[min(int(r.Choice.Mode), len(modeJSON.Names)-1)])
	}
	f.add("choice.name", r.Choice.Name)
	if r.Output != nil {
		f.add("output.name", r.Output.Name)
		f.add("output.json", compact(r.Output.JSON))
	}
	if r.Temperature != nil {
		f.add("temperature", strconv.FormatFloat(*r.Temperature, 'g', -1, 64))
	}
	if r.MaxTokens != 0 {
		f.add("max_tokens", strconv.Itoa(r.MaxTokens))
	}
	f.flag("cache", r.Cache)
	for i := range r.Messages {
		f.message("messages["+strconv.Itoa(i)+"]", &r.Messages[i])
	}
	return f
}

func (f *fields) message(at string, m *chat.Message) {
	f.add(at+".role", m.Role.String())
	f.add(at+".text", m.Text)
	for i, media := range m.Media {
		at := at + ".media[" + strconv.Itoa(i) + "]"
		f.add(at+".type", media.Type)
		f.add(at+".url", media.URL)
		f.add(at+".data", string(media.Data))
		f.add(at+".name", media.Name)
	}
	for i, c := range m.Calls {
		at := at + ".calls[" + strconv.Itoa(i) + "]"
		f.add(at+".id", c.ID)
		f.add(at+".name", c.Name)
		f.add(at+".arguments", c.Arguments)
		f.add(at+".opaque", c.Opaque)
	}
	for i, r := range m.Reasoning {
		at := at + ".reasoning[" + strconv.Itoa(i) + "]"
		f.add(at+".text", r.Text)
		f.add(at+".opaque", r.Opaque)
		f.flag(at+".hidden", r.Hidden)
	}
	f.add(at+".call", m.Call)
	f.add(at+".name", m.Name)
	f.flag(at+".failed", m.Failed)
}

func (f *fields) flag(path string, v bool) {
	if v {
		f.add(path, "true")
	}
}

// differs returns the first field in which a call differs from the recorded one.
func differs(e *entry, recorded, got fields) *DivergenceError {
	d := &DivergenceError{Call: e.number, Kind: e.kind, Name: e.name, By: e.by}
	for i := 0; i < len(recorded) || i < len(got); i++ {
		var was, is field
		if i < len(recorded) {
			was = recorded[i]
		}
		if i < len(got) {
			is = got[i]
		}
		switch {
		case was == is:
			continue
		case was.path == is.path:
			d.Field, d.How = was.path, compared(was.value, is.value)
		case is.path != "" && !recorded.has(is.path):
			d.Field, d.How = is.path, "recorded none, got "+excerpt(is.value, 0)
		default:
			d.Field, d.How = was.path, "recorded "+excerpt(was.value, 0)+", got none"
		}
		return d
	}
	d.How = "it differs in no field"
	return d
}

func (f fields) has(path string) bool {
	return slices.ContainsFunc(f, func(x field) bool { return x.path == path })
}

// compared quotes two values around the place where they differ first.
func compared(was, is string) string {
	n := 0
	for n < len(was) && n < len(is) && was[n] == is[n] {
		n++
	}
	return "recorded " + excerpt(was, n) + ", got " + excerpt(is, n)
}

// excerpt quotes a value around a place in it.
func excerpt(s string, at int) string {
	const before, all = 24, Excerpt
	start, end := max(0, at-before), len(s)
	if end-start > all {
		end = start + all
	}
	for start > 0 && start > at-before-utf8.UTFMax && !utf8.RuneStart(s[start]) {
		start--
	}
	for end < len(s) && end > at && !utf8.RuneStart(s[end]) {
		end--
	}
	q := quote.Text(s[start:end])
	if start > 0 {
		q = "…" + q
	}
	if end < len(s) {
		q += "…"
	}
	return q
}
