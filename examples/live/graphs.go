package main

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"io/fs"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/chat/record"
	talk "github.com/graphgen/graphgen/examples/chat"
	"github.com/graphgen/graphgen/examples/inquiry"
	"github.com/graphgen/graphgen/examples/librarian"
	"github.com/graphgen/graphgen/examples/tenants"
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
	ask            func(context.Context, chat.Model, fs.FS, string, ...graphgen.RunOption) (reply, error)
	record         func(context.Context, chat.Model, fs.FS, string, ...graphgen.RunOption) (reply, []byte, error)
}

// graphs begin with the default one.
var graphs = []graph{
	{"librarian", librarian.Question, librarian.Shelf, asking(librarian.Ask), recording(librarian.Record)},
	{"inquiry", inquiry.Question, inquiry.Shelf, asking(inquiry.Ask), recording(inquiry.Record)},
	{"tenants", tenants.Question, tenants.Shelf, asking(tenants.Ask), recording(tenants.Record)},
	{"chat", talk.Messages[0], func() fs.FS { return embed.FS{} }, converse, recordTalk},
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

func asking[A answers](ask func(context.Context, chat.Model, fs.FS, string, ...graphgen.RunOption) (A, error)) func(context.Context,
	chat.Model, fs.FS, string, ...graphgen.RunOption) (reply, error) {
	return func(ctx context.Context, model chat.Model, files fs.FS, question string, opts ...graphgen.RunOption) (reply, error) {
		a, err := ask(ctx, model, files, question, opts...)
		return reply(a), err
	}
}

func recording[A answers](record func(context.Context, chat.Model, fs.FS, string, ...graphgen.RunOption) (A, []byte,
	error)) func(context.Context, chat.Model, fs.FS, string, ...graphgen.RunOption) (reply, []byte, error) {
	return func(ctx context.Context, model chat.Model, files fs.FS, question string, opts ...graphgen.RunOption) (reply, []byte, error) {
		a, tape, err := record(ctx, model, files, question, opts...)
		return reply(a), tape, err
	}
}

// converse says a message, and if it is the first of the example the others after it: each is a run, which
// continues the conversation of the one before.
func converse(ctx context.Context, model chat.Model, _ fs.FS, message string, opts ...graphgen.RunOption) (reply, error) {
	m, err := talk.New(model)
	if err != nil {
		return reply{}, err
	}
	messages := []string{message}
	if message == talk.Messages[0] {
		messages = talk.Messages
	}
	var out talk.ChatOutput
	for _, message := range messages {
		if out, err = m.Run(ctx, talk.ChatInput{History: out.History, Message: message}, opts...); err != nil {
			break
		}
	}
	return reply{Text: out.Reply}, err
}

// recordTalk is converse with a recording.
func recordTalk(ctx context.Context, model chat.Model, files fs.FS, message string, opts ...graphgen.RunOption) (reply, []byte, error) {
	var b bytes.Buffer
	tape := record.New(&b)
	said, err := converse(ctx, tape.Model(model), files, message, opts...)
	if closing := tape.Close(); err == nil {
		err = closing
	}
	return said, b.Bytes(), err
}
