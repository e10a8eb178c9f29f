package harness

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/scenario/wire"
)

// A ToolCall is a call of a tool. In, Arguments and Out are pointers; In is nil if the tool reads
// nothing, Arguments if it has none.
type ToolCall struct {
	Context   context.Context
	Name      string
	In        any
	Arguments any
	Out       any
}

// CallTool executes the next entry of the tool. The last entry repeats. Several goroutines may call
// it concurrently.
func (s *Script) CallTool(c ToolCall) error {
	made := wire.ToolCall{Name: c.Name, Arguments: s.known.encode(c.Arguments)}
	if c.In != nil {
		made.In = s.known.encode(c.In)
	}
	e := s.toolEntry(c.Context, made)
	if err := s.playTool(c.Context, e); err != nil {
		return err
	}
	if err := s.known.decode(e.Result, c.Out); err != nil {
		return s.mistake(err.Error())
	}
	return nil
}

// A due call is a call of the last turn with its entry. The calls of a turn run concurrently, but take
// their entries in order.
type dueCall struct {
	wire.Call
	key   place // for counting the calls of its entries
	leaf  wire.Leaf[wire.ToolEntry]
	entry int // index in that list; the last one repeats
	done  bool

	pure    bool   // the tool has one answer for the same arguments
	offered bool   // the tool is one of the request
	answer  string // key of the answer of a pure tool, without what it reads
}

// A toolCall is a call, with its position among the calls of its branch.
type toolCall struct {
	wire.ToolCall
	step, attempt, number int
}

// toolSteps returns the entries of a tool's calls at a place. The lock is held.
func (s *Script) toolSteps(name string, at place) (key place, leaf wire.Leaf[wire.ToolEntry]) {
	steps := s.scenario.Tools[s.toolName(name, at)]
	_, node := wire.Split(at.node)
	leaf, _ = steps.Find(node, s.elements(at))
	key = place{s.toolName(name, at), at.branch}
	if steps.Nodes != nil {
		key.node += " " + node
	}
	return key, leaf
}

// toolName returns the name of a tool in the plan. If the graph of a child run declares the
// tool, the path of the parents' nodes precedes it.
func (s *Script) toolName(name string, at place) string {
	within, _ := wire.Split(at.node)
	if slices.ContainsFunc(s.scenario.Inject, func(t wire.Injected) bool { return t.Name == name }) {
		return name
	}
	return wire.Join(within, name)
}

// callsOf returns the calls of an answer, and assigns entries to them. A call that a pure tool has
// answered, before or in this turn, has none.
func (s *Script) callsOf(at place, t *strand, calls []wire.Call, req *chat.Request) []chat.ToolCall {
	if len(calls) == 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t.due = nil
	within, _ := wire.Split(at.node)
	_, graph := s.scenario.GraphAt(within)
	var list []chat.ToolCall
	for _, c := range calls {
		list = append(list, chat.ToolCall{ID: t.callID(at.branch), Name: c.Name, Arguments: c.Arguments})
		d := dueCall{Call: c, pure: slices.Contains(graph.Pure, c.Name), answer: c.Name + " " + c.Arguments}
		d.key, d.leaf = s.toolSteps(c.Name, at)
		d.offered = slices.ContainsFunc(req.Tools, func(t chat.ToolSpec) bool { return t.Name == c.Name })
		if t.made != "" {
			d.answer = t.made + " " + d.answer // each child run has its own answers
		}
		t.due = append(t.due, d)
	}
	s.assign(t, at, "", nil)
	return list
}

// assign assigns entries to the calls of a turn: to the calls of all tools, or to the calls of the tool that
// has read something. What a tool reads is not known before its first call. It is the same for all
// calls of a turn.
func (s *Script) assign(t *strand, at place, tool string, read wire.Value) {
	seen, made := map[string]bool{}, map[string]int{}
	for i := range t.due {
		d := &t.due[i]
		if tool != "" && d.Name != tool {
			continue
		}
		d.entry = s.toolCalls[d.key] + made[d.Name]
		key := d.answer + string(read)
		again := d.pure && (seen[key] || s.answered(key, at))
		if seen[key] = true; !again && d.offered {
			made[d.Name]++
		}
	}
}

