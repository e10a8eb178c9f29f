package providertest

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/graphgen/graphgen/contrib/bounded"
)

// body answers with a header, then in turn with what parts say: strings, and handlers.
func body(status int, contentType string, parts ...any) handler {
	return func(s *server, w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		for _, part := range parts {
			switch part := part.(type) {
			case string:
				_, _ = io.WriteString(w, part)
			case handler:
				part(s, w, r)
			}
		}
	}
}

// whole answers without a stream.
func whole(a Answer, then ...any) handler {
	return func(s *server, w http.ResponseWriter, r *http.Request) {
		body(200, jsonType, append([]any{s.Whole(a)}, then...)...)(s, w, r)
	}
}

// stream answers with a stream.
func stream(a Answer, then ...any) handler {
	return func(s *server, w http.ResponseWriter, r *http.Request) {
		var parts []any
		for _, e := range s.Events(a) {
			parts = append(parts, e.String())
		}
		body(200, streamType, append(parts, then...)...)(s, w, r)
	}
}

// inWhole answers with an object that has more members in front.
func inWhole(members string, a Answer) handler {
	return func(s *server, w http.ResponseWriter, r *http.Request) {
		body(200, jsonType, "{"+members+strings.TrimPrefix(s.Whole(a), "{"))(s, w, r)
	}
}

// inStream answers with a stream whose first event has more members in front.
func inStream(members string, a Answer) handler {
	return func(s *server, w http.ResponseWriter, r *http.Request) {
		var parts []any
		for i, e := range s.Events(a) {
			if i == 0 {
				e.Data = "{" + members + strings.TrimPrefix(e.Data, "{")
			}
			parts = append(parts, e.String())
		}
		body(200, streamType, parts...)(s, w, r)
	}
}

// halfWhole answers with the first half of an answer.
func halfWhole(then ...any) handler {
	return func(s *server, w http.ResponseWriter, r *http.Request) {
		all := s.Whole(Answer{Text: "hello"})
		body(200, jsonType, append([]any{all[:len(all)/2]}, then...)...)(s, w, r)
	}
}

// halfStream answers with all of a stream up to the middle of the event that has the text.
func halfStream(then ...any) handler {
	return func(s *server, w http.ResponseWriter, r *http.Request) {
		var all strings.Builder
		for _, e := range s.Events(Answer{Text: "hello"}) {
			all.WriteString(e.String())
		}
		before, _, _ := strings.Cut(all.String(), "hello")
		body(200, streamType, append([]any{before}, then...)...)(s, w, r)
	}
}

// endlessText repeats the event that has the text. The comments between the events keep the text short.
func endlessText(s *server, w http.ResponseWriter, r *http.Request) {
	var parts []any
	for _, e := range s.Events(Answer{Text: "hello"}) {
		if strings.Contains(e.Data, "hello") {
			parts = append(parts, endless(":"+ones[:1<<16]+"\n"+e.String()))
			break
		}
		parts = append(parts, e.String())
	}
	body(200, streamType, parts...)(s, w, r)
}

// endless repeats a text until the client goes.
func endless(text string) handler { return every(0, text) }

func every(pause time.Duration, text string) handler {
	return func(_ *server, w http.ResponseWriter, r *http.Request) {
		flush := http.NewResponseController(w).Flush
		for {
			if _, err := io.WriteString(w, text); err != nil || flush() != nil {
				return
			}
			select {
			case <-time.After(pause):
			case <-r.Context().Done():
				return
			}
		}
	}
}

// drip is a JSON text of one byte a second.
var drip handler = func(s *server, w http.ResponseWriter, r *http.Request) { every(time.Second, " ")(s, w, r) }

// block sends what there is, and then nothing until the client goes.
var block handler = func(_ *server, w http.ResponseWriter, r *http.Request) {
	if w.Header().Get("Content-Type") != "" {
		_ = http.NewResponseController(w).Flush()
	}
	<-r.Context().Done()
}

// cut closes the connection.
var cut handler = func(_ *server, w http.ResponseWriter, _ *http.Request) {
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

func header(name, value string, then handler) handler {
	return func(s *server, w http.ResponseWriter, r *http.Request) {
		w.Header().Set(name, value)
		then(s, w, r)
	}
}

// packed answers with a text in gzip that does not end. Members that follow one another unpack to one
// text.
func packed(status int, contentType, begin string) handler {
	return func(s *server, w http.ResponseWriter, r *http.Request) {
		bomb := string(pack(ones + ones + ones + ones))
		header("Content-Encoding", "gzip", body(status, contentType, string(pack(begin)), endless(bomb)))(s, w, r)
	}
}

func pack(text string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = io.WriteString(w, text) // into memory: it cannot fail
	_ = w.Close()
	return b.Bytes()
}

// rawHeaders answers below HTTP: with a text, and another one without an end.
func rawHeaders(begin, repeated string) handler {
	return func(_ *server, w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		defer func() { _ = conn.Close() }()
		for text := begin; err == nil; text = repeated {
			_, err = io.WriteString(conn, text)
		}
	}
}

func redirect(to string) handler { return header("Location", to, body(307, "text/plain", "")) }

// repeatKey answers with the key in a text, around the place where an excerpt ends.
func repeatKey(status int) handler {
	return func(s *server, w http.ResponseWriter, r *http.Request) {
		body(status, "text/plain", strings.Repeat(s.Key+" ", 2*bounded.Excerpt/len(s.Key)))(s, w, r)
	}
}
