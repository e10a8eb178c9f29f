package golden_test

import (
	"context"
	"slices"
	"testing"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/golden/durable"
	"github.com/graphgen/graphgen/thread"
)

// TestWritten holds that events of a served graph have what its run begins with and what each step changed, also in branches, with WithExchanges alone.
func TestWritten(t *testing.T) {
	model := chat.ModelFunc(func(_ context.Context, req *chat.Request, _ func(chat.Delta)) (*chat.Response, error) {
		return &chat.Response{Message: chat.Message{Role: chat.RoleAssistant, Text: "Done."}}, nil
	})
	for name, row := range map[string]struct {
		opts []thread.Option
		want []string
	}{
		"with the option": {[]thread.Option{graphgen.WithExchanges()}, []string{
			`node_end close: filed ["0 filed"]`,
			`node_end help of 0: message "one"`,
			`node_end help of 1: message "two"`,
			`run_start : message ""`,
			`run_start : messages ["one","two"]`,
		}},
		"without it": {nil, nil},
	} {
		var got []string
		observer := graphgen.WithObserver(func(e graphgen.Event) {
			for _, f := range e.Written() {
				text := e.Kind.String() + " " + e.Node
				if e.Run.Branch != "" {
					text += " of " + e.Run.Branch
				}
				if text += ": " + f.Name + " " + string(f.JSON); f.Added {
					text += " added"
				}
				got = append(got, text)
			}
		})
		clerk := must(durable.NewClerk(clerkWork{new(ledger)}, clerkTools{new(ledger)}, model))
		office := must(durable.NewOffice(officeWork{new(ledger)}, clerk, append(row.opts, thread.In(thread.NewMemory()), observer)...))
		if _, err := office.Thread("t").Start(t.Context(), durable.OfficeInput{Messages: []string{"one", "two"}}); err != nil {
			t.Fatal(err)
		}
		if slices.Sort(got); !slices.Equal(got, row.want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}
