package serve

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net/http"
	"slices"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/api"
	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/runtime/durable"
	"github.com/graphgen/graphgen/runtime/engine"
	"github.com/graphgen/graphgen/thread"
)

// A Graph is a machine that a Handler serves: Durable and Plain make one.
type Graph struct {
	name      string
	durable   threads // nil: its runs are in no threads
	plain     runner  // nil: they are
	messaging Messaging
	given     bool // the program gives the input of a conversation: it may have private fields
	err       error

	view        string           // what its machine says of itself, in JSON; empty: nothing
	description *api.Description // the same; nil: nothing
	events      []byte           // the JSON Schema of its events
	prompts     []Prompt
}

// describes reads the description of a machine, whose method is generated for a graph with serve: true.
func (g *Graph) describes(m any) {
	of, ok := m.(interface{ Describe() string })
	if !ok || g.err != nil {
		return
	}
	g.view = of.Describe()
	if g.description, g.err = api.Describe(g.view); g.err == nil {
		of := g.typed()
		g.events, g.err = api.Events(&of)
	}
	if g.err == nil {
		g.prompts, g.err = promptsOf(g.description)
	}
}

// An input is what decodes to an input of a machine; generated inputs do.
type input[In any] interface {
	*In
	UnmarshalJSON([]byte) error
}

// An output encodes itself; generated outputs do.
type output interface{ MarshalJSON() ([]byte, error) }

// A Reader decodes the input of a run from the JSON of a client, and adds what the caller does not give itself, such as private fields. An error that
// wraps one of UnmarshalJSON names the field to the client.
type Reader[In any] func(c Caller, body []byte) (In, error)

// Durable serves a machine of a durable graph, with its threads, under a name. Its type arguments are inferred:
//
//	serve.Durable("refunds", m)
//
// At most one reader replaces the decoding of inputs. Without one, a client that gives a private field is refused.
func Durable[M, In any, Out output, S any, PIn input[In]](name string, m interface {
	Thread(name string) thread.Thread[M, In, Out, S]
	Threads(context.Context, thread.Filter) iter.Seq2[thread.Info, error]
	Durable() *durable.Machine
}, readers ...Reader[In]) *Graph {
	d := &durableMachine[M, In, Out, S]{machine: m.Durable(), thread: m.Thread, threads: m.Threads}
	g := &Graph{name: name, durable: d}
	if d.kept, g.err = d.machine.Store(); g.err != nil {
		return g
	}
	d.read, d.given, g.err = reader[In, PIn](readers, d.machine.Private)
	g.messaging = messagingOf[In, Out, PIn](d.machine.Private)
	g.messaging.Speaks = speakers(d.machine)
	g.describes(m)
	return g
}

// Plain serves a machine by its methods Run and Stream, under a name. Its runs are in no thread: their clients wait for them, and a run that pauses ends
// there. Its type arguments are inferred, and a reader is as of Durable. Which fields are private is not known without a thread: give a graph that has some a
// reader.
func Plain[In any, Out output, PIn input[In]](name string, m interface {
	Run(context.Context, In, ...graphgen.RunOption) (Out, error)
	Stream(context.Context, In, ...graphgen.RunOption) *graphgen.Stream[Out]
}, readers ...Reader[In]) *Graph {
	p := &plainMachine[In, Out]{run: m.Run, stream: m.Stream}
	g := &Graph{name: name, plain: p}
	p.read, p.given, g.err = reader[In, PIn](readers, nil)
	g.messaging = messagingOf[In, Out, PIn](nil)
	g.describes(m)
	return g
}

// reader returns what reads inputs of clients, and those that the program makes of conversations.
func reader[In any, PIn input[In]](readers []Reader[In], private []string) (read, given Reader[In], err error) {
	switch {
	case len(readers) > 1:
		return nil, nil, errors.New("it has more than one reader of inputs")
	case len(readers) == 1 && readers[0] == nil:
		return nil, nil, errors.New("its reader of inputs is nil: leave it out")
	case len(readers) == 1:
		return readers[0], readers[0], nil
	}
	given = func(_ Caller, body []byte) (in In, err error) {
		err = PIn(&in).UnmarshalJSON(body)
		return in, err
	}
	return func(c Caller, body []byte) (in In, err error) {
		if err := hasNone(body, private); err != nil {
			return in, err
		}
		return given(c, body)
	}, given, nil
}

// messagingOf returns how a graph takes part in conversations, as far as that is plain.
func messagingOf[In any, Out output, PIn input[In]](private []string) Messaging {
	decode := func(data []byte) error { return PIn(new(In)).UnmarshalJSON(data) }
	var zero Out
	return Messaging{Input: plainInput(decode, private), Output: plainOutput(zero.MarshalJSON())}
}

