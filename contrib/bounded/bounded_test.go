package bounded_test

import (
	"context"
	"errors"
	"io"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/contrib/bounded"
)

func TestJSON(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		ok   bool
	}{
		"no text":                           {"", true},
		"as many values as there may be":    {"[" + strings.Repeat("0,", bounded.Values-1) + "0]", true},
		"a value more":                      {"[" + strings.Repeat("0,", bounded.Values) + "0]", false},
		"objects without members":           {"[" + strings.Repeat("{}", bounded.Values) + "]", false},
		"as deep as they may be":            {strings.Repeat("[", bounded.Depth), true},
		"a list deeper":                     {strings.Repeat("[", bounded.Depth+1), false},
		"objects deeper":                    {strings.Repeat(`{"a":`, bounded.Depth+1), false},
		"brackets and commas in a string":   {`{"a":"` + strings.Repeat(`[,{\"`, bounded.Values) + `"}`, true},
		"brackets behind a quote in quotes": {`{"a":"\\"` + strings.Repeat("[", bounded.Depth+1), false},
		"lists side by side":                {"[" + strings.Repeat("[],", bounded.Depth+1) + "0]", true},
		"as long as it may be":              {strings.Repeat(" ", bounded.Text), true},
		"a byte longer":                     {strings.Repeat(" ", bounded.Text+1), false},
		"no JSON at all":                    {strings.Repeat("]", bounded.Depth+1), true},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := bounded.JSON([]byte(c.text))
			if chat.IsKind(err, chat.Malformed) == c.ok || (err == nil) != c.ok {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestTokens(t *testing.T) {
	for n, want := range map[int64]int{-1: 0, math.MinInt64: 0, 0: 0, 7: 7, math.MaxInt64: 1 << 28} {
		if got := bounded.Tokens(n); got != want {
			t.Errorf("%d tokens are %d, want %d", n, got, want)
		}
	}
}

// A server answers without a network.
type server func(*http.Request) *http.Response

func (s server) RoundTrip(req *http.Request) (*http.Response, error) { return s(req), nil }

// ones are bytes without an end.
type ones struct{}

func (ones) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '1'
	}
	return len(p), nil
}

func TestClient(t *testing.T) {
	get := func(ctx context.Context, status int, from io.Reader) (int64, error) {
		s := server(func(*http.Request) *http.Response {
			return &http.Response{StatusCode: status, Body: io.NopCloser(from)}
		})
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://provider.test", nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := bounded.Client(&http.Client{Transport: s}).Do(req)
		if err != nil {
			t.Fatal(err)
		}
		return io.Copy(io.Discard, res.Body)
	}
	if n, err := get(t.Context(), 200, io.LimitReader(ones{}, bounded.Answer)); n != bounded.Answer || err != nil {
		t.Errorf("an answer as long as it may be: read %d bytes, %v", n, err)
	}
	n, err := get(t.Context(), 200, ones{})
	if n != bounded.Answer || !chat.IsKind(err, chat.Malformed) {
		t.Errorf("an answer without an end: read %d bytes, %v", n, err)
	}
	if n, err := get(t.Context(), 500, ones{}); n != bounded.Error || err != nil {
		t.Errorf("an error without an end: read %d bytes, %v", n, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if n, err := get(ctx, 200, ones{}); n != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("a context that has ended: read %d bytes, %v", n, err)
	}
}

func TestSecrets(t *testing.T) {
	if got := bounded.Secrets("", "none", "Bearer", "sk-12345", "a longer one"); !slices.Equal(got, []string{"sk-12345", "a longer one"}) {
		t.Errorf("got %q", got)
	}
}
