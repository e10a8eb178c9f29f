package inquiry

import (
	"bytes"
	"context"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/chat/scripted"
)

var update = flag.Bool("update", false, "make the recording again")

// The session is what models might say of Question, by node and branch. They make mistakes: one names a source
// that there is not, and mends it; another has nothing to rest on, says so too late, and is left out. The
// review has a note made of what no finding can say: which of the numbers stand beside one another.
var session = map[string][]scripted.Turn{
	"plan": {
		calls(402, 14, "list_texts", `{}`),
		says(455, 71, `{"questions": [
			"How has the number of puffins changed since 2005?",
			"What do the puffins of Little Skerry eat, and is there enough of it?",
			"What preys on the puffins or their chicks?",
			"Do lights on the mainland lead young puffins astray?"]}`),
	},
	"look_into 0": {
		calls(388, 19, "search", `{"word": "pairs"}`, "read_text", `{"name": "counts.txt"}`),
		says(604, 58, `{"question": "How has the number of puffins changed since 2005?",
			"text": "From 1840 pairs in 2005 to 870 in 2025. Most of that fell between 2010 and 2015.", "sources": ["counts.txt"]}`),
	},
	"look_into 1": {
		calls(391, 17, "search", `{"word": "fish"}`),
		calls(452, 16, "read_text", `{"name": "sandeels.md"}`),
		says(571, 66, `{"question": "What do the puffins of Little Skerry eat, and is there enough of it?",
			"text": "Sandeels, which trawlers took from 2009 on: a chick was brought 8 fish a day then, and 3 in 2016. The bank is closed since 2021, and it was 6 in 2024.", "sources": ["sandeel.md"]}`),
		says(668, 66, `{"question": "What do the puffins of Little Skerry eat, and is there enough of it?",
			"text": "Sandeels, which trawlers took from 2009 on: a chick was brought 8 fish a day then, and 3 in 2016. The bank is closed since 2021, and it was 6 in 2024.", "sources": ["sandeels.md"]}`),
	},
	"look_into 2": {
		calls(386, 15, "search", `{"word": "robbed"}`),
		calls(449, 15, "read_text", `{"name": "rats.md"}`),
		says(560, 61, `{"question": "What preys on the puffins or their chicks?",
			"text": "Rats, from 2011 until they were poisoned in the winter of 2022. In 2017 they robbed half of the burrows on the north side, and one in nine on the south side.", "sources": ["rats.md"]}`),
	},
	"look_into 3": {
		calls(389, 16, "search", `{"word": "light"}`),
		says(423, 48,
			`{"question": "Do lights on the mainland lead young puffins astray?", "text": "Young seabirds are often led astray by lights.", "sources": []}`),
		says(511, 49,
			`{"question": "Do lights on the mainland lead young puffins astray?", "text": "Young seabirds are often led astray by `+
				`lights.", "sources": ["lights.md"]}`),
	},
	"object in_doubt": {says(498, 38, "1840 pairs were counted from the boat and 870 by hand: how much of the difference is the count's?")},
	"review": {says(842, 148, `{
		"advice": "Give the loss by the way it was counted. Of lights nothing is known here.",
		"open": "How many pairs would the boat's numbers be, had they been counted by hand?",
		"_graph_action": "add_node",
		"_node_config": {"name": "like_with_like", "kind": "prompt", "after": "review",
			"instructions": "Read counting.md. Say what the number of 2005 would be if it had been counted as that of 2025 was, show the sum, and say how sure that is. The objection is: {{objection}}",
			"reads": ["findings"], "writes": "notes", "tools": ["read_text"]}}`)},
	"like_with_like": {
		calls(934, 17, "read_text", `{"name": "counting.md"}`),
		says(1088, 74,
			"By counting.md the boat made it 1500 pairs in 2014 where the hand made it 1200, four fifths. So 1840 from the boat "+
				"are some 1470 by hand, and the loss to 870 is 600 pairs, not 970. It rests on a single season in which both were done."),
	},
	"synthesise": {says(1204, 122,
		`{"text": "Little Skerry has lost some 600 pairs of puffins since 2005, from about 1470 to 870: the 1840 of then were counted from the boat, which sees a quarter more than the hand. Two causes fall into those years: trawlers took the sandeels that the chicks are fed with, and rats robbed the burrows. Both have ended, in 2021 and in 2022. Whether lights on the mainland play a part the texts do not say.",
		"sources": ["counts.txt", "counting.md", "sandeels.md", "rats.md"]}`)},
}