// toolEntry returns the entry of a call, and records the call.
func (s *Script) toolEntry(ctx context.Context, c wire.ToolCall) *wire.ToolEntry {
	s.mu.Lock()
	defer s.mu.Unlock()
	info, number := graphgen.Info(ctx), callNumber(ctx)
	at := placeOf(ctx)
	counted, leaf := s.toolSteps(c.Name, at)
	index, key := s.toolCalls[counted], ""
	if t := s.strand(at.branch); number < len(t.due) && t.due[number].Name == c.Name && !t.due[number].done {
		d := &t.due[number]
		if d.pure && c.In != nil && !slices.ContainsFunc(t.due, func(d dueCall) bool { return d.Name == c.Name && d.done }) {
			s.assign(t, at, c.Name, c.In)
		}
		counted, leaf, index, key, d.done = d.key, d.leaf, d.entry, d.answer+string(c.In), true
	}
	s.toolCalls[counted]++
	name := c.Name
	c.Name, c.Entry = s.toolName(name, at), -1
	count(s.result.Tools, c.Name, leaf.Number, s.toolCalls[counted])
	e := new(wire.ToolEntry)
	if len(leaf.Entries) > 0 {
		used := min(index, len(leaf.Entries)-1)
		e, c.Entry = &leaf.Entries[used], leaf.First+used
	}
	s.noteTool(at, &info, toolCall{ToolCall: c, number: number})
	if e.Error == nil && e.Panic == nil && !e.Hang {
		s.pure[key] = append(s.pure[key], at.branch)
	}
	return e
}

// answered reports whether a call was answered before: in the branch, in one around it, or in an
// ended one within it.
func (s *Script) answered(key string, at place) bool {
	return slices.ContainsFunc(s.pure[key], func(branch string) bool {
		return inBranch(at.branch, branch) || inBranch(branch, at.branch)
	})
}

// inBranch reports whether a branch is another one, or within it.
func inBranch(branch, other string) bool {
	return other == "" || branch == other || strings.HasPrefix(branch, other+"/")
}

// noteTool records a call. The lock is held.
func (s *Script) noteTool(at place, info *graphgen.StepInfo, c toolCall) {
	c.step, c.attempt = info.Step, info.Attempt
	s.made = append(s.made, placed[toolCall]{c, s.key(at)})
}

// toolCallsMade returns the calls of tools in the order of the spec, and concurrent calls in the
// order of their turn.
func (s *Script) toolCallsMade() (calls []wire.ToolCall) {
	group(s.made, 0)
	for i := 0; i < len(s.made); {
		end := i
		for end < len(s.made) && compareKeys(s.made[end].key, s.made[i].key) == 0 {
			end++
		}
		slices.SortStableFunc(s.made[i:end], func(a, b placed[toolCall]) int {
			return cmp.Or(cmp.Compare(a.value.step, b.value.step), cmp.Compare(a.value.attempt, b.value.attempt), cmp.Compare(a.value.number, b.value.number))
		})
		i = end
	}
	for _, c := range s.made {
		calls = append(calls, c.value.ToolCall)
	}
	return calls
}

// callNumber returns the number of a call in its turn: the end of the call's key.
func callNumber(ctx context.Context) int {
	key := graphgen.IdempotencyKey(ctx)
	n, err := strconv.Atoi(key[strings.LastIndexByte(key, '/')+1:])
	if err != nil {
		return 0
	}
	return n
}

func (s *Script) playTool(ctx context.Context, e *wire.ToolEntry) error {
	s.coroutines.check("a tool")
	if e.Takes > 0 {
		s.sleep(ctx, time.Duration(e.Takes))
	}
	if e.Hang {
		s.ends(ctx)
		if e.Error == nil && e.Panic == nil {
			return ctx.Err()
		}
	}
	switch {
	case e.Panic != nil:
		panic(*e.Panic)
	case e.Error != nil && e.Fatal:
		return chat.Fatal(errorOf(*e.Error))
	case e.Error != nil:
		return errorOf(*e.Error)
	}
	return nil
}

// Tools returns the injected tools.
func (s *Script) Tools(context.Context) ([]chat.Tool, error) {
	var tools []chat.Tool
	for i := range s.scenario.Inject {
		tools = append(tools, &injected{s, &s.scenario.Inject[i]})
	}
	return tools, nil
}

// servers has the tools of every MCP server that a graph declares: none but those that a scenario injects.
type servers struct{}

func (servers) Tools(context.Context) ([]chat.Tool, error) { return nil, nil }

// Serves reports true.
func (servers) Serves(string) bool { return true }

// An injected tool is known only at run time.
type injected struct {
	script *Script
	tool   *wire.Injected
}

// Spec describes the tool to models.
func (t *injected) Spec() chat.ToolSpec {
	return chat.ToolSpec{Name: t.tool.Name, Doc: t.tool.Doc, Schema: t.tool.Schema}
}

// Call executes the entry of the call.
func (t *injected) Call(ctx context.Context, arguments string) (chat.ToolResult, error) {
	e := t.script.toolEntry(ctx, wire.ToolCall{Name: t.tool.Name, Arguments: quoteJSONValue(canonical([]byte(arguments)))})
	if err := t.script.playTool(ctx, e); err != nil {
		return chat.ToolResult{}, err
	}
	var text string
	if len(e.Result) > 0 {
		if err := json.Unmarshal(e.Result, &text); err != nil {
			return chat.ToolResult{}, t.script.mistake(err.Error())
		}
	}
	return chat.ToolResult{Text: text}, nil
}

func quoteJSON(text string) string { return string(quoteJSONValue(text)) }

func quoteJSONValue(text string) wire.Value {
	data, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string can always be encoded
	}
	return data
}
