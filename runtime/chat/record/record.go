// Package record keeps what a run says to models and tools and hears from them, and plays it
// again without any: the same responses, streams and errors, byte for byte.
//
//	tape := record.New(file)          // or: tape, err := record.Open(data)
//	model = tape.Model(model)
//	toolbox = tape.Toolbox(toolbox)
//	…                                 // run
//	err := tape.Close()               // or: err := tape.Done()
//
// # What is replayed
//
// A call is answered by the recorded one that is the same in all that was sent: who calls,
// the purpose, the settings and the whole conversation of a model's, the name and the
// arguments of a tool's. Of several that are the same, the first goes first. So calls that
// were made at once replay whatever the schedule. A call that has no recorded one is a
// *[DivergenceError], which says what differs from the call that it resembles most, and quotes
// [Excerpt] bytes of it at most; calls
// that were recorded and not made are told by [Player.Done].
//
// A replay takes no time, but for calls that failed because the deadline of their context had
// passed ("late"): it waits for the deadline again, so that who set it sees the same. What
// a recorded call does within itself, such as a model that calls others, or a tool that is an
// agent, is neither recorded nor made again.
//
// # The file
//
// A recording is lines of JSON. Each is an object with its "kind", and what is said of it
// here; what is empty, zero or false is left out, but for what is marked with a star.
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
// Calls are numbered as one, from 1; so are settings, and messages. A message stands in the
// file once for each conversation that begins in the same way, so the size of a recording is
// proportional to what was said, however often it was sent. Bytes that are no UTF-8 are in
// members such as text_base64.
//
// The same run writes the same bytes: the calls of tools that a model asks for in one turn
// are written in the order it asks for them, whichever ends first. Only what parallel branches
// of a run do may stand in another order from run to run.
//
// # Secrets
//
// Requests hold no keys, but what is said of them may: the error of a proxy repeats a header, a
// tool returns a URL with a token. Each text passes the recorder's Redact before it is written,
// without one [Secrets]. A replay compares by the same function, the player's Redact.
package record

import (
	"context"
	"strconv"

	"github.com/graphgen/graphgen/runtime/chat"
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

// An Error says that a recording cannot be read, or written.
type Error struct {
	Line int // of the file, from 1
	Err  error
}

func (e *Error) Error() string {
	return "line " + strconv.Itoa(e.Line) + " of the recording: " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// A mistake is what is wrong with a file.
type mistake string

func (m mistake) Error() string { return string(m) }
