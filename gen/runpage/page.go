// Package runpage writes a run, or two side by side, as one HTML file: the picture of the graph, the steps as a waterfall, and each step in
// detail. The file needs no network and no other file. What runs add up to is computed in the browser, by fold.mjs, which is a pure function.
package runpage

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/graphgen/graphgen/gen/picture"
	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/gen/view"
	"github.com/graphgen/graphgen/internal/runview"
)

// A Page is what is shown of runs of a graph.
type Page struct {
	Machine *plan.Machine
	Open    int                 // how deep graphs that nodes run are drawn within these nodes
	Files   map[string][]string // the lines of specs, by the names that events have
	Runs    []Run               // one or two
}

// A Run is a run to show.
type Run struct {
	Name   string            `json:"name"`   // of where it was read
	Note   string            `json:"note"`   // what the page does not show of steps, and why
	Events []json.RawMessage `json:"events"` // as AppendJSON of graphgen.Event writes them
}

// HTML writes the page. No text of a spec or a run ends an element or begins one.
func (p *Page) HTML() ([]byte, error) {
	data, err := p.data()
	if err != nil {
		return nil, err
	}
	code := runview.Script()
	css := runview.Sheet + picture.Sheet()
	title := "graph " + p.Machine.Name
	var b bytes.Buffer
	fmt.Fprintf(&b, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>%s</title>\n", escaped(title))
	fmt.Fprintf(&b, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
	policy := fmt.Sprintf("default-src 'none'; script-src '%s'; style-src '%s'; base-uri 'none'; form-action 'none'", hash(code), hash(css))
	fmt.Fprintf(&b, "<meta http-equiv=\"Content-Security-Policy\" content=\"%s\">\n", policy)
	fmt.Fprintf(&b, "<style>%s</style>\n</head>\n<body>\n<header>\n<h1>%s</h1>\n", css, escaped(p.Machine.Name))
	b.WriteString("<div id=\"runs\"></div>\n<button id=\"theme\">light or dark</button>\n</header>\n<main>\n")
	picture := picture.Of(p.Machine, picture.Options{Open: p.Open}).SVG(picture.Style{Bare: true})
	fmt.Fprintf(&b, "<section id=\"picture\" aria-label=\"graph\">\n%s</section>\n", picture)
	b.WriteString(runview.Parts + "</main>\n")
	fmt.Fprintf(&b, "<script type=\"application/json\" id=\"data\">%s</script>\n", data)
	fmt.Fprintf(&b, "<script type=\"module\">%s</script>\n</body>\n</html>\n", code)
	return b.Bytes(), nil
}

// data returns the data of the page as JSON in ASCII, without < and >.
func (p *Page) data() ([]byte, error) {
	graphs := view.Children(p.Machine)
	for k := range graphs {
		graphs[k].Transitions = nil // events have their numbers
	}
	drawn := map[string]any{"nodes": view.Nodes(p.Machine), "graphs": graphs}
	data, err := json.Marshal(map[string]any{"view": drawn, "files": p.Files, "runs": p.Runs})
	if err != nil {
		return nil, err
	}
	return ascii(data), nil
}

// ascii writes each character of JSON beyond ASCII as an escape.
func ascii(data []byte) []byte {
	out := make([]byte, 0, len(data))
	for i := 0; i < len(data); {
		if c := data[i]; c < utf8.RuneSelf {
			if c == 0x7f {
				out = append(out, `\u007f`...)
			} else {
				out = append(out, c)
			}
			i++
			continue
		}
		r, n := utf8.DecodeRune(data[i:])
		i += n
		if high, low := utf16.EncodeRune(r); high != utf8.RuneError {
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		} else {
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return out
}

// escaped writes a text as HTML, without characters that a document must not have.
func escaped(text string) string {
	return html.EscapeString(strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return utf8.RuneError
		}
		return r
	}, text))
}

// hash returns a text as a policy names it.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
