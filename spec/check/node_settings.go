package check

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/resolve"
)

// settingPasses judge kinds, flags and limits.
var settingPasses = []Pass{
	{Code: "GG040", run: unknownWords},
	{Code: "GG041", run: foreignKeys},
	{Code: "GG042", run: missingKeys},
	{Code: "GG043", run: limitsInRange},
	{Code: "GG044", run: contradictions},
	{Code: "GG045", run: repetitions},
	{Code: "GG046", run: tooMany, large: sync.OnceValue(func() string { return valuesExample(1 << 16) })},
}

func unknownWords(c *context) {
	check := func(word spec.String, what string, words []spec.Word) {
		if !written(word) || slices.ContainsFunc(words, func(w spec.Word) bool { return w.Name == word.V }) {
			return
		}
		names := spec.Names(words)
		help := didYouMean(word.V, names, "use one of "+strings.Join(names, ", "))
		if what == "kind" {
			help = c.kindHelp(word.V, names)
		}
		if what == "flag" && slices.Contains(spec.NodeKeys(), word.V) {
			help = "it is a key of the node: remove it here, and write " + word.V + " beside flags"
		}
		message := "there is no " + what + " " + quote(word.V)
		if !slices.Contains([]string{"kind", "flag", "event", "driver"}, what) {
			message = what + " cannot be " + quote(word.V)
		}
		c.report(word.Pos, message, help)
	}
	check(c.spec.Mode, "mode", spec.Modes)
	check(c.spec.NoMatch, "no_match", spec.NoMatches)
	check(c.spec.Codecs, "codecs", spec.CodecSets)
	for _, d := range c.spec.Drivers {
		check(d, "driver", spec.DriverNames)
	}
	check(c.spec.Limits.OnMaxSteps, "on_max_steps", spec.StepOutcomes)
	kinds, joins, flags := spec.Words(spec.Kinds), spec.Words(spec.Joins), spec.Words(spec.Flags)
	for _, n := range c.spec.Nodes {
		check(n.Kind, "kind", kinds)
		check(n.NoMatch, "no_match", spec.NoMatches)
		check(n.Retry.On, "retry_on", spec.RetryCauses)
		check(n.Join, "join", joins)
		check(n.Prompt.Strategy, "strategy", spec.Strategies)
		check(n.Prompt.Context, "context", spec.Contexts)
		for _, f := range n.Flags {
			check(f.Name, "flag", flags)
			if f.Retry != nil {
				check(f.Retry.On, "on of retryable", spec.RetryCauses)
			}
		}
	}
	for _, e := range c.spec.Edges {
		check(e.On, "event", spec.EdgeEvents)
	}
}

// A placed is a key that is written, and where.
type placed struct {
	key string
	pos spec.Pos
}

// limited lists the keys of a node that only some kinds have and that are written.
func limited(n *spec.Node) []placed {
	var list []placed
	n.LimitedKeys(func(k *spec.Key, at spec.Pos) { list = append(list, placed{k.Name, at}) })
	if n.Output != nil {
		list = append(list, placed{"output", n.Output.Pos})
	}
	for _, t := range n.Tables() {
		if len(t.List) > 0 {
			list = append(list, placed{t.Key, t.List[0].Name.Pos})
		}
	}
	if n.BranchesPos.IsSet() {
		list = append(list, placed{"branches", n.BranchesPos})
	}
	if len(n.Prompt.Blocks) > 0 {
		list = append(list, placed{"blocks", n.Prompt.Blocks[0].Name.Pos})
	}
	if len(n.Evals) > 0 {
		list = append(list, placed{"evals", n.Evals[0].Name.Pos})
	}
	return list
}

// isPure reports whether what a node executes is pure, and no model judges what it gives.
func isPure(n *resolve.Node) bool {
	return n.Kind.Pure && !n.Gates() && !slices.ContainsFunc(n.Spec.Guards, func(g spec.Guard) bool { return g.Unread })
}

// kindsOf returns which kinds of node have a key, by the tables of the language.
func (c *context) kindsOf() map[string][]string {
	if c.kinds != nil {
		return c.kinds
	}
	c.kinds = map[string][]string{}
	for _, m := range spec.Reference() {
		if m.Name == "node" {
			for _, k := range m.Keys {
				c.kinds[k.Name] = k.Kinds
			}
		}
	}
	return c.kinds
}