func says(in, out int, text string) scripted.Turn {
	return scripted.Turn{Usage: chat.Usage{Input: in, Output: out}, Text: text}
}

func calls(in, out int, namesAndArguments ...string) scripted.Turn {
	t := scripted.Turn{Usage: chat.Usage{Input: in, Output: out}}
	for pair := range slices.Chunk(namesAndArguments, 2) {
		t.Calls = append(t.Calls, chat.ToolCall{Name: pair[0], Arguments: pair[1]})
	}
	return t
}

// models plays parts of a session: by node, and within branches by those. In a bubble each
// branch has its own pace, so that their turns come in one order.
func models(parts map[string][]scripted.Turn) *scripted.Model {
	paces := map[string]time.Duration{"look_into 0": 101, "look_into 1": 103, "look_into 2": 107, "look_into 3": 109}
	turns := map[string][]scripted.Turn{}
	for key, list := range parts {
		for _, t := range list {
			t.Wait = paces[key] * time.Millisecond
			turns[key] = append(turns[key], t)
		}
	}
	return scripted.Play(scripted.Script{Turns: turns, Key: func(ctx context.Context, _ *chat.Request) string {
		at := graphgen.Info(ctx)
		return strings.TrimSpace(at.Node + " " + at.Branch)
	}})
}

func TestRecording(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := models(session)
		answer, made, err := Record(t.Context(), model, Shelf(), Question)
		if err != nil {
			t.Fatal(err)
		}
		if left := model.Left(); len(left) > 0 {
			t.Errorf("left unsaid: %v", left)
		}
		if !strings.Contains(answer.Text, "600 pairs") {
			t.Errorf("the answer is %q", answer.Text)
		}
		if *update {
			if err := os.WriteFile("recording.jsonl", made, 0o644); err != nil {
				t.Fatal(err)
			}
			return
		}
		if !bytes.Equal(made, recording) {
			t.Error("recording.jsonl is not what the session says; -update writes it")
		}
	})
}

func TestReplay(t *testing.T) {
	for range 50 {
		var report graphgen.Report
		answer, err := Replay(t.Context(), graphgen.WithReport(&report))
		if err != nil {
			t.Fatal(err)
		}
		if want := []string{"counts.txt", "counting.md", "sandeels.md", "rats.md"}; !slices.Equal(answer.Sources, want) {
			t.Fatalf("the answer rests on %v, want %v", answer.Sources, want)
		}
		path := strings.Join(report.NodePath(), " ")
		want := "plan plan look" + strings.Repeat(" look_into", 2+3+3+2) + " examine compare object review like_with_like like_with_like synthesise"
		if path != want {
			t.Fatalf("path %s, want %s", path, want)
		}
	}
}

func TestReport(t *testing.T) {
	var report graphgen.Report
	if _, err := Replay(t.Context(), graphgen.WithReport(&report)); err != nil {
		t.Fatal(err)
	}
	if len(report.Failures) != 1 || !report.Failures[0].Soft || report.Failures[0].Err.Where.Branch != "3" {
		t.Errorf("failures %+v, want the failure of branch 3, passed over", report.Failures)
	}
	if len(report.Refusals) != 3 {
		t.Errorf("%d outputs were refused, want 3", len(report.Refusals))
	}
	if report.Tools != (graphgen.ToolCount{Made: 9}) || report.ModelCalls != 19 {
		t.Errorf("the report counts %+v, %d model calls", report.Tools, report.ModelCalls)
	}
	if len(report.Mutations) != 1 || report.Mutations[0].Refused != "" {
		t.Errorf("mutations %+v, want one", report.Mutations)
	}
	if diagram := report.Diagram(); !strings.Contains(diagram, "like_with_like") {
		t.Errorf("the diagram lacks what was added:\n%s", diagram)
	}
}
