// Package studio serves a page that shows the graphs of a server, their threads and runs, starts runs and answers what they ask.
package studio

import (
	"embed"
	"net/http"
	"strings"

	"github.com/graphgen/graphgen/internal/runview"
)

//go:embed web
var web embed.FS

// policy lets the page load what the handler serves, and nothing else.
const policy = "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Handler returns the page, with an API of contrib/serve below the path api. If readOnly, it changes nothing.
func Handler(api http.Handler, readOnly bool) http.Handler {
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
		if readOnly && r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(http.StatusForbidden)
			_, _ = w.Write([]byte(`{"type":"about:blank","status":403,"code":"read_only","detail":"This studio changes nothing."}`))
			return
		}
		api.ServeHTTP(w, r)
	})
	return mux
}

// kinds are the media types of files.
var kinds = map[string]string{
	"{$}": "text/html; charset=utf-8", "mjs": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8", "svg": "image/svg+xml",
}

// files are the files of the page, by their paths; {$} is the page itself.
func files() map[string]string {
	all := map[string]string{"fold.mjs": runview.Fold, "view.mjs": runview.View, "view.css": runview.Sheet, "picture.css": runview.PictureSheet}
	for _, name := range []string{"studio.mjs", "form.mjs", "studio.css", "icon.svg", "index.html"} {
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
