package durable

import (
	"strconv"
	"strings"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/runtime/chatjson"
	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/runtime/engine"
	"github.com/graphgen/graphgen/thread"
)

// own begins the names of the cells with what the kernel saves of a run. No field of a state has it. Nodes and transitions
// have their names, so that another version of the graph can read them.
const own = "."

// pipelines begins the names of the cells that are not fields of the state: conversations, results of cacheable nodes.
const pipelines = "~"

// shapeCell has the shape of the graph by which a run was saved. Branches have the shape of the run around them.
const shapeCell = own + "shape"

// failedCell has the failure of a branch that has ended with one.
const failedCell = own + "failed"

// endedCell has the reason why the outermost run has ended.
const endedCell = own + "ended"

// atCell has the node of a run.
const atCell = own + "at"

// names are the names of the nodes and transitions of a graph in cells.
type names struct {
	g           *engine.Graph
	nodes       []string
	transitions []string
	node        map[string]engine.NodeID
	transition  map[string]engine.TransitionID
}

// namesOf returns the names of a graph. Of several transitions between two nodes, all after the first are numbered.
func namesOf(g *engine.Graph) *names {
	nodes, transitions := g.Changed()
	return namesWith(g, nodes, transitions)
}

// namesWith is namesOf for other nodes and transitions than the graph has.
func namesWith(g *engine.Graph, nodes []engine.NodeInfo, transitions []engine.TransitionInfo) *names {
	n := &names{g: g, node: map[string]engine.NodeID{}, transition: map[string]engine.TransitionID{}}
	for i := range nodes {
		n.nodes = append(n.nodes, nodes[i].Name)
		n.node[nodes[i].Name] = engine.NodeID(i)
	}
	for i := range transitions {
		w := &transitions[i]
		plain := nodes[w.From].Name + ">" + nodes[w.To].Name
		name := plain
		for k := 2; ; k++ {
			if _, taken := n.transition[name]; !taken {
				break
			}
			name = plain + "#" + strconv.Itoa(k)
		}
		n.transitions = append(n.transitions, name)
		n.transition[name] = engine.TransitionID(i)
	}
	for name, transition := range map[string]engine.TransitionID{
		"terminal": engine.Terminal, "exhausted": engine.Exhausted, "no_route": engine.NoRoute, "aborted": engine.Aborted,
	} {
		n.transition[name] = transition
	}
	return n
}

// nameOf returns the name of a transition.
func (n *names) nameOf(transition engine.TransitionID) string {
	switch transition {
	case engine.Terminal:
		return "terminal"
	case engine.Exhausted:
		return "exhausted"
	case engine.NoRoute:
		return "no_route"
	case engine.Aborted:
		return "aborted"
	}
	return n.transitions[transition]
}

// into returns a transition that leads to a node, from another one if it has one to it.
func (n *names) into(to, from engine.NodeID) (transition engine.TransitionID, ok bool) {
	for i := range n.g.Transitions {
		if w := &n.g.Transitions[i]; w.To == to && (!ok || w.From == from) {
			if transition, ok = engine.TransitionID(i), true; w.From == from {
				break
			}
		}
	}
	return transition, ok
}

// An image is what the kernel saves of a run, as cells have it.
type image struct {
	*engine.Image
	n      *names
	over   string // the transition of the boundary, and its target; empty: the run is within its node
	at     string
	failed string // with which a branch has ended; empty: it has not
	ended  string // the reason why the outermost run has ended; empty: it has not
	path   []string
	shape  string
	now    map[string]string // names of nodes, by those that they had when the run was saved
	to     string            // where it is to continue instead of its node; empty: there
	err    error             // a name that the graph does not have
}

// imageOf returns what is saved of a run.
func imageOf(i *engine.Image, n *names) *image {
	v := &image{Image: i, n: n, at: n.nodes[i.At], shape: n.g.Shape}
	if i.Boundary != nil {
		v.over = n.nameOf(i.Boundary.By) + " " + n.nodes[i.Boundary.To]
	}
	return v
}

// cells lists what is saved of a run.
func (v *image) cells(c *codec.Cells) {
	codec.Cell(c, shapeCell, &v.shape, codec.ReadString, codec.WriteString)
	codec.Cell(c, ".to", &v.over, codec.ReadString, codec.WriteString)
	codec.Cell(c, atCell, &v.at, codec.ReadString, codec.WriteString)
	if v.failed != "" {
		codec.Cell(c, failedCell, &v.failed, codec.ReadString, codec.WriteString)
	}
	if v.Ended {
		v.ended = v.Reason.String()
		codec.Cell(c, endedCell, &v.ended, codec.ReadString, codec.WriteString)
	}
	codec.Cell(c, ".run", v.Image, readKernel, writeKernel)
	v.counts(c, ".e.", v.n.transitions, &v.Edges)
	v.counts(c, ".v.", v.n.nodes, &v.Visits)
	v.counts(c, ".r.", v.n.nodes, &v.Ran)
	v.missed(c)
	codec.Tail(c, ".failures", &v.Failures, readFailure, writeFailure)
	codec.Tail(c, ".prompts", &v.Prompts, readPromptCount, writePromptCount)
	codec.Cell(c, ".since", &v.Since, v.readUsed, v.writeUsed)
	for i := range v.Used {
		codec.Cell(c, ".u."+v.n.nodes[v.Used[i].Node], &v.Used[i], v.readUsed, v.writeUsed)
	}
}

