// Command live asks a real model a question about a folder of texts, with the librarian, whose recording
// the demo plays, or with -graph the inquiry or the chat. It prints the model's text and tool calls as
// they happen, then the answer and its cost.
//
//	live [flags] [QUESTION [FOLDER]]
//
// OPENAI_API_KEY, OPENAI_BASE_URL (Ollama, vLLM, llama.cpp …), ANTHROPIC_API_KEY or GEMINI_API_KEY choose
// the provider.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"strings"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	s, err := parse(os.Args[1:], os.Stderr)
	if err == nil {
		err = s.run(ctx, os.Stdout)
	}
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "live:", err)
		os.Exit(1)
	}
}

// A session is what the command line asks for.
type session struct {
	graph            *graph
	provider, model  string
	price            *chat.Price
	record           string // a file; empty: none
	question, folder string // empty: as in the example
}

func parse(args []string, usage io.Writer) (*session, error) {
	s := session{graph: &graphs[0]}
	flags := flag.NewFlagSet("live", flag.ContinueOnError)
	flags.SetOutput(usage)
	flags.Func("graph",
		"who answers: librarian; inquiry, which looks into it from several sides concurrently; tenants, which answers from the orders "+
			"of one company; or chat, a conversation of three turns", func(name string) (err error) {
			s.graph, err = graphOf(name)
			return err
		})
	flags.StringVar(&s.provider, "provider", "", "openai, anthropic or gemini, where the variables of several are set")
	flags.StringVar(&s.model, "model", "", "the model, as its provider names it; or "+modelVariable)
	flags.StringVar(&s.record, "record", "", "write a recording of the run to this file; it holds what the tools found")
	flags.Func("price",
		"what the model costs, in US dollars per million tokens in and out, as in 0.25,2; inquiry needs it, as its graph has max_cost",
		func(text string) (err error) {
			s.price, err = readPrice(text)
			return err
		})
	flags.Usage = func() {
		fmt.Fprintln(usage, "usage: live [flags] [QUESTION [FOLDER]]")
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if flags.NArg() > 2 {
		return nil, fmt.Errorf("%d arguments; a question and a folder are all there can be: quote the question", flags.NArg())
	}
	s.question, s.folder = flags.Arg(0), flags.Arg(1)
	return &s, nil
}

// run asks the question, and prints everything to w.
func (s *session) run(ctx context.Context, w io.Writer) error {
	p, err := choose(s.provider)
	if err != nil {
		return err
	}
	model, which, err := p.modelOf(s.model, s.price)
	if err != nil {
		return err
	}
	files, closing, err := s.files()
	if err != nil {
		return err
	}
	defer closing()
	question := cmp.Or(s.question, s.graph.question)
	fmt.Fprintf(w, "%s is asked: %s\n", which, question)

	var report graphgen.Report
	t := &teller{w: w}
	a, err := s.ask(ctx, model, files, question, graphgen.WithObserver(t.tell), graphgen.WithReport(&report))
	t.end()
	if err == nil {
		fmt.Fprintf(w, "\n%s\nsources: %s\n", clean(a.Text), clean(strings.Join(a.Sources, ", ")))
	}
	fmt.Fprintf(w, "\n%s\n", figures(&report))
	return err
}

// files returns the folder. Links cannot lead out of it.
func (s *session) files() (fs.FS, func(), error) {
	if s.folder == "" {
		return s.graph.shelf(), func() {}, nil
	}
	root, err := os.OpenRoot(s.folder)
	if err != nil {
		return nil, nil, err
	}
	return root.FS(), func() { _ = root.Close() }, nil
}

// ask asks, and records that if it is wanted: a run that failed, too.
func (s *session) ask(ctx context.Context, model chat.Model, files fs.FS, question string, opts ...graphgen.RunOption) (reply, error) {
	if s.record == "" {
		return s.graph.ask(ctx, model, files, question, opts...)
	}
	// The file is made first, so that no run is paid for whose recording has no place.
	file, err := os.OpenFile(s.record, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return reply{}, err
	}
	a, recording, err := s.graph.record(ctx, model, files, question, opts...)
	_, writing := file.Write(recording)
	return a, errors.Join(err, writing, file.Close())
}
