// Package survive runs a graph in a thread that outlives its processes. One process drafts a letter and waits for a person; it is
// killed. Another one, which knows the folder alone, finds the open request and answers it. It is killed while it sends
// the letter. A third one finishes the run.
package survive

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/thread"
	"github.com/graphgen/graphgen/thread/filestore"
)

//go:generate go tool graphgen

// Process is what one process does with the thread: it starts the run, answers its request, or recovers it. It kills itself
// in the first two.
func Process(act, folder string) error {
	store, err := filestore.Open(filepath.Join(folder, "threads"))
	if err != nil {
		return err
	}
	defer store.Close()
	work := &work{dies: act == "answer"}
	m, err := NewLetter(work, thread.In(store))
	if err != nil {
		return err
	}
	ctx, letter := context.Background(), m.Thread("letter-7")
	fmt.Printf("process %d: %s\n", os.Getpid(), act)
	var out LetterOutput
	switch act {
	case "start":
		_, err = letter.Start(ctx, LetterInput{Topic: "otters"})
		if p := graphgen.AsPause(err); p != nil {
			fmt.Println("  it waits:", p.Requests[0].Question)
			kill()
		}
	case "answer":
		for t, err := range m.Threads(ctx, thread.Filter{Status: []thread.Status{thread.Paused}}) {
			if err != nil {
				return err
			}
			fmt.Println("  thread", t.Name, "waits at node", t.Requests[0].Node+"; the person approves")
		}
		out, err = letter.Resume(ctx, AnswerLetterCheck(graphgen.Approve))
	default:
		out, err = letter.Recover(ctx)
	}
	if err == nil {
		fmt.Println("  the output:", out.Sent)
	}
	return err
}

// work does what the nodes do.
type work struct{ dies bool }

func (*work) Draft(_ context.Context, in LetterDraftIn) (LetterDraftOut, error) {
	fmt.Println("  draft runs")
	return LetterDraftOut{Text: "About " + in.Topic + ": they hold hands when they sleep."}, nil
}

func (w *work) Send(ctx context.Context, in LetterSendIn) (LetterSendOut, error) {
	fmt.Println("  send runs, with the key", graphgen.IdempotencyKey(ctx))
	if w.dies {
		kill()
	}
	return LetterSendOut{Sent: "sent: " + in.Text}, nil
}

// kill ends the process as kill -9 does.
func kill() {
	p, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = p.Kill()
	}
	if err != nil {
		panic(err)
	}
	select {}
}
