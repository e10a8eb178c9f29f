package chatserver

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/thread/filestore"
)

// Serve is the process of a server: its conversations are in a folder. It prints its address. At a message with the word of stalls the
// model sends the first piece of its answer, and no more.
func Serve(folder, stalls string) error {
	store, err := filestore.Open(folder)
	if err != nil {
		return err
	}
	defer store.Close()
	s, err := New(context.Background(), store, model(stalls))
	if err != nil {
		return err
	}
	at, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	go s.Recover(func(id string, err error) { fmt.Fprintln(os.Stderr, "recover", id, err) })
	fmt.Printf("http://%s\n", at.Addr())
	return http.Serve(at, s.Handler())
}

// model returns a model that plays its part without a network: it repeats the message, and counts those that it was shown.
func model(stalls string) chat.Model {
	return chat.ModelFunc(func(ctx context.Context, req *chat.Request, stream func(chat.Delta)) (*chat.Response, error) {
		said, n := "", 0
		for i := range req.Messages {
			if req.Messages[i].Role == chat.RoleUser {
				said, n = req.Messages[i].Text, n+1
			}
		}
		reply := fmt.Sprintf("This is answer %d, to: %s", n, said)
		for i, piece := range strings.SplitAfter(reply, " ") {
			if stream != nil {
				stream(chat.Delta{Text: piece})
			}
			if i == 0 && stalls != "" && strings.Contains(said, stalls) {
				<-ctx.Done()
				return nil, ctx.Err()
			}
		}
		return &chat.Response{Message: chat.Message{Role: chat.RoleAssistant, Text: reply}, Finish: chat.Stop}, nil
	})
}

// A Process is a server that runs.
type Process struct {
	URL string
	cmd *exec.Cmd
}

// Begin starts the process of a command that calls Serve.
func Begin(cmd *exec.Cmd) (*Process, error) {
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return nil, err
	}
	return &Process{strings.TrimSpace(line), cmd}, nil
}

// Kill ends the process as kill -9 does.
func (p *Process) Kill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}

// Play has a client talk to servers of a folder. The first one is killed during its second answer; the client continues after the
// last number that it has, at the second server. It returns the events with numbers that the client has seen.
func Play(ctx context.Context, w io.Writer, serve func(stalls string) *exec.Cmd) (seen []Event, err error) {
	first, err := Begin(serve("delivery"))
	if err != nil {
		return nil, err
	}
	defer first.Kill()
	c := &client{w: w}
	if err := Say(ctx, first.URL, "ann", "Do you have lamps?"); err != nil {
		return nil, err
	}
	if err := Follow(ctx, first.URL, "ann", "", c.untilAnswer); err != nil {
		return nil, err
	}
	if err := Say(ctx, first.URL, "ann", "When is the delivery?"); err != nil {
		return nil, err
	}
	killed := false
	err = Follow(ctx, first.URL, "ann", c.last, func(e Event) bool {
		if c.untilAnswer(e); e.Piece != "" && !killed {
			killed = true
			fmt.Fprintln(w, "  … kill -9 of the server, during the answer")
			first.Kill()
		}
		return true
	})
	if !killed {
		return nil, fmt.Errorf("the server was not killed: %w", err)
	}
	second, err := Begin(serve(""))
	if err != nil {
		return nil, err
	}
	defer second.Kill()
	fmt.Fprintln(w, "  … another server on the folder; Last-Event-ID:", c.last)
	if err := Follow(ctx, second.URL, "ann", c.last, c.untilAnswer); err != nil {
		return nil, err
	}
	return c.seen, nil
}

// A client prints a conversation.
type client struct {
	w    io.Writer
	last string // the number of the last step
	seen []Event
}

// untilAnswer takes an event, and returns false when a turn has ended.
func (c *client) untilAnswer(e Event) bool {
	if e.ID == "" {
		fmt.Fprintf(c.w, "    piece: %q\n", e.Piece)
		return true
	}
	c.last, c.seen = e.ID, append(c.seen, e)
	if e.Step.Said != "" {
		fmt.Fprintf(c.w, "  %s customer: %s\n", e.ID, e.Step.Said)
	}
	if e.Step.Reply != "" {
		fmt.Fprintf(c.w, "  %s clerk:    %s\n", e.ID, e.Step.Reply)
	}
	return e.Step.Ended == ""
}
