package main

import (
	"context"
	"fmt"
	"io/fs"

	"github.com/graphgen/graphgen/examples/inquiry"
	"github.com/graphgen/graphgen/examples/librarian"
	"github.com/graphgen/graphgen/examples/tenants"
	graphrt "github.com/graphgen/graphgen/runtime"
	"github.com/graphgen/graphgen/runtime/chat"
)

// A reply is the result of a graph: it has the fields that the graphs' own types have.
type reply struct {
	Text    string
	Sources []string
}

// A graph is one that can be asked.
type graph struct {
	name, question string
	shelf          func() fs.FS
	ask            func(context.Context, chat.Model, fs.FS, string, ...graphrt.Option) (reply, error)
	record         func(context.Context, chat.Model, fs.FS, string, ...graphrt.Option) (reply, []byte, error)
}

// graphs begin with the default one.
var graphs = []graph{
	{"librarian", librarian.Question, librarian.Shelf, asking(librarian.Ask), recording(librarian.Record)},
	{"inquiry", inquiry.Question, inquiry.Shelf, asking(inquiry.Ask), recording(inquiry.Record)},
	{"tenants", tenants.Question, tenants.Shelf, asking(tenants.Ask), recording(tenants.Record)},
}

func graphOf(name string) (*graph, error) {
	for i := range graphs {
		if graphs[i].name == name {
			return &graphs[i], nil
		}
	}
	return nil, fmt.Errorf("there is no graph %q", name)
}

// answers are the types of answers that the graphs declare.
type answers interface {
	librarian.Answer | inquiry.Answer | tenants.Answer
}

func asking[A answers](ask func(context.Context, chat.Model, fs.FS, string, ...graphrt.Option) (A, error)) func(context.Context, chat.Model, fs.FS, string, ...graphrt.Option) (reply, error) {
	return func(ctx context.Context, model chat.Model, files fs.FS, question string, opts ...graphrt.Option) (reply, error) {
		a, err := ask(ctx, model, files, question, opts...)
		return reply(a), err
	}
}

func recording[A answers](record func(context.Context, chat.Model, fs.FS, string, ...graphrt.Option) (A, []byte, error)) func(context.Context, chat.Model, fs.FS, string, ...graphrt.Option) (reply, []byte, error) {
	return func(ctx context.Context, model chat.Model, files fs.FS, question string, opts ...graphrt.Option) (reply, []byte, error) {
		a, tape, err := record(ctx, model, files, question, opts...)
		return reply(a), tape, err
	}
}
