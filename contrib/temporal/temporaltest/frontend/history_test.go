package frontend_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/contrib/temporal"
	"github.com/graphgen/graphgen/contrib/temporal/temporaltest"
	"github.com/graphgen/graphgen/contrib/temporal/temporaltest/frontend"
	"github.com/graphgen/graphgen/internal/testing/tier"
)

// TestHistoryOfCalls holds that a call of a model costs at most 900 bytes of history, however long the conversation is, and that a model gets all of
// it.
func TestHistoryOfCalls(t *testing.T) {
	for _, turns := range tier.Pick([]int{50}, []int{50, 200}, []int{50, 200, 1000}) {
		longest := 0
		m := chat.ModelFunc(func(_ context.Context, r *chat.Request, _ func(chat.Delta)) (*chat.Response, error) {
			longest = max(longest, len(r.Messages))
			return &chat.Response{
				Message: chat.Message{Role: chat.RoleAssistant, Text: kilobyte(len(r.Messages))}, Finish: chat.Stop,
				Usage: chat.Usage{Input: 20_000, Output: 250},
				Model: "model-2026-11", ID: "resp_0123456789",
			}, nil
		})
		g, err := temporaltest.NewChatTemporal(m, temporal.WithStore(temporal.Folder(t.TempDir()), 0))
		if err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		s, err := frontend.Start(log.NewStructuredLogger(slog.New(slog.NewTextHandler(io.Discard, nil))))
		if err != nil {
			t.Fatal(err)
		}
		w := worker.New(s.Client(), "graphs", worker.Options{Identity: "worker@host"})
		g.Register(w)
		if err := w.Start(); err != nil {
			t.Fatal(err)
		}
		in := temporaltest.ChatInput{Message: kilobyte(-1), Turns: &turns}
		run, err := s.Client().ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: "w", TaskQueue: "graphs"}, g.Name(), in)
		if err == nil {
			err = run.Get(t.Context(), nil)
		}
		if err != nil || len(s.Failures()) > 0 {
			t.Fatal(err, s.Failures())
		}
		w.Stop()
		s.Stop()
		size, events := frontend.Size(s.History()), len(s.History().Events)
		t.Logf("%d calls: %d bytes, %d a call, %d events, %s", turns, size, size/turns, events, time.Since(begun).Round(time.Millisecond))
		if size/turns > 900 || longest != 2*turns-1 || events/turns > 6 {
			t.Errorf("%d calls: %d bytes a call in %d events, the longest conversation has %d messages", turns, size/turns, events, longest)
		}
	}
}

// kilobyte returns a text that nothing compresses.
func kilobyte(n int) string {
	var b strings.Builder
	for i := range 16 {
		sum := sha256.Sum256(fmt.Appendf(nil, "%d %d", n, i))
		b.WriteString(hex.EncodeToString(sum[:]))
	}
	return b.String()
}
