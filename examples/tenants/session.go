package tenants

import (
	"bytes"
	"context"
	"embed"
	"io/fs"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/chat/record"
)

//go:embed orders
var orders embed.FS

// recording is a run on Question. It was made with a scripted model, in tenants_test.go.
//
//go:embed recording.jsonl
var recording []byte

// Question is what the recording answers, for a customer of Tenant.
const (
	Tenant   = "acme"
	Question = "What became of order 1001, and of order 2001?"
)

// Shelf has the orders of the example.
func Shelf() fs.FS {
	files, err := fs.Sub(orders, "orders")
	if err != nil {
		panic(err) // the folder is embedded
	}
	return files
}

// Ask has a model answer a question of a customer of Tenant.
func Ask(ctx context.Context, model chat.Model, files fs.FS, question string, opts ...graphgen.RunOption) (Answer, error) {
	o := Orders{Files: files}
	m, err := NewTenants(o, o, model)
	if err != nil {
		return Answer{}, err
	}
	out, err := m.Run(ctx, TenantsInput{Tenant: Tenant, Question: question}, opts...)
	return out.Answer, err
}

// Replay answers Question from the recording, without a model.
func Replay(ctx context.Context, opts ...graphgen.RunOption) (Answer, error) {
	tape, err := record.Open(recording)
	if err != nil {
		return Answer{}, err
	}
	answer, err := Ask(ctx, tape.Model(nil), Shelf(), Question, append(opts, record.Run(tape, nil))...)
	if err != nil {
		return Answer{}, err
	}
	return answer, tape.Done()
}

// Record answers a question, and returns the recording of that.
func Record(ctx context.Context, model chat.Model, files fs.FS, question string, opts ...graphgen.RunOption) (Answer, []byte, error) {
	var b bytes.Buffer
	tape := record.New(&b)
	answer, err := Ask(ctx, model, files, question, append(opts, record.Run(tape, model))...)
	if closing := tape.Close(); err == nil {
		err = closing
	}
	return answer, b.Bytes(), err
}
