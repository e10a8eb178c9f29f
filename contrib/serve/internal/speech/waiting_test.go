package speech

import (
	"testing"

	"github.com/graphgen/graphgen"
)

// TestFind holds that a call names an open request of its own thread and run alone.
func TestFind(t *testing.T) {
	w := &Waiting{"a", "a.2", []graphgen.Request{{ID: "sign.1"}, {ID: "ask.1"}}}
	if q := w.Find(Call{"a", "a.2", "ask.1"}.String()); q == nil || q.ID != "ask.1" {
		t.Errorf("the request is %v", q)
	}
	for name, text := range map[string]string{
		"another thread":        Call{"b", "a.2", "sign.1"}.String(),
		"an earlier run":        Call{"a", "a.1", "sign.1"}.String(),
		"a request not open":    Call{"a", "a.2", "rate.1"}.String(),
		"no call":               "sesame",
		"a text of other parts": Pack("call_", "a", "a.2"),
		"another kind":          Pack("resp_", "a", "a.2", "sign.1"),
	} {
		if q := w.Find(text); q != nil {
			t.Errorf("%s finds %s", name, q.ID)
		}
	}
}

// TestFile holds that a file has its bytes in its URL, or is behind https.
func TestFile(t *testing.T) {
	for link, ok := range map[string]bool{
		"https://shop.example/a.png": true, "data:image/png;base64,AAAA": true,
		"http://shop.example/a.png": false, "http://169.254.169.254/": false, "file:///etc/passwd": false, "javascript:alert(1)": false, "/etc/passwd": false,
		"": false, "data:image/png,AAAA": false, "data:image/png;base64,!": false, "data:image/png;base64": false,
	} {
		if m, err := File(link, "image/png", "a.png"); (err == nil) != ok {
			t.Errorf("%s: %v %v", link, m, err)
		}
	}
}
