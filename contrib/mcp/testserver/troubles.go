package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

type size struct {
	Bytes int `json:"bytes"`
}

// troubles adds the tools that make trouble.
func troubles(s *sdk.Server) {
	add(s, "crash", "Writes this to the standard error, and exits with status 3.", func(_ context.Context, in text) (*sdk.CallToolResult, error) {
		fmt.Fprintln(os.Stderr, in.Text)
		os.Exit(3)
		return nil, nil
	})
	add(s, "wait", "Waits to be cancelled.", func(ctx context.Context, _ none) (*sdk.CallToolResult, error) {
		fmt.Fprintln(os.Stderr, "waiting")
		<-ctx.Done()
		fmt.Fprintln(os.Stderr, "cancelled")
		return nil, errors.New("cancelled")
	})
	add(s, "freeze", "Stops the process where it is.", func(context.Context, none) (*sdk.CallToolResult, error) {
		fmt.Fprintln(os.Stderr, "freezing")
		if err := freeze(); err != nil {
			return nil, err
		}
		select {} // for what continues before the signal is there
	})
	add(s, "pid", "Returns the number of the process.", func(context.Context, none) (*sdk.CallToolResult, error) {
		return say(fmt.Sprint(os.Getpid())), nil
	})
	add(s, "flood", "Gives a result of this size.", func(_ context.Context, in size) (*sdk.CallToolResult, error) {
		return say(strings.Repeat("x", in.Bytes)), nil
	})
	sdk.AddTool(s, &sdk.Tool{Name: "notify", Description: "Sends so many notifications of 1 KiB before it answers."},
		func(ctx context.Context, req *sdk.CallToolRequest, in size) (*sdk.CallToolResult, any, error) {
			for i := range in.Bytes >> 10 {
				err := req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{
					ProgressToken: "none", Progress: float64(i), Message: strings.Repeat("x", 1<<10),
				})
				if err != nil {
					return nil, nil, err
				}
			}
			return say("done"), nil, nil
		})
	add(s, "write", "Writes this line to the standard output, beside the protocol.", func(_ context.Context, in text) (*sdk.CallToolResult, error) {
		fmt.Println(in.Text)
		return say("written"), nil
	})
	add(s, "line", "Writes a line of this size to the standard output, beside the protocol.", func(_ context.Context, in size) (*sdk.CallToolResult, error) {
		w := bufio.NewWriter(os.Stdout)
		_, _ = io.CopyN(w, endless{}, int64(in.Bytes))
		_ = w.WriteByte('\n')
		return say("written"), w.Flush()
	})
	add(s, "close", "Closes the standard output, and lives on.", func(context.Context, none) (*sdk.CallToolResult, error) {
		_ = os.Stdout.Close()
		select {}
	})
	add(s, "child", "Starts a process that holds a connection to this address.", func(_ context.Context, in text) (*sdk.CallToolResult, error) {
		self, err := os.Executable()
		if err != nil {
			return nil, err
		}
		return say("started"), exec.Command(self, "-child", in.Text).Start()
	})
}

// endless is a stream of x.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// spoil answers calls of the tool echo over HTTP by itself when the text asks for it: with
// what is after the first colon, as the type that is before it.
func spoil(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		var call struct {
			ID     int    `json:"id"`
			Method string `json:"method"`
			Params struct {
				Arguments text `json:"arguments"`
			} `json:"params"`
		}
		_ = json.Unmarshal(body, &call)
		how, what, spoilt := strings.Cut(call.Params.Arguments.Text, "|")
		if call.Method != "tools/call" || !spoilt {
			next.ServeHTTP(w, r)
			return
		}
		what = strings.NewReplacer("ID", fmt.Sprint(call.ID), "KEY", r.Header.Get("Authorization")).Replace(what)
		switch how {
		case "401", "500", "503":
			http.Error(w, what, map[string]int{"401": 401, "500": 500, "503": 503}[how])
		case "endless":
			w.Header().Set("Content-Type", what)
			_, _ = io.WriteString(w, "data: ")
			_, _ = io.Copy(w, endless{})
		default:
			w.Header().Set("Content-Type", how)
			_, _ = io.WriteString(w, what)
		}
	})
}
