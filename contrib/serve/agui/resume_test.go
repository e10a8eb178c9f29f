package agui

import (
	"testing"
	"time"

	"github.com/graphgen/graphgen"
)

// TestCancelled holds what an entry means that the user has left undecided: a no, a tool that has failed, or after the deadline anything.
func TestCancelled(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for name, row := range map[string]struct {
		q    graphgen.Request
		want string
	}{
		"a decision":               {graphgen.Request{Kind: graphgen.RequestDecision}, `"deny"`},
		"a tool of the client":     {graphgen.Request{Kind: graphgen.RequestClientTool}, `{"error":"it was cancelled"}`},
		"a reply":                  {graphgen.Request{Kind: graphgen.RequestReply}, ""},
		"an interrupt":             {graphgen.Request{Kind: graphgen.RequestInterrupt}, ""},
		"a reply that is late":     {graphgen.Request{Kind: graphgen.RequestReply, Deadline: now.Add(-time.Second)}, "null"},
		"a reply that is not late": {graphgen.Request{Kind: graphgen.RequestReply, Deadline: now.Add(time.Second)}, ""},
	} {
		got, err := resumes(&row.q, now, "cancelled", nil)
		if string(got) != row.want || (err == nil) != (row.want != "") {
			t.Errorf("%s: %s %v, want %s", name, got, err, row.want)
		}
	}
}
