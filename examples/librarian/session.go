package librarian

import (
	"bytes"
	"context"
	"embed"
	"io/fs"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/chat/record"
)

//go:embed library
var library embed.FS

// recording is a run on Question. It was made with a scripted model, in librarian_test.go.
//
//go:embed recording.jsonl
var recording []byte

// Question is what the recording answers.
const Question = "Who was the last keeper of the lighthouse, and how far is its light seen?"

// Shelf is the library of the example.
func Shelf() fs.FS {
	files, err := fs.Sub(library, "library")
	if err != nil {
		panic(err) // the folder is embedded
	}
	return files
}

// Ask has a model answer a question about a folder of texts.
func Ask(ctx context.Context, model chat.Model, files fs.FS, question string, opts ...graphgen.RunOption) (Answer, error) {
	l := Library{Files: files}
	m, err := NewLibrarian(l, l, model)
	if err != nil {
		return Answer{}, err
	}
	out, err := m.Run(ctx, LibrarianInput{Question: question}, opts...)
	return out.Answer, err
}

// Replay answers Question from the recording, without a model. The machine is the real one; the answers
// of the model and the results of the tools are played.
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