func first(list []spec.String) spec.Pos {
	if len(list) == 0 {
		return spec.Pos{}
	}
	return list[0].Pos
}

func foreignKeys(c *context) {
	kinds := c.kindsOf()
	for _, n := range c.graph.All() {
		if !kindRead(n) {
			continue
		}
		for _, k := range limited(n.Spec) {
			if !slices.Contains(kinds[k.key], n.Kind.Name) {
				c.report(k.pos,
					k.key+" belongs to nodes of kind "+alternatives(kinds[k.key])+", and node "+quote(n.Spec.Name.V)+" is "+article(n.Kind.Name),
					cmp.Or(spec.ForeignNodeKey(n.Kind.Name, k.key), diag.Remove("remove it")+", or make the node a "+kinds[k.key][0]))
			}
		}
		if f, ok := n.Spec.Flag(spec.Retryable); ok && isPure(n) && n.Kind.Executes() {
			c.report(f.Name.Pos, "node "+quote(n.Spec.Name.V)+" is "+article(n.Kind.Name)+" and retryable: a pure function fails again",
				diag.Remove("remove the flag")+", or make the node a func")
		}
		if f, ok := n.Spec.Flag(spec.Cacheable); ok && n.Kind.Judges {
			c.report(f.Name.Pos, "node "+quote(n.Spec.Name.V)+" is a guard and cacheable: there is no output to keep", diag.Remove("remove the flag"))
		}
	}
}

