package spec

import "slices"

// The words of the language: where a value is one of a few, these are the few. A reader
// takes any word; the checks judge it and suggest one of these.

// BasicTypes are the types the language has by name.
var BasicTypes = []Word{
	{Name: "string", Doc: "A text. In Go a string."},
	{Name: "int", Doc: "A whole number. In Go an int."},
	{Name: "float", Doc: "A number. In Go a float64."},
	{Name: "bool", Doc: "True or false. In Go a bool."},
	{Name: "time", Doc: "An instant, in JSON a text as of RFC 3339: `2026-01-31T12:00:00Z`. In Go a time.Time."},
	{Name: "duration", Doc: "A span of time, in JSON a text such as `1h30m`. In Go a time.Duration."},
	{Name: "bytes", Doc: "Bytes, in JSON a text in base64. In Go a []byte."},
	{Name: "image", Doc: "A picture, its bytes or its address. In Go a chat.Image."},
	{Name: "pdf", Doc: "A PDF, its bytes or its address. In Go a chat.PDF."},
	{Name: "audio", Doc: "A sound, its bytes or its address. In Go a chat.Audio."},
	{Name: "any", Doc: "Any JSON value, kept as it is written. In Go a jsontext.Value."},
	{Name: "message", Doc: "A message of a conversation. In Go a chat.Message, in JSON an object: `{\"role\": \"user\", \"text\": \"Hi\"}`."},
	{Name: "messages",
		Doc: "A conversation: messages with roles, tool calls and results. In Go a []chat.Message, in JSON a list. Prompts continue it by `history`."},
}

// MediaTypes are the values of a field's types.
var MediaTypes = []Word{
	{Name: "image/png", Doc: "Of an image."},
	{Name: "image/jpeg", Doc: "Of an image."},
	{Name: "image/gif", Doc: "Of an image."},
	{Name: "image/webp", Doc: "Of an image."},
	{Name: "image/heic", Doc: "Of an image; few providers take it."},
	{Name: "image/heif", Doc: "Of an image; few providers take it."},
	{Name: "image/bmp", Doc: "Of an image; few providers take it."},
	{Name: "image/tiff", Doc: "Of an image; few providers take it."},
	{Name: "audio/wav", Doc: "Of audio."},
	{Name: "audio/mpeg", Doc: "Of audio: MP3."},
	{Name: "audio/ogg", Doc: "Of audio; few providers take it."},
	{Name: "audio/flac", Doc: "Of audio; few providers take it."},
	{Name: "audio/aac", Doc: "Of audio; few providers take it."},
	{Name: "audio/aiff", Doc: "Of audio; few providers take it."},
	{Name: "audio/mp4", Doc: "Of audio; few providers take it."},
	{Name: "audio/webm", Doc: "Of audio; few providers take it."},
}

// Formats are the values of a field's format.
var Formats = []Word{
	{Name: "date-time", Doc: "An instant of RFC 3339, as in `2026-01-31T12:00:00Z`; the type `time` is better."},
	{Name: "date", Doc: "A date, as in `2026-01-31`."},
	{Name: "time", Doc: "A time of day of RFC 3339, as in `12:00:00Z`."},
	{Name: "email", Doc: "An address of mail, as in `a@example.com`."},
	{Name: "hostname", Doc: "The name of a host, as in `example.com`."},
	{Name: "ipv4", Doc: "An address, as in `192.0.2.1`."},
	{Name: "ipv6", Doc: "An address, as in `2001:db8::1`."},
	{Name: "uri", Doc: "A URI with its scheme, as in `https://example.com/a`."},
	{Name: "uuid", Doc: "A UUID, as in `123e4567-e89b-12d3-a456-426614174000`."},
}

// Modes are the values of a graph's mode.
var Modes = []Word{
	{Name: "static", Doc: "By edges."},
	{Name: "autonomous", Doc: "The nodes are a pool: the model picks the next one, from `entry` to one with the flag `terminal`."},
}

// Actions are what mutations may allow.
var Actions = []Word{
	{Name: "add_node", Doc: "Adds a node of a kind, or made of a template."},
	{Name: "add_edge", Doc: "Adds an edge between nodes; it is tried before the edges of the spec."},
	{Name: "skip_to", Doc: "Goes to a node immediately."},
	{Name: "retry_with", Doc: "Sets fields of the state, and runs the node again."},
	{Name: "remove_edge", Doc: "Removes the edges from one node to another."},
	{Name: "remove_node", Doc: "Removes a node: what leads to it leads to its target."},
}

// MutableKinds are the kinds of which mutations may add nodes: those that need no code of their
// own.
var MutableKinds = []Word{
	{Name: "prompt",
		Doc: "A node that asks the model, with instructions, fields that it reads and one that it writes, and tools that it may " +
			"call: of each those that `mutations` names."},
}

// NoMatches are the values of no_match.
var NoMatches = []Word{
	{Name: "error", Doc: "The run fails with NoEdgeMatched."},
	{Name: "end", Doc: "The run ends, with the reason no_route."},
}

// DriverNames are the values of drivers.
var DriverNames = []Word{
	{Name: Temporal,
		Doc: "Workflows of Temporal: the machine is the workflow, and its handlers, tools and models are activities. The file imports the " +
			"module contrib/temporal."},
}

