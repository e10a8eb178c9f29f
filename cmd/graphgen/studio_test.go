package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
)

// TestStudio holds what the proxy of the studio sends on, and whom it refuses.
func TestStudio(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.Method+" "+r.URL.Path+" ["+r.Header.Get("Authorization")+"]["+r.Header.Get("Cookie")+"]["+r.Header.Get("Origin")+"]")
	}))
	defer server.Close()
	handler := func(v studioVerb) http.Handler {
		h, err := v.handler(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	down := httptest.NewServer(nil)
	down.Close()
	open := handler(studioVerb{Of: []string{server.URL + "/agents"}, Header: []string{"Authorization: Bearer x"}})
	closed := handler(studioVerb{Of: []string{server.URL}, ReadOnly: true})
	gone := handler(studioVerb{Of: []string{down.URL}})
	for _, row := range []struct {
		h                  http.Handler
		method, path, host string
		site               string
		status             int
		body               string
	}{
		{open, "GET", "/api/graphs", "localhost:8090", "", 200, "GET /agents/graphs [Bearer x][][]"},
		{open, "POST", "/api/threads/a/stop", "127.0.0.1:8090", "same-origin", 200, "POST /agents/threads/a/stop [Bearer x][][]"},
		{open, "POST", "/api/threads/a/stop", "127.0.0.1:8090", "cross-site", 403, ""},
		{open, "GET", "/", "[::1]:8090", "", 200, `<script type="module" src="studio.mjs">`},
		{open, "GET", "/view.mjs", "localhost", "", 200, "runView"},
		{open, "GET", "/", "evil.example", "", 403, "for this machine"},
		{open, "GET", "/nothing", "localhost", "", 404, ""},
		{closed, "POST", "/api/threads/a/stop", "localhost", "same-origin", 403, "changes nothing"},
		{gone, "GET", "/api/graphs", "localhost", "", 502, "cannot be reached"},
	} {
		r := httptest.NewRequest(row.method, row.path, nil)
		r.Host, r.RemoteAddr = row.host, "127.0.0.1:50000"
		r.Header.Set("Cookie", "secret")
		if row.site != "" {
			r.Header.Set("Sec-Fetch-Site", row.site)
			r.Header.Set("Origin", "http://"+row.host)
		}
		w := httptest.NewRecorder()
		row.h.ServeHTTP(w, r)
		if w.Code != row.status || !strings.Contains(w.Body.String(), row.body) {
			t.Errorf("%s %s at %s: %d %.200s", row.method, row.path, row.host, w.Code, w.Body)
		}
	}
	for _, v := range []studioVerb{
		{Of: []string{"localhost:8080"}}, {Of: []string{"ftp://x"}}, {Of: []string{"http://x", "http://y"}}, {Of: []string{"http://x"}, Header: []string{"x"}},
		{Of: []string{"testdata"}, Header: []string{"x: y"}},
	} {
		if _, err := v.handler(t.Context()); err == nil {
			t.Errorf("%+v is accepted", v)
		}
	}
}

// TestStudioIsLocal holds that the studio answers programs of this machine alone, whatever address it listens on.
func TestStudioIsLocal(t *testing.T) {
	h, err := (&studioVerb{Of: []string{"a.jsonl"}}).handler(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for remote, status := range map[string]int{
		"127.0.0.1:50000": 200, "[::1]:50000": 200, "[::ffff:127.0.0.1]:50000": 200,
		"192.0.2.1:1": 403, "[2001:db8::1]:1": 403, "": 403,
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Host, r.RemoteAddr = "localhost", remote
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != status {
			t.Errorf("a request of %q has the status %d, want %d", remote, w.Code, status)
		}
	}
}

// TestStudioRecordings holds which recordings the page gets: those that are operands, and of a file of events any run in it.
func TestStudioRecordings(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "two.jsonl", "the events of two runs")
	write(t, dir, "other.jsonl", "the events of another one")
	two := filepath.Join(dir, "two.jsonl")
	for _, row := range []struct {
		operand, of string
		status      int
	}{
		{two, two, 200},
		{two, two + "#B", 200},
		{two + "#A", two + "#B", 200},
		{two + "#A", two, 200},
		{two, filepath.Join(dir, "other.jsonl") + "#B", 404},
		{two, dir + "#B", 404},
		{"file:" + dir + "#a.jsonl", "file:" + dir + "#b.jsonl", 404},
		{"file:" + two + "#a", two + "#a", 404},
	} {
		h, err := (&studioVerb{Of: []string{row.operand}}).handler(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequest("GET", "/module/recording?of="+url.QueryEscape(row.of), nil)
		r.Host, r.RemoteAddr = "localhost:8090", "127.0.0.1:50000"
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != row.status || row.status == 200 && w.Body.String() != "the events of two runs" {
			t.Errorf("of %s, %s: %d %.200s", row.operand, row.of, w.Code, w.Body)
		}
	}
}