// counts lists counters, each in a cell of its own.
func (v *image) counts(c *codec.Cells, prefix string, names []string, counts *[]uint32) {
	for i, n := range *counts {
		if i < len(names) {
			count := int(n)
			codec.SparseCell(c, prefix+names[i], &count, codec.ReadInt, codec.WriteInt)
		}
	}
}

// missed lists how often transitions count as followed for their bounds alone.
func (v *image) missed(c *codec.Cells) {
	for i, name := range v.n.transitions {
		if n := int(v.Missed[engine.TransitionID(i)]); n > 0 {
			codec.Cell(c, ".m."+name, &n, codec.ReadInt, codec.WriteInt)
		}
	}
}

// load reads what was saved of a run.
func (v *image) load(c *codec.Cells) error {
	v.Image = new(engine.Image)
	if err := c.Load(func(c *codec.Cells) {
		codec.Cell(c, ".to", &v.over, codec.ReadString, nil)
		codec.Cell(c, atCell, &v.at, codec.ReadString, nil)
		codec.Cell(c, failedCell, &v.failed, codec.ReadString, nil)
		codec.Cell(c, endedCell, &v.ended, codec.ReadString, nil)
		codec.Cell(c, ".run", v.Image, readKernel, nil)
		codec.Cell(c, ".path", &v.path, func(l *[]string, d *codec.Decoder) { codec.ReadList(l, d, codec.ReadString) }, nil)
		codec.Tail(c, ".failures", &v.Failures, readFailure, writeFailure)
		codec.Tail(c, ".prompts", &v.Prompts, readPromptCount, writePromptCount)
		codec.Cell(c, ".since", &v.Since, v.readUsed, nil)
		v.loadCounts(c)
	}); err != nil {
		return err
	}
	v.Ended = v.ended != ""
	if v.Ended {
		v.Reason = reasonOf(v.ended)
	}
	if v.failed != "" {
		v.Failed = v.failure()
	}
	for i := range v.Prompts {
		v.Prompts[i].Node = v.nameNow(v.Prompts[i].Node)
	}
	v.arrive()
	return v.err
}

// arrive finds the node that the run is in, or the transition that it takes next. A transition that the graph does not
// have is replaced by another one to its node.
func (v *image) arrive() {
	at, known := v.n.node[v.nameNow(v.at)]
	v.At = at
	transition, to, between := strings.Cut(v.over, " ")
	to = v.nameNow(to)
	switch {
	case v.Ended || v.Failed != nil:
		return
	case v.to != "":
		to, between = v.to, true
	case !between:
		if !known {
			v.misses("node", v.at)
		}
		return
	}
	b := &engine.Boundary{}
	ok := false
	if b.To, ok = v.n.node[to]; !ok {
		v.misses("node", to)
		return
	}
	if b.By, ok = v.transitionOf(transition); !ok || v.to != "" {
		if b.By, ok = v.n.into(b.To, at); !ok {
			v.misses("transition to the node", to)
			return
		}
		if !known {
			v.At = v.n.g.Transitions[b.By].From
		}
	}
	v.Boundary = b
}

// loadCounts reads the counters, whose cells have the names of nodes and transitions.
func (v *image) loadCounts(c *codec.Cells) {
	for name := range c.Names() {
		kind, of, ok := strings.Cut(strings.TrimPrefix(name, own), ".")
		if !ok || !strings.HasPrefix(name, own) {
			continue
		}
		count := 0
		switch kind {
		case "u":
			u := engine.Used{}
			codec.Cell(c, name, &u, v.readUsed, nil)
			if u.Node != engine.End {
				v.Used = append(v.Used, u)
			}
			continue
		case "e", "v", "r", "m":
			codec.SparseCell(c, name, &count, codec.ReadInt, nil)
		default:
			continue
		}
		transition, isTransition := v.transitionOf(of)
		node, isNode := v.n.node[v.nameNow(of)]
		switch {
		case kind == "e" && isTransition:
			set(&v.Edges, int(transition), count)
		case kind == "v" && isNode:
			set(&v.Visits, int(node), count)
		case kind == "r" && isNode:
			set(&v.Ran, int(node), count)
		case kind == "m" && isTransition:
			if v.Missed == nil {
				v.Missed = map[engine.TransitionID]uint32{}
			}
			v.Missed[transition] = uint32(count)
		}
	}
}

