// Package record records the calls that a run makes to models and tools, and replays them
// without either: the same responses, streams and errors, byte for byte.
//
//	tape := record.New(file)          // or: tape, err := record.Open(data)
//	model = tape.Model(model)
//	toolbox = tape.Toolbox(toolbox)
//	…                                 // run
//	err := tape.Close()               // or: err := tape.Done()
//
// # What is replayed
//
// A call is answered by the recorded call that is equal in all that was sent. For a model that is
// the caller, the purpose, the settings and the whole conversation; for a tool the caller, the
// name and the arguments. Equal calls are answered in their recorded order, so calls that were
// made concurrently replay under any schedule. A call without a recorded one is a
// *[DivergenceError]. It holds the difference from the most similar recorded call, and quotes at
// most [Excerpt] bytes of it. [Player.Done] reports the recorded calls that were not made.
//
// An error whose type recordings do not know is replayed with its text, what retries ask of it,
// and the first error that it wraps whose type they do know.
//
// A replay takes no time, except for calls that failed because the deadline of their context had
// passed ("late"): it waits for the deadline again, so that the code that set it sees the same.
// Calls within a recorded call, such as the calls of a model that calls others, or of a tool that is
// an agent, are neither recorded nor made again.
//
// # The file
//
// A recording is lines of JSON. Each is an object with its "kind" and the members listed
// here. Members that are empty, zero or false are left out, except those marked with a star.
//
//	recording  the first line: version* (1)
//	settings   n*, and of a request: model, system, tools, choice, output, temperature,
//	           max_tokens, cache
//	message    n*, after (the message before it in its conversation; none: it is the first),
//	           message*
//	model      n*, by, purpose, settings*, messages (the last of the conversation), deltas
//	           (only if it was streamed), and response, or error, late; of a response, as* is
//	           the number that its message has from here on
//	tool       n*, by, name*, arguments, and result or error, late
//	tools      n*, by, and tools* or error: what a toolbox had
//	end        the last line: calls* (how many there were)
//
// Calls share one numbering, from 1; so do settings, and messages. A message is in the
// file once for each conversation that begins in the same way, so the size of a recording is
// proportional to the text of the conversations, not to how often it was sent. Bytes that are no
// UTF-8 are in members such as text_base64.
//
// The same run writes the same bytes. The tool calls of one turn are written in the order in
// which the model lists them, whichever ends first. Only the calls of parallel branches of a run
// may be in a different order from run to run.
//
// # Secrets
//
// Requests hold no keys, but texts about them may: the error of a proxy repeats a header, a
// tool returns a URL with a token. Each text passes the recorder's Redact before it is written,
// without one [Secrets]. A replay compares by the same function, the player's Redact.
package record

import (
	"context"
	"strconv"

	"github.com/graphgen/graphgen/chat"
)

// Version is the version of the files that this package reads and writes.
const Version = 1

// A Tape is a [Recorder] or a [Player]: what a run has in either case between itself and
// its models and tools.
type Tape interface {
	// Model returns the model to call instead of that one. A player asks for none.
	Model(chat.Model) chat.Model
	// Toolbox returns the toolbox to ask instead of that one. A player asks for none.
	Toolbox(chat.Toolbox) chat.Toolbox
	// Call calls a tool by that function. A player does not call it.
	Call(ctx context.Context, name, arguments string, call func(context.Context) (chat.ToolResult, error)) (chat.ToolResult, error)
}

// A lineError reports that a line of a recording, counted from 1, cannot be read or written.
type lineError struct {
	line int
	err  error
}

func (e *lineError) Error() string {
	return "line " + strconv.Itoa(e.line) + " of the recording: " + e.err.Error()
}

func (e *lineError) Unwrap() error { return e.err }

// A mistake is what is wrong with a file.
type mistake string

func (m mistake) Error() string { return string(m) }