// alternatives joins names as a sentence does.
func alternatives(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

func missingKeys(c *context) {
	kinds := c.kindsOf() // a setting that is not the kind's lacks nothing
	for _, n := range c.graph.All() {
		name := n.Spec.Name
		if n.Spec.Unread || !n.Kind.Known() || !n.Kind.Executes() {
			continue // what is missing may be what could not be read; and what executes nothing needs none of this
		}
		if n.Kind.Chooses && len(n.Spec.Routes) == 0 {
			c.report(name.Pos, "router "+quote(name.V)+" has no routes", "name the nodes it chooses from, as in "+diag.Set("routes", "[a, end]"))
		}
		agent := !n.Kind.Known() && n.Spec.Prompt.Instructions.IsSet() // whose placeholders read
		for _, flag := range []spec.FlagID{spec.Cacheable, spec.IsolatedContext} {
			if f, ok := n.Spec.Flag(flag); ok && !readsAny(n) && !n.Kind.Delegates() && !n.Pending && !agent {
				c.report(f.Name.Pos, "node "+quote(name.V)+" is "+flag.String()+", but has no reads", "add reads")
				break
			}
		}
		if !n.Kind.Known() {
			continue // it is not known whether it can have guards
		}
		if len(n.Spec.Guards) > 0 && n.Out == nil && slices.Contains(kinds["guards"], n.Kind.Name) {
			c.report(n.Spec.Guards[0].Name.Pos, "node "+quote(name.V)+" has guards, but no output they could check", "add writes or output")
		}
		if n.Spec.GuardRetries.IsSet() && len(n.Spec.Guards) == 0 && !n.Kind.Judges && slices.Contains(kinds["guard_retries"], n.Kind.Name) {
			c.report(n.Spec.GuardRetries.Pos, "node "+quote(name.V)+" has guard_retries, but no guards", "add guards, or "+diag.Remove("remove it"))
		}
	}
}

// readsAny reports whether a node names something that it reads, known or not.
func readsAny(n *resolve.Node) bool {
	if len(n.Spec.Reads) > 0 || len(n.Reads) > 0 || len(n.Spec.Args) > 0 {
		return true
	}
	for p := range n.Pieces() {
		if p.Name != "" {
			return true
		}
	}
	return false
}

// maxCount bounds what a spec may count to.
const maxCount = math.MaxInt32

func limitsInRange(c *context) {
	count := func(v spec.Value[int], what string, low, high int) {
		if v.IsSet() && !v.Lost && (v.V < low || v.V > high) {
			c.report(v.Pos, what+" is out of range: "+strconv.Itoa(v.V), "use "+strconv.Itoa(low)+" to "+strconv.Itoa(high))
		}
	}
	positive := func(v spec.Value[time.Duration], what string) {
		if v.IsSet() && !v.Lost && v.V <= 0 {
			c.report(v.Pos, what+" is out of range: "+v.V.String(), "use more than 0, as in 30s")
		}
	}
	count(c.spec.Limits.MaxSteps, "max_steps", 1, maxCount)
	count(c.spec.Limits.MaxVisits, "max_visits", 1, maxCount)
	positive(c.spec.Limits.Timeout, "the run's timeout")
	if m := c.spec.Mutations; m != nil {
		count(m.Max, "max of mutations", 1, maxCount)
	}
	c.agentLimits(count, positive)
	for _, n := range c.spec.Nodes {
		count(n.MaxVisits, "max_visits", 1, maxCount)
		count(n.GuardRetries, "guard_retries", 1, 100)
		positive(n.Timeout, "the node's timeout")
		positive(n.Prompt.ApproveTimeout, "approve_timeout")
		if run := c.spec.Limits.Timeout; run.V > 0 && n.Timeout.V > run.V && !mayWait(n) {
			c.report(n.Timeout.Pos, "the timeout of node "+quote(n.Name.V)+" is longer than the run's, which cuts it short",
				"make it shorter, or the run's longer",
				diag.Related{Pos: run.Pos, Message: "the run's timeout is here"})
		}
		count(n.MaxIterations, "max_iterations", 1, maxCount)
		count(n.Count, "count", 1, maxCount)
		count(n.MaxSteps, "max_steps", 1, maxCount)
		count(n.MaxDepth, "max_depth", 1, maxCount)
		settings := []*spec.Retry{&n.Retry}
		for _, f := range n.Flags {
			if f.Retry != nil {
				settings = append(settings, f.Retry)
			}
			if f.Approval != nil {
				positive(f.Approval.Timeout, "the timeout of requires_human")
			}
		}
		for _, r := range settings {
			count(r.Attempts, "attempts", 2, 100)
			positive(r.Wait, "wait")
			positive(r.MaxWait, "max_wait")
			if f := r.Factor; f.IsSet() && !f.Lost && (f.V < 1 || f.V > 100) {
				c.report(f.Pos, "factor is out of range: "+strconv.FormatFloat(f.V, 'g', -1, 64), "use 1 to 100")
			}
			c.waits(r)
		}
	}
	for _, e := range c.spec.Edges {
		count(e.MaxIterations, "max_iterations", 1, maxCount)
		count(e.Priority, "priority", -maxCount, maxCount)
		if e.Loop != nil {
			count(e.Loop.MaxIterations, "max_iterations", 1, maxCount)
		}
	}
}

// mayWait reports whether a node is or may be a human node: its wait is part of no other timeout.
func mayWait(n *spec.Node) bool {
	kind := spec.KindOf(n.Kind.V)
	return kind.By == spec.ByPerson || n.Kind.Lost || n.Kind.IsSet() && !kind.Known() || n.Unread && !n.Kind.IsSet()
}

func contradictions(c *context) {
	for _, n := range c.graph.All() {
		s := n.Spec
		if f, ok := s.Flag(spec.Readonly); ok && s.WritesPos.IsSet() {
			c.report(f.Name.Pos, "node "+quote(s.Name.V)+" is readonly, but writes", diag.Remove("remove the flag")+", or writes",
				diag.Related{Pos: s.WritesPos, Message: "it writes here"})
		}
		if f, ok := s.Flag(spec.Critical); ok && s.FailSoft.V {
			c.report(f.Name.Pos, "node "+quote(s.Name.V)+" is critical and fail_soft: a failure cannot end the run and be passed over",
				"keep one", diag.Related{Pos: s.FailSoft.Pos, Message: "fail_soft is here"})
		}
		for _, t := range withEdge(c.cfg.Node(n).By(cfg.ByGuardFail)) {
			if !t.Bounded && s.GuardRetries.IsSet() && len(s.Guards) > 0 {
				c.report(s.GuardRetries.Pos, "guard_retries of node "+quote(s.Name.V)+" has no effect: a guard_fail edge is always taken first",
					"give the edge max_iterations, or remove one of the two",
					diag.Related{Pos: t.Edge.Spec.Pos, Message: "the edge is here"})
				break
			}
		}
		if n.Kind.Judges && s.OnPass.IsSet() && s.Next.IsSet() {
			c.report(s.Next.Pos, "guard "+quote(s.Name.V)+" has on_pass and next, which are the same", "keep on_pass",
				diag.Related{Pos: s.OnPass.Pos, Message: "on_pass is here"})
		}
	}
}

// waits reports a first wait that the longest one cuts short.
func (c *context) waits(r *spec.Retry) {
	wait, most := r.Wait, r.MaxWait
	switch {
	case r.Unread || wait.IsSet() && wait.V <= 0 || most.IsSet() && most.V <= 0:
	case wait.IsSet() && most.IsSet() && wait.V > most.V:
		c.report(wait.Pos, "wait is longer than max_wait", "make it shorter", diag.Related{Pos: most.Pos, Message: "max_wait is here"})
	case wait.IsSet() && !most.IsSet() && wait.V > spec.DefaultMaxWait:
		c.report(wait.Pos, "wait is longer than max_wait, which is "+spec.DefaultMaxWait.String()+" where it is not written",
			"add max_wait, or make the wait shorter")
	case most.IsSet() && !wait.IsSet() && most.V < spec.DefaultWait:
		c.report(most.Pos, "max_wait is shorter than wait, which is "+spec.DefaultWait.String()+" where it is not written", "add wait, or make max_wait longer")
	}
}

func repetitions(c *context) {
	for _, n := range c.graph.All() {
		s := n.Spec
		flags := make([]spec.String, len(s.Flags))
		for i, f := range s.Flags {
			flags[i] = f.Name
		}
		c.repeated(n, "flag", flags)
		c.repeated(n, "guard", s.GuardNames())
		c.repeatedOfPrompt(n)
		if n.Kind.Chooses {
			c.repeated(n, "route", s.Routes)
		} else {
			c.repeated(n, "goto target", s.Goto)
		}
	}
}

// repeated reports every name that is in a list of a node for the second time.
func (c *context) repeated(n *resolve.Node, what string, list []spec.String) {
	c.repeatedIn("", n, what, list)
}

// repeatedIn reports the same of a list in a part of a node: where names the part, as in " under approve".
func (c *context) repeatedIn(where string, n *resolve.Node, what string, list []spec.String) {
	seen := make(map[string]spec.Pos, len(list))
	for _, name := range list {
		key := name.V
		if spec.IsEnd(key) {
			key = spec.End
		}
		if was, ok := seen[key]; ok && written(name) {
			c.report(name.Pos, "node "+quote(n.Spec.Name.V)+" has the "+what+" "+quote(name.V)+" twice"+where, diag.Remove("remove one"),
				diag.Related{Pos: was, Message: "the first one is here"})
			continue
		}
		seen[key] = name.Pos
	}
}

// numbered is how many things generated code numbers with 16 bits, zero being none of
// them. Of a node's number the kernel uses one bit.
const (
	numbered      = math.MaxUint16
	numberedNodes = math.MaxInt16
)

func tooMany(c *context) {
	limit := func(n, most int, what string, pos func() spec.Pos) {
		if n > most {
			c.report(pos(), what+": "+strconv.Itoa(n)+", more than "+strconv.Itoa(most), "split it")
		}
	}
	limit(len(c.graph.Nodes), numberedNodes, "the graph has too many nodes", func() spec.Pos { return c.spec.Nodes[numberedNodes].Name.Pos })
	check := func(n int, what string, pos func() spec.Pos) { limit(n, numbered, what, pos) }
	for _, t := range c.graph.Types {
		check(len(t.Values), "the enum has too many values", func() spec.Pos { return t.Values[numbered].Pos })
	}
	for _, n := range c.graph.All() {
		check(len(n.Spec.Goto), "goto has too many targets", func() spec.Pos { return n.Spec.Goto[numbered].Pos })
		check(len(n.Spec.Routes), "the router has too many routes", func() spec.Pos { return n.Spec.Routes[numbered].Pos })
	}
	for _, e := range c.spec.Edges {
		check(len(e.Branch), "the branch table has too many labels", func() spec.Pos { return e.Branch[numbered].Name.Pos })
	}
}

// valuesExample returns a spec with an enum of n values.
func valuesExample(n int) string {
	var b strings.Builder
	b.WriteString("graph: g\nentry: a\nstate:\n  x:\n    enum:\n")
	for i := range n {
		b.WriteString("      - v" + strconv.Itoa(i) + "\n")
	}
	b.WriteString("input: x\nnodes:\n  a: {reads: x}\n")
	return b.String()
}
