package diag

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/graphgen/graphgen/spec/escape"
)

// jsonDiagnostic is a Diagnostic as graphgen -json gives it. Fields are only ever added.
type jsonDiagnostic struct {
	File     string        `json:"file"`
	Line     int           `json:"line,omitzero"`
	Col      int           `json:"col,omitzero"`
	Width    int           `json:"width,omitzero"`
	Code     string        `json:"code"`
	Severity string        `json:"severity"`
	Message  string        `json:"message"`
	Related  []jsonRelated `json:"related,omitempty"`
	Help     string        `json:"help,omitempty"`
	Fixes    []jsonFix     `json:"fixes,omitempty"`
}

type jsonRelated struct {
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitzero"`
	Col     int    `json:"col,omitzero"`
	Width   int    `json:"width,omitzero"`
	Message string `json:"message"`
}

// A jsonFix is a change that the help describes: what an editor can do at the place of the diagnostic.
type jsonFix struct {
	Do    Fix    `json:"do"`
	Key   string `json:"key,omitempty"`
	Value string `json:"value,omitempty"`
}

// JSON writes diagnostics as one JSON array, which may be empty. line and col count from 1, col and
// width in runes. Unknown values are left out.
func JSON(w io.Writer, ds []Diagnostic) error {
	list := make([]any, 0, len(ds))
	for i := range ds {
		list = append(list, ds[i].Object())
	}
	return EncodeJSON(w, list)
}

// Object returns the value that a diagnostic is in JSON.
func (d *Diagnostic) Object() any {
	j := jsonDiagnostic{
		File: d.File, Line: d.Pos.Line, Col: d.Pos.Col, Width: d.Pos.Width,
		Code: d.Code, Severity: d.Severity.String(), Message: d.Message, Help: d.Help.String(),
	}
	for _, s := range d.Help.Fixes() {
		f := jsonFix{Do: s.Fix, Value: s.Value}
		if s.Form == Setting {
			f.Key = s.Key
		}
		j.Fixes = append(j.Fixes, f)
	}
	for _, r := range d.Remarks() {
		j.Related = append(j.Related, jsonRelated{File: r.Pos.File, Line: r.Pos.Line, Col: r.Pos.Col, Width: r.Pos.Width, Message: r.Message})
	}
	return j
}

// EncodeJSON writes a value as indented JSON. It escapes characters that a terminal would
// interpret.
func EncodeJSON(w io.Writer, value any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(value); err != nil {
		return err
	}
	_, err := w.Write(escape.JSON(b.Bytes()))
	return err
}
