// Package studio serves a page that shows the graphs of a server, their threads and runs, starts runs and answers what they ask.
package studio

import (
	"embed"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"github.com/graphgen/graphgen/internal/runevents"
	"github.com/graphgen/graphgen/internal/runview"
)

//go:embed web
var web embed.FS

// policy lets the page load what the handler serves, and nothing else.
const policy = "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Options are what the page has besides an API.
type Options struct {
	ReadOnly bool         // it changes nothing
	Module   http.Handler // specs, their scenarios and versions, and recordings; nil: the page is not served where they are
}

// Handler returns the page, with an API of contrib/serve below the path api, and what it knows of a module below the path module.
func Handler(api http.Handler, o Options) http.Handler {
	mux := http.NewServeMux()
	for name, text := range files() {
		mux.HandleFunc("GET /"+name, func(w http.ResponseWriter, _ *http.Request) {
			head := w.Header()
			head.Set("Content-Type", kinds[name[strings.LastIndexByte(name, '.')+1:]])
			head.Set("Content-Security-Policy", policy)
			head.Set("X-Content-Type-Options", "nosniff")
			head.Set("Cache-Control", "no-cache")
			_, _ = w.Write([]byte(text)) // a browser that has gone
		})
	}
	api = http.StripPrefix("/api", api)
	mux.HandleFunc("/api/", func(w http.ResponseWriter, r *http.Request) {
		if o.ReadOnly && r.Method != http.MethodGet && r.Method != http.MethodHead {
			Refuse(w, http.StatusForbidden, "read_only", "This studio changes nothing.")
			return
		}
		api.ServeHTTP(w, r)
	})
	mux.HandleFunc("POST /events", readReport)
	if o.Module == nil {
		o.Module = http.HandlerFunc(noModule)
	}
	mux.Handle("/module/", http.StripPrefix("/module", o.Module))
	return mux
}

// noModule answers where there is no module.
func noModule(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/" {
		Refuse(w, http.StatusNotFound, "no_module", "This studio knows no module.")
		return
	}
	Answer(w, struct{}{})
}

// largestReport is the most bytes of a report.
const largestReport = 64 << 20

// readReport makes a report, which the page has read from a file, into events.
func readReport(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, largestReport))
	if err != nil {
		Refuse(w, http.StatusRequestEntityTooLarge, "large", "The file is too large for a report.")
		return
	}
	report := runevents.ReadReport(text)
	if report == nil {
		Refuse(w, http.StatusUnprocessableEntity, "no_run", "The file has neither events as JSON lines nor a report as JSON.")
		return
	}
	Answer(w, map[string]any{"note": runevents.ReportNote, "events": report.Events()})
}

// Answer writes a value as JSON.
func Answer(w http.ResponseWriter, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		Refuse(w, http.StatusInternalServerError, "internal", err.Error())
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(data) // a browser that has gone
}

// Refuse writes a problem, as contrib/serve does.
func Refuse(w http.ResponseWriter, status int, code, detail string) {
	data, _ := json.Marshal(map[string]any{"type": "about:blank", "status": status, "code": code, "detail": detail}) // texts and a number
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	_, _ = w.Write(data) // a browser that has gone
}

// kinds are the media types of files.
var kinds = map[string]string{
	"{$}": "text/html; charset=utf-8", "mjs": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8", "svg": "image/svg+xml",
}

// files are the files of the page, by their paths; {$} is the page itself.
func files() map[string]string {
	all := map[string]string{
		"exact.mjs": runview.Exact, "fold.mjs": runview.Fold, "paint.mjs": runview.Paint, "view.mjs": runview.View,
		"view.css": runview.Sheet, "picture.css": runview.PictureSheet,
	}
	for _, name := range []string{"studio.mjs", "form.mjs", "module.mjs", "source.mjs", "studio.css", "icon.svg", "index.html"} {
		text, err := web.ReadFile("web/" + name)
		if err != nil {
			panic(err) // it is embedded
		}
		all[name] = string(text)
	}
	all["{$}"] = strings.Replace(all["index.html"], "PARTS", runview.Parts, 1)
	delete(all, "index.html")
	return all
}
