// Command backoffice is a server of MCP over its standard streams, with what a helpline has to look up
// and to do: invoices, refunds, services and lines. It is a module of its own, on the official SDK; the
// graph of the helpline depends on two names of its tools only.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func main() {
	if err := newOffice().server().Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		log.Fatal(err)
	}
}

// An office has invoices and lines.
type office struct {
	mu       sync.Mutex
	invoices map[int]*invoice
	lines    map[int]string // how they are doing
}

type invoice struct {
	Number   int     `json:"number"`
	For      string  `json:"for"`
	Euros    float64 `json:"euros"`
	Refunded float64 `json:"refunded"`
}

func newOffice() *office {
	return &office{
		invoices: map[int]*invoice{
			17: {Number: 17, For: "line 4, May, charged twice", Euros: 59.80},
			18: {Number: 18, For: "line 5, a year", Euros: 358.80},
		},
		lines: map[int]string{4: "down since its last restart", 5: "up"},
	}
}

type byNumber struct {
	Number int `json:"number" jsonschema:"the number of the invoice"`
}

type amount struct {
	Number int     `json:"number" jsonschema:"the number of the invoice"`
	Euros  float64 `json:"euros" jsonschema:"how much is refunded"`
}

type byLine struct {
	Line int `json:"line" jsonschema:"the number of the line"`
}

type condition struct {
	Line string `json:"line"`
}

// server offers what the office does as tools.
func (o *office) server() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "backoffice", Version: "1"}, nil)
	offer(s, "find_invoice", "Finds an invoice by its number.", o.findInvoice)
	offer(s, "refund", "Refunds a part of an invoice, or all of it.", o.refund)
	offer(s, "line_status", "Tells how a line is doing.", o.lineStatus)
	offer(s, "restart_line", "Restarts a line.", o.restartLine)
	return s
}

func offer[In, Out any](s *mcp.Server, name, doc string, do func(In) (Out, error)) {
	mcp.AddTool(s, &mcp.Tool{Name: name, Description: doc},
		func(_ context.Context, _ *mcp.CallToolRequest, in In) (*mcp.CallToolResult, Out, error) {
			out, err := do(in)
			return nil, out, err
		})
}

func (o *office) findInvoice(in byNumber) (invoice, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	found := o.invoices[in.Number]
	if found == nil {
		return invoice{}, fmt.Errorf("there is no invoice %d", in.Number)
	}
	return *found, nil
}

func (o *office) refund(in amount) (invoice, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	found := o.invoices[in.Number]
	switch {
	case found == nil:
		return invoice{}, fmt.Errorf("there is no invoice %d", in.Number)
	case in.Euros <= 0:
		return invoice{}, errors.New("a refund is more than nothing")
	case found.Refunded+in.Euros > found.Euros:
		return invoice{}, fmt.Errorf("of invoice %d no more than %.2f euros can be refunded", in.Number, found.Euros-found.Refunded)
	}
	found.Refunded += in.Euros
	return *found, nil
}

func (o *office) lineStatus(in byLine) (condition, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	status, ok := o.lines[in.Line]
	if !ok {
		return condition{}, fmt.Errorf("there is no line %d", in.Line)
	}
	return condition{status}, nil
}

func (o *office) restartLine(in byLine) (condition, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, ok := o.lines[in.Line]; !ok {
		return condition{}, fmt.Errorf("there is no line %d", in.Line)
	}
	o.lines[in.Line] = "up"
	return condition{"up"}, nil
}