// Temporal is the driver of contrib/temporal.
const Temporal = "temporal"

// Drives reports whether the machine runs on another engine.
func (g *Graph) Drives(driver string) bool {
	return slices.ContainsFunc(g.Drivers, func(d String) bool { return d.V == driver })
}

// CodecSets are the values of codecs.
var CodecSets = []Word{
	{Name: "needed",
		Doc: "Those that the generated machine writes or reads as JSON, as far as it does. The types, the input and the output work with encoding/json."},
	{Name: "all",
		Doc: "All: the types, the state, what a run and its nodes take and give. They also have the methods of encoding/json/v2, " +
			"for programs that store or send them."},
}

// StepOutcomes are the values of on_max_steps.
var StepOutcomes = []Word{
	{Name: "error", Doc: "The run fails; the error carries the state."},
	{Name: "last", Doc: "The run returns what there is."},
	{Name: "flag", Doc: "The run returns its output so far, and the result is marked as cut short."},
}

// Merges are the merge rules of a state field.
var Merges = []Word{
	{Name: "last", Doc: "The value written last stays."},
	{Name: "append", Doc: "A list grows by what is written."},
	{Name: "union", Doc: "A list grows by what it does not hold yet; a map by the keys written."},
	{Name: "sum", Doc: "Numbers are added."},
	{Name: "max", Doc: "The greater number stays."},
	{Name: "min", Doc: "The smaller number stays."},
	{Name: "custom", Doc: "A method of the handlers, Merge and the field's name, decides."},
}

// EdgeEvents are the values of an edge's on.
var EdgeEvents = []Word{
	{Name: "error", Doc: "The node failed."},
	{Name: "guard_fail", Doc: "A guard rejected the node's output, or the guard node rejected the run."},
	{Name: "budget", Doc: "The node needed more of a budget of the run than is left: tokens, money, or calls of models or tools."},
	{Name: "tool_call", Doc: "The model asked for tools, which the node leaves to others: `tool_loop: false`."},
	{Name: "no_tool_call", Doc: "The model answered without asking for tools, though it could have: `tool_loop: false`."},
}

// Strategies are the values of a prompt's strategy.
var Strategies = []Word{
	{Name: "direct", Doc: "The answer alone."},
	{Name: "chain_of_thought", Doc: "Step by step, with the reasons before the answer."},
	{Name: "step_back", Doc: "The principle of the question first, then the answer from it."},
	{Name: "self_critique", Doc: "A draft, what is wrong with it, and the mended answer."},
	{Name: "plan_and_execute", Doc: "A plan, then its steps one by one."},
}

// Contexts are the values of a prompt's context.
var Contexts = []Word{
	{Name: "full", Doc: "All of the messages."},
	{Name: "scoped", Doc: "None of the messages before: what the node reads, and the calls of its own tools."},
	{Name: "ledger", Doc: "The facts that tools have brought to light, each once, instead of the transcript."},
	{Name: "auto", Doc: "The messages while they are few, the ledger when they are many."},
}

// ToolChoices are the values of a prompt's tool_choice that are no tool's name.
var ToolChoices = []Word{
	{Name: "auto", Doc: "The model may call tools."},
	{Name: "none", Doc: "The model is shown the tools and may not call them."},
	{Name: "required", Doc: "The model must call a tool."},
}

// Before are the processors of prompts that need no handler.
var Before = []Word{
	{Name: "context_enricher", Doc: "Adds the date, the time and the number of the visit."},
	{Name: "state_summarizer", Doc: "Values of over 2,000 characters are summarized by the smaller model.", Of: "state_summarizer"},
	{Name: "input_validator", Doc: "Every field that is read must have a value."},
}

// After are the processors of answers that need no handler.
var After = []Word{
	{Name: "json_extractor", Doc: "Takes the JSON out of the prose around it.", Of: "json_extractor"},
	{Name: "confidence_scorer", Doc: "How sure the answer sounds, by the words with which it hedges: `res.Confidence` in conditions. It knows English alone."},
	{Name: "state_writer", Doc: "Members of the answer that are state fields are written to them.", Of: "state_writer"},
	{Name: "output_truncator", Doc: "Cuts a text after 4,000 characters, and adds a note that it is cut.", Of: "output_truncator"},
}

// RetryCauses are the values of a retryable flag's on.
var RetryCauses = []Word{
	{Name: "transient", Doc: "Errors that say they are transient, and the node's own timeout."},
	{Name: "any", Doc: "Every error that the handler or a guard returns. A panic, a choice that may not be made and a refusal of the guards are none."},
}

// A Row is a row of a table of words: a Word, or one that has traits besides.
type Row interface{ AsWord() Word }

// Words returns the words of rows.
func Words[T Row](rows []T) []Word {
	words := make([]Word, len(rows))
	for i, row := range rows {
		words[i] = row.AsWord()
	}
	return words
}

// Names returns the names of words, for a suggestion or a list of what is allowed.
func Names[T Row](rows []T) []string {
	names := make([]string, len(rows))
	for i, row := range rows {
		names[i] = row.AsWord().Name
	}
	return names
}
