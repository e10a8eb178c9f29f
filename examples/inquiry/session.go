package inquiry

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

// recording is a run on Question. It was made with a scripted model, in session_test.go.
//
//go:embed recording.jsonl
var recording []byte

// Question is what the recording answers.
const Question = "Why has Little Skerry fewer puffins than twenty years ago, and how many fewer?"

// Shelf is the library of the example.
func Shelf() fs.FS {
	files, err := fs.Sub(library, "library")
	if err != nil {
		panic(err) // the folder is embedded
	}
	return files
}

// Ask has a model look into a question, in a folder of texts.
func Ask(ctx context.Context, model chat.Model, files fs.FS, question string, opts ...graphgen.RunOption) (Answer, error) {
	l := Library{Files: files}
	m, err := NewInquiry(l, l, model)
	if err != nil {
		return Answer{}, err
	}
	out, err := m.Run(ctx, InquiryInput{Question: question}, opts...)
	return out.Answer, err
}

// Replay answers Question from the recording, without a model. The branches run concurrently, as they did: a call is
// answered by what was sent, not by when.
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

// Record looks into a question, and returns the recording of that.
func Record(ctx context.Context, model chat.Model, files fs.FS, question string, opts ...graphgen.RunOption) (Answer, []byte, error) {
	var b bytes.Buffer
	tape := record.New(&b)
	answer, err := Ask(ctx, model, files, question, append(opts, record.Run(tape, model))...)
	if closing := tape.Close(); err == nil {
		err = closing
	}
	return answer, b.Bytes(), err
}
