package gemini_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/contrib/gemini"
)

// An answering is a transport that has the answer already.
type answering string

func (a answering) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(string(a))), Request: r}, nil
}

// FuzzAnyAnswerIsAResponseOrAnError holds that nothing a server says makes a call panic,
// and that what it returns is whole.
func FuzzAnyAnswerIsAResponseOrAnError(f *testing.F) {
	one := chunk("STOP", `{"text":"a","thought":true},{"text":"b","thoughtSignature":"c2ln"},{"functionCall":{"name":"f","args":{"n":1e400}}}`, usage)
	for _, body := range []string{
		one, "data: " + one + "\n\n", "event: x\ndata: {\n\n: c\n\n{\n\"error\":{\"code\":1}}", `{"candidates":[null]}`,
		`{"candidates":[{"content":{"parts":[null,{"functionCall":{"args":[1,1]}}]},"finishReason":"STOP"}]}`,
		`{"promptFeedback":7}`, "data: [DONE]", strings.Repeat("[", 200), `{"candidates":[{"citationMetadata":{"citationSources":5}}]}`,
		"{\"candidates\":[{\"finishReason\":\"STOP\",\"finishMessage\":\"\xff\"}]}",
	} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		model, err := gemini.New("m", gemini.Key("k"), gemini.BaseURL("http://h"), gemini.HTTPClient(&http.Client{Transport: answering(body)}))
		if err != nil {
			t.Fatal(err)
		}
		for _, stream := range []func(chat.Delta){nil, func(chat.Delta) {}} {
			res, err := model.Generate(context.Background(), hello, stream)
			if (res == nil) == (err == nil) {
				t.Fatalf("got %+v and %v", res, err)
			}
			if res == nil {
				continue
			}
			for _, c := range res.Message.Calls {
				if c.ID == "" || !json.Valid([]byte(c.Arguments)) {
					t.Errorf("a call is %+v", c)
				}
			}
		}
	})
}

// BenchmarkACall measures what the SDK and this package cost a call, without a network.
func BenchmarkACall(b *testing.B) {
	whole := chunk("STOP", `{"text":"ok"},{"functionCall":{"name":"f","args":{"n":1}}}`, usage)
	for name, stream := range map[string]func(chat.Delta){"whole": nil, "streamed": func(chat.Delta) {}} {
		b.Run(name, func(b *testing.B) {
			body := whole
			if stream != nil {
				body = "data: " + whole + "\n\n"
			}
			model, err := gemini.New("m", gemini.Key("k"), gemini.BaseURL("http://h"), gemini.HTTPClient(&http.Client{Transport: answering(body)}))
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := model.Generate(context.Background(), hello, stream); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
