// Package helpline routes the message of a customer to an agent that can answer it. It shows a router whose
// choice is a model's, and tools that are known only at run time. Calls of tools go through a node of
// the graph, so that their number has a bound with an edge. A text of the answer names the next node.
//
// The tools belong to a server of MCP, in its own process: see the folder backoffice.
package helpline

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"sync"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
)

//go:generate go tool graphgen

// A Counter takes what is left to people. Its tickets are numbered from 1.
type Counter struct {
	mu      sync.Mutex
	tickets []string
}

// Human makes a ticket of the message.
func (c *Counter) Human(_ context.Context, in HelplineHumanIn) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tickets = append(c.tickets, in.Message)
	return strconv.Itoa(len(c.tickets)), nil
}

// RefundsUpTo refuses larger refunds, which the server would make. The model receives the reason as an
// error, and can pass it to the customer.
func RefundsUpTo(euros float64) graphgen.Option {
	return graphgen.WithToolWrapper(func(next chat.ToolFunc) chat.ToolFunc {
		return func(ctx context.Context, call *chat.ToolCall) (chat.ToolResult, error) {
			if call.Name == "refund" {
				var args struct {
					Euros *float64 `json:"euros"`
				}
				if err := json.Unmarshal([]byte(call.Arguments), &args); err != nil || args.Euros == nil {
					return chat.ToolResult{}, errors.New("say how many euros")
				}
				if *args.Euros > euros {
					return chat.ToolResult{}, errors.New("that much is refunded by a person: write to refunds@example.com")
				}
			}
			return next(ctx, call)
		}
	})
}

// Answer answers a message with the tools of a box.
func Answer(ctx context.Context, c *Counter, model chat.Model, tools chat.Toolbox, message string, opts ...graphgen.RunOption) (HelplineOutput, error) {
	m, err := NewHelpline(c, model, graphgen.WithToolbox(tools))
	if err != nil {
		return HelplineOutput{}, err
	}
	return m.Run(ctx, HelplineInput{Message: message}, opts...)
}
