package guards

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/thread"
)

// drafts numbers what it writes.
type drafts struct{ last int }

func (d *drafts) Write(context.Context, KeptGuardsWriteIn) (KeptGuardsWriteOut, error) {
	d.last++
	return KeptGuardsWriteOut{Text: "draft " + strconv.Itoa(d.last)}, nil
}

// TestSavedJudgements has a process end while a model judges. The next one executes the node again, whose output is another: it is judged by all
// guards, also by those whose judgement of the first output is saved.
func TestSavedJudgements(t *testing.T) {
	ctx, die := context.WithCancel(t.Context())
	var asked []string
	model := chat.ModelFunc(func(ctx context.Context, req *chat.Request, _ func(chat.Delta)) (*chat.Response, error) {
		criterion, text, _ := strings.Cut(strings.TrimPrefix(req.Messages[0].Text, "Criterion: "), "\n")
		judged := criterion + " " + text[strings.Index(text, "draft"):][:len("draft N")]
		asked = append(asked, judged)
		switch judged {
		case "It is kind. draft 1":
			die()
			return nil, ctx.Err()
		case "It is polite. draft 2":
			return &chat.Response{Message: chat.Message{Text: `{"pass": false, "message": "it is rude"}`}}, nil
		}
		return &chat.Response{Message: chat.Message{Text: `{"pass": true}`}}, nil
	})
	m, err := NewKeptGuards(new(drafts), model, thread.In(thread.NewMemory()))
	if err != nil {
		t.Fatal(err)
	}
	if out, err := m.Thread("a").Start(ctx, KeptGuardsInput{Topic: "otters"}); err == nil {
		t.Fatalf("the run has ended with %v", out)
	}
	out, err := m.Thread("a").Recover(t.Context())
	if err != nil || out.Text != "draft 3" {
		t.Errorf("%v, %v", out, err)
	}
	want := []string{"It is polite. draft 1", "It is kind. draft 1", "It is polite. draft 2", "It is polite. draft 3", "It is kind. draft 3"}
	if !slices.Equal(asked, want) {
		t.Errorf("the model judged %q, want %q", asked, want)
	}
}
