package agenttriage

import (
	"bytes"
	"context"
	_ "embed" // the recording
	"errors"
	"os"
	"path/filepath"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/chat/record"
	"github.com/graphgen/graphgen/examples/triage"
)

// recording is a run on the fixture. It was made with a scripted model, in session_test.go.
//
//go:embed recording.jsonl
var recording []byte

// Fixture writes the module of the package triage, and the issue that there is of it already.
func Fixture(dir string) error {
	const known = "# TestKnown fails since spring\n\nLabels: bug\n\notters.TestKnown\n"
	return errors.Join(triage.Fixture(dir), os.WriteFile(filepath.Join(dir, "ISSUE-1.md"), []byte(known), 0o644))
}

// Investigate has a model look into the module in a folder, and file what it finds there.
func Investigate(ctx context.Context, model chat.Model, dir string, opts ...graphgen.RunOption) (TriageOutput, error) {
	m, err := NewTriage(Desk{Issues: dir}, Module{Dir: dir}, model)
	if err != nil {
		return TriageOutput{}, err
	}
	return m.Run(ctx, TriageInput{}, opts...)
}

// Replay investigates the fixture, in that folder, by the recording: what models say and tools find is
// played, the rest is done, so that in the end there is an issue.
func Replay(ctx context.Context, dir string, opts ...graphgen.RunOption) (TriageOutput, error) {
	tape, err := record.Open(recording)
	if err != nil {
		return TriageOutput{}, err
	}
	out, err := Investigate(ctx, tape.Model(nil), dir, append(opts, record.Run(tape, nil))...)
	if err != nil {
		return out, err
	}
	return out, tape.Done()
}

// Record investigates a folder, and returns the recording of that.
func Record(ctx context.Context, model chat.Model, dir string, opts ...graphgen.RunOption) (TriageOutput, []byte, error) {
	var b bytes.Buffer
	tape := record.New(&b)
	out, err := Investigate(ctx, model, dir, append(opts, record.Run(tape, model))...)
	if closing := tape.Close(); err == nil {
		err = closing
	}
	return out, b.Bytes(), err
}