// speakers returns the one node that asks a model, if it is of kind prompt.
func speakers(m *durable.Machine) []string {
	if len(m.Graph.Prompts) != 1 || len(m.Subs) > 0 {
		return nil
	}
	name := m.Graph.Prompts[0].Node
	if !slices.ContainsFunc(m.Graph.Nodes, func(n engine.NodeInfo) bool { return n.Name == name && n.Kind == "prompt" }) {
		return nil
	}
	return []string{name}
}

// hasNone refuses an object with members that only the server gives.
func hasNone(body []byte, private []string) error {
	if len(private) == 0 {
		return nil
	}
	members, err := objectOf(body)
	if err != nil {
		return err
	}
	for _, name := range private {
		if _, given := members[name]; given {
			return &Problem{Status: http.StatusUnprocessableEntity, Code: "invalid", Field: "input." + name, Detail: "Clients do not give this field."}
		}
	}
	return nil
}

// objectOf returns the members of an object.
func objectOf(body []byte) (members map[string][]byte, err error) {
	err = codec.Unmarshal(body, codec.Into(&members, func(v *map[string][]byte, d *codec.Decoder) { codec.ReadMap(v, d, codec.ReadAny[[]byte]) }))
	return members, err
}

// A beginning begins or continues a run, and returns its output in JSON.
type beginning func(ctx context.Context, events graphgen.Option) ([]byte, error)

// threads is a durable machine, without its types. Names of threads are as the store has them.
type threads interface {
	graph() string
	shape() string
	store() thread.Store
	start(c Caller, name string, o *order, body []byte, given bool) (beginning, error)
	resume(name, request string, answer []byte, by string) beginning
	recover(name string) beginning
	fits(ctx context.Context, name string, replies []Reply) error
	works(name string) (end func())
	stop(ctx context.Context, name string) error
	info(ctx context.Context, name string) (thread.Info, error)
	inputAt(ctx context.Context, name string, seq uint64) (string, error)
	list(ctx context.Context, f thread.Filter) iter.Seq2[thread.Info, error]
	watch(ctx context.Context, name string, after thread.After) iter.Seq2[durable.Watched, error]
	check(ctx context.Context, name string) error
	fork(ctx context.Context, name string, seq uint64, to string, set map[string][]byte) error
	shown(at string, values []thread.Value) []thread.Value
	output(values []thread.Value) []byte
	secret() bool
}

// A durableMachine is a machine of a durable graph.
type durableMachine[M, In any, Out output, S any] struct {
	machine *durable.Machine
	thread  func(string) thread.Thread[M, In, Out, S]
	threads func(context.Context, thread.Filter) iter.Seq2[thread.Info, error]
	read    Reader[In]
	given   Reader[In] // of what the program makes of a conversation
	kept    thread.Store
}

func (d *durableMachine[M, In, Out, S]) graph() string       { return d.machine.Graph.Name }
func (d *durableMachine[M, In, Out, S]) shape() string       { return d.machine.Shape() }
func (d *durableMachine[M, In, Out, S]) store() thread.Store { return d.kept }
func (d *durableMachine[M, In, Out, S]) secret() bool        { return d.machine.Secret }

func (d *durableMachine[M, In, Out, S]) start(c Caller, name string, o *order, body []byte, given bool) (beginning, error) {
	read := d.read
	if given {
		read = d.given
	}
	in, err := read(c, body)
	if err != nil {
		return nil, inputProblem(err)
	}
	if o.runID != "" {
		o.input = durable.InputHash(d.thread(name), in)
	}
	return func(ctx context.Context, events graphgen.Option) ([]byte, error) {
		opts := []graphgen.RunOption{events}
		if o.runID != "" {
			opts = append(opts, graphgen.WithRunID(o.runID))
		}
		if o.takeBack {
			opts = append(opts, thread.TakeBack())
		}
		if o.passing {
			opts = append(opts, durable.Passing())
		}
		return encoded(d.thread(name).Start(ctx, in, opts...))
	}, nil
}

// inputProblem returns the problem of an input that a reader refuses.
func inputProblem(err error) error {
	if is[*Problem](err) {
		return err
	}
	return invalid("input", err)
}

func (d *durableMachine[M, In, Out, S]) resume(name, request string, answer []byte, by string) beginning {
	return func(ctx context.Context, events graphgen.Option) ([]byte, error) {
		opts := []graphgen.ResumeOption{events}
		if by != "" {
			opts = append(opts, graphgen.AnsweredBy(by))
		}
		return encoded(d.thread(name).Resume(ctx, graphgen.AnswerJSON[M](request, answer), opts...))
	}
}

