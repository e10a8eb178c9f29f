package librarian

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/chat/scripted"
)

var update = flag.Bool("update", false, "make the recording again")

// session is what a model might say to Question. It makes two mistakes on its way: a file that
// there is not, and a source that there is not.
func session() chat.Model {
	used := func(in, out int) chat.Usage { return chat.Usage{Input: in, Output: out} }
	return scripted.New(
		scripted.Turn{Usage: used(612, 41), Calls: []chat.ToolCall{
			{Name: "list_files", Arguments: `{}`},
			{Name: "search", Arguments: `{"text": "keeper"}`},
		}},
		scripted.Turn{Usage: used(801, 38), Calls: []chat.ToolCall{
			{Name: "read_file", Arguments: `{"name": "lighthouse.md"}`},
			{Name: "read_file", Arguments: `{"name": "keepers.md"}`},
		}},
		scripted.Turn{Usage: used(1013, 57),
			Text: "```json\n" + `{"text": "The last keeper was Ada Moen. Her light is seen at eighteen miles.", "sources": ["lighthouse"]}` + "\n```"},
		scripted.Turn{Usage: used(1094, 52),
			Text: `{"text": "The last keeper was Ada Moen. Her light is seen at eighteen miles.", "sources": ["lighthouse.md"]}`},
	)
}

func TestRecording(t *testing.T) {
	answer, made, err := Record(t.Context(), session(), Shelf(), Question)
	if err != nil {
		t.Fatal(err)
	}
	if want := "lighthouse.md"; len(answer.Sources) != 1 || answer.Sources[0] != want {
		t.Errorf("the answer rests on %v, want %s", answer.Sources, want)
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
}

func TestAReplayNeedsNoModel(t *testing.T) {
	var report graphgen.Report
	answer, err := Replay(t.Context(), graphgen.WithReport(&report))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(answer.Text, "Ada Moen") {
		t.Errorf("the answer is %q", answer.Text)
	}
	if report.Tools != (graphgen.ToolCount{Made: 4, Failed: 1}) || report.ModelCalls != 4 || report.Usage.Tokens() != 3708 {
		t.Errorf("the report counts %+v, %d model calls, %d tokens", report.Tools, report.ModelCalls, report.Usage.Tokens())
	}
	if len(report.Refusals) != 1 {
		t.Errorf("%d answers were refused, want 1", len(report.Refusals))
	}
}

func TestTools(t *testing.T) {
	l := Library{Files: Shelf()}
	found, err := l.Search(t.Context(), LibrarianSearchArgs{Text: "WIND", Limit: 10})
	if err != nil || len(found) != 1 || found[0].File != "ferry.md" || found[0].Line != 4 {
		t.Errorf("search found %+v and %v", found, err)
	}
	if _, err := l.ReadFile(t.Context(), LibrarianReadFileArgs{Name: "../secret"}); err == nil || errors.Is(err, os.ErrPermission) {
		t.Errorf("a file outside of the library gave %v", err)
	}
	if found, err = l.Search(t.Context(), LibrarianSearchArgs{Text: "a", Limit: 2}); err != nil || len(found) != 2 {
		t.Errorf("a search limited to two found %d", len(found))
	}
	mixed := Library{Files: fstest.MapFS{"a.png": {Data: []byte("otter\xff")}, "b.txt": {Data: []byte("one\r\nan otter\r\n")}}}
	found, err = mixed.Search(t.Context(), LibrarianSearchArgs{Text: "otter", Limit: 10})
	if err != nil || len(found) != 1 || found[0] != (Match{File: "b.txt", Line: 2, Text: "an otter"}) {
		t.Errorf("a search beside a picture found %+v and %v", found, err)
	}
	if _, err := mixed.ReadFile(t.Context(), LibrarianReadFileArgs{Name: "a.png"}); err == nil {
		t.Error("a picture was read as a text")
	}
}
