// Package api describes the HTTP API that contrib/serve has: its routes, and what they take and give. The server makes its mux of the table,
// and graphgen makes documents of OpenAPI and clients of other languages of it.
package api

import "encoding/json"

// A Route is what a method does at a path.
type Route struct {
	Verb         string // what a server authorizes; empty: whoever asks is answered
	Method, Path string
	Doc          string
	Query        []string // the parameters of the query
	Body         []string // the members of the body, an object, of which the first is required; nil: it has another body, or none
	Result       string   // the schema of the answer; empty: it has none
	Events       bool     // the answer may be server-sent events
}

// Routes are all routes.
var Routes = []Route{
	{"graphs", "GET", "/graphs", "the graphs", nil, nil, "Graphs", false},
	{"describe", "GET", "/graphs/{graph}", "a graph: the JSON Schemas of its input, output, requests and events", nil, nil, "Description", false},
	{"picture", "GET", "/graphs/{graph}/picture.svg", "its picture, for developers", nil, nil, "", false},
	{"start", "POST", "/graphs/{graph}/threads", "begin a run in a thread", nil, []string{"input", "thread", "multitask", "on_disconnect"}, "Outcome", true},
	{"run", "POST", "/graphs/{graph}/runs", "make a run that is in no thread", nil, []string{"input"}, "Outcome", true},
	{"list", "GET", "/threads", "a page of threads", []string{"graph", "status", "prefix", "after", "limit"}, nil, "Threads", false},
	{"read", "GET", "/threads/{thread}", "the status of a thread, and its open requests", nil, nil, "Thread", false},
	{"delete", "DELETE", "/threads/{thread}", "delete a thread", nil, nil, "", false},
	{"watch", "GET", "/threads/{thread}/events", "its steps and events, as server-sent events", []string{"after", "stay"}, nil, "", true},
	{"history", "GET", "/threads/{thread}/history", "a page of its steps", []string{"after", "limit"}, nil, "Steps", false},
	{"events", "GET", "/threads/{thread}/run", "a page of its last run as events, for developers", []string{"begin", "after", "limit"}, nil, "Run", false},
	{"state", "GET", "/threads/{thread}/state", "its state after a step", []string{"at"}, nil, "State", false},
	{"requests", "GET", "/threads/{thread}/requests", "its open requests", nil, nil, "Requests", false},
	{"answer", "POST", "/threads/{thread}/requests/{request}", "answer a request", nil, nil, "Outcome", true},
	{"recover", "POST", "/threads/{thread}/recover", "continue its run, or get the result again", nil, nil, "Outcome", true},
	{"stop", "POST", "/threads/{thread}/stop", "stop its run before the next node", nil, nil, "Named", false},
	{"fork", "POST", "/threads/{thread}/fork", "make a thread that continues after a step", nil, []string{"to", "at", "set"}, "Named", false},
	{"", "GET", "/healthz", "whether the process lives", nil, nil, "", false},
	{"", "GET", "/readyz", "whether it takes requests", nil, nil, "", false},
	{"", "GET", "/openapi.json", "this table, as OpenAPI 3.1", nil, nil, "", false},
}

// The values of members that have few.
var (
	Multitasks  = []string{"reject", "enqueue", "interrupt", "rollback"}
	Disconnects = []string{"continue", "cancel"}
	Statuses    = []string{"completed", "paused", "stopped", "failed", "running"}
)

// A Graph is a graph that is served.
type Graph struct {
	Name        string
	Durable     bool
	Description *Description // nil: its machine has none
}

// A Description is what is read of what the method Describe of a machine returns.
type Description struct {
	Doc      string
	Durable  bool
	Input    json.RawMessage // JSON Schemas
	Output   json.RawMessage
	State    json.RawMessage
	Requests json.RawMessage // of []Request
	Picture  string          // SVG
	Nodes    []Node
	Messages []Message
	Prompts  []Prompt
}

// A Node is a node of a graph.
type Node struct{ Name, Doc string }

// A Prompt is what a node sends a model, with placeholders of fields.
type Prompt struct {
	Node, System, Message string
	Shows                 []string // fields whose values are before the message
}

// A Message is what a node of kind say sends beside its text.
type Message struct {
	Node    string
	Payload json.RawMessage // a JSON Schema
}

// A Request is what a run may ask for.
type Request struct {
	Node, Tool, Kind  string
	Choices           []string
	Arguments, Answer json.RawMessage
}

// Describe reads what the method Describe of a machine returns.
func Describe(text string) (*Description, error) {
	d := new(Description)
	return d, json.Unmarshal([]byte(text), d)
}