func set(counts *[]uint32, at, n int) {
	for len(*counts) <= at {
		*counts = append(*counts, 0)
	}
	(*counts)[at] = uint32(n)
}

// nameNow returns the name that a node has.
func (v *image) nameNow(name string) string {
	if now, ok := v.now[name]; ok {
		return now
	}
	return name
}

// transitionOf returns the transition of a name, if the graph has it.
func (v *image) transitionOf(name string) (engine.TransitionID, bool) {
	if from, to, ok := strings.Cut(name, ">"); ok && len(v.now) > 0 {
		to, number, numbered := strings.Cut(to, "#")
		if name = v.nameNow(from) + ">" + v.nameNow(to); numbered {
			name += "#" + number
		}
	}
	transition, ok := v.n.transition[name]
	return transition, ok
}

// misses notes what the graph does not have.
func (v *image) misses(what, name string) {
	if v.err == nil {
		v.err = missing(what, name)
	}
}

// transitions returns the transitions of the path that the graph has, from the first one after the last that it has not.
func (v *image) transitions() []engine.TransitionID {
	var transitions []engine.TransitionID
	for _, name := range v.path {
		transition, ok := v.transitionOf(name)
		if !ok {
			transitions = nil
			continue
		}
		transitions = append(transitions, transition)
	}
	return transitions
}

// kernel is an Image, whose members a list names.
type kernel engine.Image

func readKernel(v *engine.Image, d *codec.Decoder) { codec.ReadStruct((*kernel)(v), d, "the run") }
func writeKernel(v engine.Image, e *codec.Encoder) { codec.WriteStruct((*kernel)(&v), e) }
func readFailure(v *graphgen.Failure, d *codec.Decoder) {
	codec.ReadStruct((*runFailure)(v), d, "a failure")
}
func writeFailure(v graphgen.Failure, e *codec.Encoder) { codec.WriteStruct((*runFailure)(&v), e) }

func readIndex(n *int32, d *codec.Decoder) {
	var wide int
	codec.ReadInt(&wide, d)
	*n = int32(wide)
}

func writeIndex(n int32, e *codec.Encoder) { codec.WriteInt(int(n), e) }

func readIndexes(list *[]int, d *codec.Decoder) { codec.ReadList(list, d, codec.ReadInt) }

func writeIndexes(list []int, e *codec.Encoder) { codec.WriteList(list, e, codec.WriteInt) }

// JSONMembers lists what is small, or changes with most steps.
func (v *kernel) JSONMembers(o *codec.Object) {
	number := func(name string, n *int) { codec.SparseMember(o, name, n, codec.ReadInt, codec.WriteInt) }
	flag := func(name string, b *bool) { codec.SparseMember(o, name, b, codec.ReadBool, codec.WriteBool) }
	long := func(name string, t *time.Duration) {
		codec.SparseMember(o, name, t, codec.ReadDuration, codec.WriteDuration)
	}
	number("n", &v.Made)
	number("behind", &v.Behind)
	number("attempt", &v.Attempts)
	number("iteration", &v.Iterations)
	number("tries", &v.Tries)
	number("guard_tries", &v.GuardTries)
	long("try_left", &v.TryLeft)
	long("left", &v.Left)
	flag("declined", &v.Declined)
	flag("cleared", &v.Cleared)
	codec.SparseListMember(o, "feedback", &v.Feedback, codec.ReadString, codec.WriteString)
	codec.SparseListMember(o, "written", &v.Written, codec.ReadBool, codec.WriteBool)
	codec.SparseMember(o, "pending", &v.Pending, readIndex, writeIndex)
	codec.SparseMember(o, "stuck", &v.Stuck, readIndex, writeIndex)
	number("settled", &v.Settled)
	codec.OptionalMember(o, "lasting", &v.Lasting, readIndexes, writeIndexes)
	number("detours", &v.Detours)
	flag("after_failure", &v.PrevFailed)
	number("retries", &v.Retries)
	number("cache_hits", &v.CacheHits)
	number("skips", &v.Skips)
	number("rejected", &v.Rejected)
	number("hook_failures", &v.HookFailures)
	number("model_calls", &v.ModelCalls)
	codec.SparseMember(o, "usage", &v.Usage, chatjson.DecodeUsage, chatjson.EncodeUsage)
	codec.SparseMember(o, "tools", &v.Tools, readToolCount, writeToolCount)
}

// runFailure is a Failure, whose members a list names.
type runFailure graphgen.Failure

