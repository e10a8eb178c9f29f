// Greet is a small program around a generated machine, for the tests to build and run
// wherever Go runs.
package main

import (
	"context"
	"os"
	"strings"

	"github.com/graphgen/graphgen"
)

//go:generate go tool graphgen

type greeter struct{}

func (greeter) Greet(ctx context.Context, in GreetGreetIn) (GreetGreetOut, error) {
	greeting := strings.Repeat("hello ", graphgen.Info(ctx).Visit) + in.Name
	return GreetGreetOut{Lines: []string{greeting}}, nil
}

func (greeter) Polish(in GreetPolishIn) (Line, error) {
	return Line{Text: strings.Join(in.Lines, ", ")}, nil
}

func main() {
	if err := run(); err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
}

// run prints the path of a run and its output.
func run() error {
	m, err := NewGreet(greeter{})
	if err != nil {
		return err
	}
	var report graphgen.Report
	out, err := m.Run(context.Background(), GreetInput{Name: "world"}, graphgen.WithReport(&report))
	if err != nil {
		return err
	}
	text, err := out.MarshalJSON()
	if err != nil {
		return err
	}
	os.Stdout.WriteString(strings.Join(report.NodePath(), " ") + "\n" + string(text) + "\n")
	return nil
}