func (d *durableMachine[M, In, Out, S]) recover(name string) beginning {
	return func(ctx context.Context, events graphgen.Option) ([]byte, error) {
		return encoded(d.thread(name).Recover(ctx, events))
	}
}

// encoded returns the JSON of what a call returns.
func encoded[Out output](out Out, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	return out.MarshalJSON()
}

func (d *durableMachine[M, In, Out, S]) stop(ctx context.Context, name string) error {
	return d.thread(name).Stop(ctx)
}

func (d *durableMachine[M, In, Out, S]) fits(ctx context.Context, name string, replies []Reply) error {
	var list []graphgen.Answer[M]
	for _, r := range replies {
		list = append(list, graphgen.AnswerJSON[M](r.Request, r.JSON))
	}
	return durable.Fits(ctx, d.machine, name, list)
}

func (d *durableMachine[M, In, Out, S]) works(name string) (end func()) { return d.machine.Works(name) }

func (d *durableMachine[M, In, Out, S]) info(ctx context.Context, name string) (thread.Info, error) {
	return d.thread(name).Info(ctx)
}

func (d *durableMachine[M, In, Out, S]) inputAt(ctx context.Context, name string, seq uint64) (string, error) {
	return d.machine.InputAt(ctx, name, seq)
}

func (d *durableMachine[M, In, Out, S]) list(ctx context.Context, f thread.Filter) iter.Seq2[thread.Info, error] {
	return d.threads(ctx, f)
}

func (d *durableMachine[M, In, Out, S]) watch(ctx context.Context, name string, after thread.After) iter.Seq2[durable.Watched, error] {
	return d.machine.Watch(ctx, name, after)
}

// check returns an error if the types of the state do not read what is saved of a thread.
func (d *durableMachine[M, In, Out, S]) check(ctx context.Context, name string) error {
	_, err := d.thread(name).StateAt(ctx, 0)
	return err
}

func (d *durableMachine[M, In, Out, S]) fork(ctx context.Context, name string, seq uint64, to string, set map[string][]byte) error {
	if len(set) == 0 {
		return d.thread(name).Fork(ctx, seq, to, nil)
	}
	var edits []thread.Edit
	for field, value := range set {
		edits = append(edits, thread.Edit{Field: field, JSON: value})
	}
	return d.machine.ForkThread(ctx, name, seq, to, edits...)
}

func (d *durableMachine[M, In, Out, S]) shown(at string, values []thread.Value) []thread.Value {
	return d.machine.Shown(at, values)
}

// output returns the output of a run that ended with fields of its state, in JSON. Of a graph with secret fields, which are sealed, it returns nil.
func (d *durableMachine[M, In, Out, S]) output(values []thread.Value) []byte {
	var out Out
	to, ok := any(&out).(json.Unmarshaler)
	if !ok || d.secret() {
		return nil
	}
	for _, v := range values {
		if data, err := object(func(e *codec.Encoder) { e.Name(v.Name); codec.WriteAny(v.JSON, e) }); err == nil {
			_ = to.UnmarshalJSON(data) // which refuses a field that the output does not have, and keeps the others
		}
	}
	data, err := out.MarshalJSON()
	if err != nil {
		return nil
	}
	return data
}

// runner is a machine without threads, and without its types.
type runner interface {
	begin(c Caller, body []byte, given bool) (*plainRun, error)
}

// A plainRun is a run that is in no thread.
type plainRun struct {
	account *account // that it uses; nil: none
	run     func(context.Context) ([]byte, error)
	stream  func(context.Context) (iter.Seq[graphgen.Event], func() ([]byte, error))
}

// A plainMachine is a machine whose runs are in no threads.
type plainMachine[In any, Out output] struct {
	run    func(context.Context, In, ...graphgen.RunOption) (Out, error)
	stream func(context.Context, In, ...graphgen.RunOption) *graphgen.Stream[Out]
	read   Reader[In]
	given  Reader[In] // of what the program makes of a conversation
}

// ahead is how many events a run without a thread may be ahead of its client.
const ahead = 64

func (p *plainMachine[In, Out]) begin(c Caller, body []byte, given bool) (*plainRun, error) {
	read := p.read
	if given {
		read = p.given
	}
	in, err := read(c, body)
	if err != nil {
		return nil, inputProblem(err)
	}
	r := new(plainRun)
	r.run = func(ctx context.Context) ([]byte, error) {
		defer r.account.settle()
		return encoded(p.run(ctx, in, r.account.options()...))
	}
	r.stream = func(ctx context.Context) (iter.Seq[graphgen.Event], func() ([]byte, error)) {
		s := p.stream(ctx, in, r.account.options()...).Buffered(ahead)
		return s.Events(), func() ([]byte, error) {
			defer r.account.settle()
			return encoded(s.Output())
		}
	}
	return r, nil
}