func (v *runFailure) JSONMembers(o *codec.Object) {
	e := v.Err
	if e == nil {
		e = new(graphgen.NodeError)
		v.Err = e
	}
	saved := new(thread.SavedError)
	if e.Err != nil {
		saved = savedError(e.Err)
	}
	o.String("graph", &e.Where.Graph)
	o.String("node", &e.Where.Node)
	codec.SparseMember(o, "branch", &e.Where.Branch, codec.ReadString, codec.WriteString)
	o.Int("step", &e.Where.Step)
	o.Int("visit", &e.Where.Visit)
	codec.SparseMember(o, "attempt", &e.Attempt, codec.ReadInt, codec.WriteInt)
	o.String("file", &e.Where.Pos.File)
	o.Int("line", &e.Where.Pos.Line)
	o.Int("col", &e.Where.Pos.Col)
	o.String("error", &saved.Text)
	codec.SparseMember(o, "transient", &saved.WasTransient, codec.ReadBool, codec.WriteBool)
	codec.SparseMember(o, "decided", &saved.Decided, codec.ReadBool, codec.WriteBool)
	codec.SparseMember(o, "permanent", &saved.WasPermanent, codec.ReadBool, codec.WriteBool)
	codec.SparseMember(o, "wait", &saved.Wait, codec.ReadDuration, codec.WriteDuration)
	codec.SparseMember(o, "soft", &v.Soft, codec.ReadBool, codec.WriteBool)
	codec.SparseMember(o, "cleared", &v.Cleared, codec.ReadBool, codec.WriteBool)
	if e.Err == nil {
		e.Err = saved
	}
}

// failure returns the error with which a branch has failed in another process.
func (v *image) failure() *graphgen.NodeError {
	if n := len(v.Failures); n > 0 {
		return v.Failures[n-1].Err
	}
	return &graphgen.NodeError{Err: &thread.SavedError{Text: v.failed}}
}

func readPromptCount(v *graphgen.PromptCount, d *codec.Decoder) {
	codec.ReadStruct((*promptCount)(v), d, "the calls with a prompt")
}
func writePromptCount(v graphgen.PromptCount, e *codec.Encoder) {
	codec.WriteStruct((*promptCount)(&v), e)
}

// promptCount is a PromptCount, whose members a list names.
type promptCount graphgen.PromptCount

func (v *promptCount) JSONMembers(o *codec.Object) {
	o.String("node", &v.Node)
	o.String("purpose", (*string)(&v.Purpose))
	o.String("version", &v.Version)
	codec.SparseMember(o, "replaced", &v.Replaced, codec.ReadBool, codec.WriteBool)
	o.Int("calls", &v.ModelCalls)
}

func readToolCount(v *graphgen.ToolCount, d *codec.Decoder) {
	codec.ReadStruct((*toolCount)(v), d, "the calls of tools")
}
func writeToolCount(v graphgen.ToolCount, e *codec.Encoder) { codec.WriteStruct((*toolCount)(&v), e) }

// toolCount is a ToolCount, whose members a list names.
type toolCount graphgen.ToolCount

func (v *toolCount) JSONMembers(o *codec.Object) {
	o.Int("made", &v.Made)
	codec.SparseMember(o, "failed", &v.Failed, codec.ReadInt, codec.WriteInt)
	codec.SparseMember(o, "deduplicated", &v.Deduplicated, codec.ReadInt, codec.WriteInt)
}

// used is what a node has used, whose members a list names.
type used struct {
	engine.Used
	node string
}

func (v *image) readUsed(u *engine.Used, d *codec.Decoder) {
	var named used
	codec.ReadStruct(&named, d, "what a node has used")
	*u = named.Used
	u.Node = v.n.node[v.nameNow(named.node)] // End, if the graph does not have it
}

func (v *image) writeUsed(u engine.Used, e *codec.Encoder) {
	codec.WriteStruct(&used{u, v.n.nodes[u.Node]}, e)
}

func (v *used) JSONMembers(o *codec.Object) {
	o.String("node", &v.node)
	codec.SparseMember(o, "usage", &v.Usage, chatjson.DecodeUsage, chatjson.EncodeUsage)
	codec.SparseMember(o, "model_calls", &v.ModelCalls, codec.ReadInt, codec.WriteInt)
	codec.SparseMember(o, "tools", &v.Tools, readToolCount, writeToolCount)
	codec.SparseMember(o, "confidence", &v.Confidence, codec.ReadFloat, codec.WriteFloat)
}

// reasonOf returns the reason of a name.
func reasonOf(name string) graphgen.Reason {
	for r := graphgen.Completed; r <= graphgen.Paused; r++ {
		if r.String() == name {
			return r
		}
	}
	return graphgen.Failed
}
