package golang

import (
	"slices"
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec/resolve"
)

// machineMethod is the head of a method of the machine.
func (e *emitter) machineMethod(name string, params ...jen.Code) *jen.Statement {
	return e.f.Func().Params(jen.Id("m").Op("*").Id(e.m.GoName)).Id(name).Params(params...)
}

// runMethodOf is the head of a method of the run.
func (e *emitter) runMethodOf(name string, params ...jen.Code) *jen.Statement {
	return e.f.Func().Params(jen.Id("r").Op("*").Id(e.m.Names.Run)).Id(name).Params(params...)
}

// runParam is the parameter of a run.
func (e *emitter) runParam() *jen.Statement { return jen.Id("r").Op("*").Id(e.m.Names.Run) }

func (e *emitter) newRun() *jen.Statement { return jen.Op("&").Id(e.m.Names.Run) }

// composites prints what nodes do that run others, and what they share.
func (e *emitter) composites() {
	if !e.m.Children.Composed {
		return
	}
	sequential, branching := false, false
	for n, w := range plan.Works[plan.Runner](e.m) {
		e.f.Line()
		switch w := w.(type) {
		case *plan.Loop:
			e.bodyLoop(n, w)
		case *plan.Retry:
			e.retry(n, w)
		case *plan.Fork:
			e.parallel(n, w)
		case *plan.Each:
			e.mapped(n, w)
		case *plan.Pool:
			e.pool(n, w)
		}
		_, fork := w.(plan.Forker)
		sequential, branching = sequential || !fork, branching || fork
	}
	e.frameMethod()
	if branching {
		e.runToEnd()
	}
	if sequential {
		e.child()
	}
	if branching {
		e.branch()
		e.merge()
	}
}

// runToEnd prints the method that runs nodes to the end of a run.
func (e *emitter) runToEnd() {
	e.machineMethod("run", e.runParam()).Add(body(e.untilEnd()))
}

func (e *emitter) frameMethod() {
	e.f.Line()
	frame := eng("NewFrame").Call(jen.Id("r").Dot("counters").Index(jen.Op(":")), e.viewer())
	if e.m.Mutations.Notes() {
		frame = e.frame()
	}
	e.runMethodOf("frame").Op("*").Add(eng("Frame")).Add(body(jen.Return(frame)))
}

// runRegion prints that a region runs in the child run b, whose nodes follow one another.
func (e *emitter) runRegion(transition jen.Code) *jen.Statement {
	return jen.Err().Op("=").Add(eng("RunRegion")).Call(jen.Id("m"), jen.Id("b"), jen.Op("&").Id("b").Dot("Run"), e.loopMethod(), transition)
}

// runFields are fields of the run r.
func runFields(names []string) []jen.Code {
	var out []jen.Code
	for _, name := range names {
		out = append(out, jen.Id("r").Dot(name))
	}
	return out
}

// child prints how a child run begins and ends whose nodes follow one another.
func (e *emitter) child() {
	e.f.Line()
	if e.m.PausesInRegions(false) {
		e.f.Comment("child returns a child run of r; after a pause, the one that paused.")
	}
	e.runMethodOf("child", ctxParam()).Op("*").Id(e.m.Names.Run).BlockFunc(func(g *jen.Group) {
		if e.m.PausesInRegions(false) {
			kept := jen.Id("r").Dot("Pauses").Call().Dot("Kept").Call(jen.Id("ctx")).Assert(jen.Op("*").Id(e.m.Names.Run))
			g.If(jen.List(jen.Id("b"), jen.Id("ok")).Op(":=").Add(kept), jen.Id("ok")).Block(jen.Return(jen.Id("b")))
		}
		g.Id("b").Op(":=").Add(e.newRun()).ValuesFunc(func(g *jen.Group) {
			for _, name := range e.m.Children.Carried {
				g.Id(name).Op(":").Id("r").Dot(name)
			}
		})
		g.Id("b").Dot("ChildOf").Call(jen.Id("ctx"), kernelRun(), jen.Id("b").Dot("frame").Call())
		g.Return(jen.Id("b"))
	})
	e.f.Line()
	e.runMethodOf("commitChild", jen.Id("b").Op("*").Id(e.m.Names.Run)).BlockFunc(func(g *jen.Group) {
		if e.m.PausesInRegions(false) {
			g.If(jen.Id("b").Dot("Ending").Call().Dot("Paused").Call()).Block(jen.Return()).Comment("it continues later")
		}
		var to, from []jen.Code
		for _, name := range e.m.Children.Carried {
			to = append(to, jen.Id("r").Dot(name))
			from = append(from, jen.Id("b").Dot(name))
		}
		g.List(to...).Op("=").List(from...)
		g.Id("r").Dot("Join").Call(jen.Op("&").Id("b").Dot("Run"))
	})
}

// branch prints how branches begin: on copies.
func (e *emitter) branch() {
	e.f.Line()
	e.machineMethod("branches", jen.Id("r").Op("*").Id(e.m.Names.Run), jen.Id("n").Int()).Index().Id(e.m.Names.Run).BlockFunc(func(g *jen.Group) {
		g.Return(eng("Branches").Call(jen.Id("n"), jen.Func().Params(jen.Id("b").Op("*").Id(e.m.Names.Run)).BlockFunc(func(g *jen.Group) {
			for _, name := range e.m.Children.Carried {
				value := jen.Id("r").Dot(name)
				switch name {
				case "delta":
					continue
				case "conversation", "results", "cache":
					value = value.Dot("Branch").Call()
				}
				g.Id("b").Dot(name).Op("=").Add(value)
			}
			clipFields(g, jen.Id("b").Dot("state"), e.m.Children.Clipped)
		})))
	})
}

// kept is the output of a region's last node, as the run keeps it.
func kept(n *plan.Node) *jen.Statement {
	return jen.Id("b").Dot(n.Regions()[0].Last().Kept.Field)
}

// names lists the names of nodes in words.
func names(nodes []*plan.Node) string {
	var out []string
	for _, n := range nodes {
		out = append(out, n.Name)
	}
	return enumerate(out)
}

// bodyLoop prints the method that runs a body again and again.
func (e *emitter) bodyLoop(n *plan.Node, c *plan.Loop) {
	body := c.Regions[0]
	e.f.Add(lined(c.Method + " is loop " + n.Name + ": it runs " + names(body.Nodes) + " until its condition holds, " +
		strconv.Itoa(c.Most) + " times at most."))
	e.stepMethod(c.Method, n).BlockFunc(func(g *jen.Group) {
		g.Id("b").Op(":=").Id("r").Dot("child").Call(jen.Id("ctx"))
		g.Defer().Id("r").Dot("commitChild").Call(jen.Id("b"))
		first := jen.Lit(1)
		if c.Pauses {
			first = jen.Id("r").Dot("From").Call(jen.Op("&").Id("b").Dot("Run"))
		}
		g.For(jen.Id("i").Op(":=").Add(first), jen.Id("i").Op("<=").Lit(c.Most), jen.Id("i").Op("++")).BlockFunc(func(g *jen.Group) {
			g.If(jen.Err().Op("=").Id("r").Dot("Iterate").Call(jen.Id("i"), jen.Lit(body.Nodes[0].Name)), jen.Err().Op("!=").Nil()).Block(e.failedRegion(n))
			if last := c.Resets; last != nil {
				reset := jen.Id("b").Dot(last.Kept.Field).Op("=").Add(zero(last.Out))
				if c.Pauses { // the node may have run
					reset = jen.If(jen.Op("!").Id("b").Dot("Ending").Call().Dot("Paused").Call()).Block(reset)
				}
				g.Add(reset)
			}
			g.If(e.runRegion(jen.Id(body.Transition.Const)), jen.Err().Op("!=").Nil()).Block(e.failedRegion(n))
			g.If(e.untilCall(n, c.Until)).Block(jen.Break())
		})
		g.Return(append(given(n), jen.Nil())...)
	})
}

// untilCall is the call of a loop's condition on its child run.
func (e *emitter) untilCall(n *plan.Node, c *plan.Condition) *jen.Statement {
	return jen.Id(c.Func).CallFunc(func(g *jen.Group) {
		if c.UsesOut {
			g.Add(kept(n))
		}
		if c.UsesState {
			g.Op("&").Id("b").Dot("state")
		}
		if c.UsesResult {
			g.Id("r").Dot("Result").Call()
		}
	})
}

func given(n *plan.Node) []jen.Code {
	if n.Out == nil {
		return nil
	}
	return []jen.Code{kept(n)}
}

// failedRegion returns the failure, without what there is beside it.
func (e *emitter) failedRegion(n *plan.Node) *jen.Statement {
	if n.Out == nil {
		return jen.Return(jen.Err())
	}
	return jen.Return(zero(n.Out), jen.Err())
}

// retry prints the method that makes one attempt.
func (e *emitter) retry(n *plan.Node, c *plan.Retry) {
	body := c.Regions[0]
	e.f.Add(lined(c.Method + " is one attempt of retry " + n.Name + ": it runs " + names(body.Nodes) + ". What it writes counts if it succeeds."))
	e.stepMethod(c.Method, n).BlockFunc(func(g *jen.Group) {
		g.Id("b").Op(":=").Id("r").Dot("child").Call(jen.Id("ctx"))
		clipFields(g, jen.Id("b").Dot("state"), e.m.Growing())
		g.If(e.runRegion(jen.Id(body.Transition.Const)), jen.Err().Op("!=").Nil()).BlockFunc(func(g *jen.Group) {
			g.Id("r").Dot("Join").Call(jen.Op("&").Id("b").Dot("Run"))
			if n.Shape.CachesRegion {
				g.Id("r").Dot("cache").Op("=").Id("b").Dot("cache")
			}
			g.Add(e.failedRegion(n))
		})
		g.Id("r").Dot("commitChild").Call(jen.Id("b"))
		g.Return(append(given(n), jen.Nil())...)
	})
}

// joins are the kernel's constants for the words of join.
var joins = map[string]string{"fail_fast": "JoinFailFast", "all": "JoinAll", "first": "JoinFirst", "settled": "JoinSettled"}

// waits describes which branches the join waits for.
func waits(c *plan.Fork) string {
	switch c.Join {
	case "all":
		return "every branch ends, and has to succeed"
	case "first":
		return "it continues with the first " + count(c.Need, " that succeeds", " that succeed")
	case "settled":
		return "every branch ends, and " + count(c.Need, " has to succeed", " have to succeed")
	}
	return "the first branch that fails cancels the others"
}

func atOnce(n int) string {
	if n == 1 {
		return "one after the other"
	}
	return strconv.Itoa(n) + " at a time"
}

// count is a number of branches and their verb.
func count(n int, one, several string) string {
	if n == 1 {
		return "one" + one
	}
	return strconv.Itoa(n) + several
}

// fork prints how branches are begun, each by starts. After a pause they go on.
func (e *emitter) fork(g *jen.Group, c *plan.Fork, branches *jen.Statement, starts func(g *jen.Group, branches *jen.Statement)) {
	options := eng("ForkOptions").ValuesFunc(func(g *jen.Group) {
		g.Id("Join").Op(":").Add(eng(joins[c.Join]))
		g.Id("Branches").Op(":").Add(branches.Clone())
		if c.Need > 0 {
			g.Id("Need").Op(":").Lit(c.Need)
		}
		g.Id("MaxParallel").Op(":").Lit(c.Parallel)
	})
	list, assign := jen.Id("branches"), ":="
	if c.Pauses {
		list, assign = jen.Id("r").Dot("forked"), "="
	}
	begin := func(g *jen.Group) {
		for _, r := range c.Regions {
			if r.If != nil { // it may panic, so that no branch may run yet
				g.Id(r.Starts).Op(":=").Add(conditionCall(r.If))
			}
		}
		g.Add(list.Clone()).Op(assign).Id("m").Dot("branches").Call(jen.Id("r"), branches)
		g.Id("f").Op(assign).Id("r").Dot("Fork").Call(jen.Id("ctx"), options,
			jen.Func().Params(jen.Id("i").Int()).Add(body(jen.Id("m").Dot("run").Call(jen.Op("&").Add(list.Clone()).Index(jen.Id("i"))))))
		starts(g, list)
	}
	if !c.Pauses {
		begin(g)
		return
	}
	g.Id("f").Op(":=").Id("r").Dot("Pauses").Call().Dot("Forked").Call(jen.Id("ctx"))
	g.If(jen.Id("f").Op("==").Nil()).BlockFunc(begin)
}

// start prints how one branch is started: a chain of nodes, from the target of a transition.
func start(b *jen.Statement, name jen.Code, r *plan.Region) *jen.Statement {
	begun := []jen.Code{jen.Op("&").Add(b.Clone()).Dot("Run"), b.Clone().Dot("frame").Call(), name, jen.Id(r.Transition.Const)}
	if r.If != nil {
		return jen.Id("f").Dot("GoIf").Call(append([]jen.Code{jen.Id(r.Starts)}, begun...)...)
	}
	return jen.Id("f").Dot("Go").Call(begun...)
}

// parallel prints the method that runs branches concurrently.
func (e *emitter) parallel(n *plan.Node, c *plan.Fork) {
	e.f.Add(lined(c.Method + " is parallel " + n.Name + ": it runs its branches concurrently, each on its own copy of the state; " + waits(c) + "."))
	e.stepMethod(c.Method, n).BlockFunc(func(g *jen.Group) {
		e.fork(g, c, jen.Lit(len(c.Regions)), func(g *jen.Group, branches *jen.Statement) {
			for i, r := range c.Regions {
				b := branches.Clone().Index(jen.Lit(i))
				g.Add(start(b, jen.Lit(r.Name), r)).Comment(names(r.Nodes))
			}
		})
		e.join(g, c)
	})
}

// mapped prints the method that runs a body concurrently for every element of a list.
func (e *emitter) mapped(n *plan.Node, c *plan.Each) {
	body := c.Regions[0]
	e.f.Add(lined(c.Method + " is map " + n.Name + ": it runs " + names(body.Nodes) + " for every element of " + c.Over.Name +
		", each on its own copy of the state, " +
		atOnce(c.Parallel) + "; " + waits(&c.Fork) + "."))
	e.stepMethod(c.Method, n).BlockFunc(func(g *jen.Group) {
		over := jen.Id("r").Dot("state").Dot(c.Over.GoName)
		if most := c.Over.Spec.MaxLength; most.IsSet() {
			g.If(jen.Err().Op("=").Add(eng("CheckLength")).Call(jen.Lit(c.Over.Name), jen.Len(over.Clone()), jen.Lit(most.V)),
				jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err()))
		}
		e.fork(g, &c.Fork, jen.Len(over.Clone()), func(g *jen.Group, branches *jen.Statement) {
			g.For(jen.List(jen.Id("i"), jen.Id("item")).Op(":=").Range().Add(over)).BlockFunc(func(g *jen.Group) {
				g.Id("b").Op(":=").Op("&").Add(branches).Index(jen.Id("i"))
				item := jen.Id("item")
				if c.Item.Type.Kind == resolve.Optional && c.Over.Type.Elem.Kind != resolve.Optional {
					item = jen.New(jen.Id("item"))
				}
				g.Id("b").Dot("state").Dot(c.Item.GoName).Op("=").Add(item)
				g.Add(start(jen.Id("b"), jen.Qual("strconv", "Itoa").Call(jen.Id("i")), body))
			})
		})
		e.join(g, &c.Fork)
	})
}

// notedFields prints the fields of a branch that hold what it has written, where its state does not
// show that.
func (e *emitter) notedFields(g *jen.Group) {
	if len(e.m.Children.Notes) == 0 {
		return
	}
	g.Id("delta").StructFunc(func(g *jen.Group) {
		for _, f := range e.m.Children.Notes {
			if f.Merge == "custom" {
				g.Id(f.GoName).Index().Add(goType(f.Type))
				continue
			}
			g.Id(f.GoName).Add(goType(f.Type))
		}
	}).Comment("in a branch: what it has written")
}

// noteWrite prints that a branch notes what it writes.
func (e *emitter) noteWrite(g *jen.Group, n *plan.Node, w plan.Write, value *jen.Statement) {
	if !n.NotesOf(w.To) {
		return
	}
	delta := jen.Id("r").Dot("delta").Dot(w.To.GoName)
	switch w.Merge {
	case "sum":
		g.Add(delta).Op("+=").Add(value)
	case "custom":
		g.Add(delta).Op("=").Append(delta.Clone(), value)
	case "append":
		g.Add(delta).Op("=").Add(merged(w, delta.Clone(), value))
	default:
		g.Add(delta).Op("=").Add(eng("UnionMap")).Call(delta.Clone(), value)
	}
}

// pool prints the method that runs the nodes that a model picks.
func (e *emitter) pool(n *plan.Node, c *plan.Pool) {
	e.f.Add(lined(c.Method + " is autonomous " + n.Name + ": it runs nodes of its pool, " + strconv.Itoa(c.Most) + " at most, each as the model picks it."))
	e.stepMethod(c.Method, n).BlockFunc(func(g *jen.Group) {
		g.Id("b").Op(":=").Id("r").Dot("child").Call(jen.Id("ctx"))
		g.Defer().Id("r").Dot("commitChild").Call(jen.Id("b"))
		picker := pipe("Picker").Values(jen.Id("Pool").Op(":").Op("&").Id(c.Var))
		region := func(transition jen.Code) *jen.Statement {
			return jen.If(e.runRegion(transition), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err()))
		}
		begin := func(g *jen.Group) {
			if c.Entry != nil {
				g.Add(region(jen.Id("picker").Dot("Run").Call(jen.Lit(slices.Index(c.Regions, c.Entry)))))
			}
		}
		if c.Pauses {
			g.Id("picker").Op(":=").Op("&").Id("b").Dot(c.Picker)
			g.If(jen.Id("b").Dot("Ending").Call().Dot("Paused").Call()).Block(region(eng("Terminal"))).Else().BlockFunc(func(g *jen.Group) {
				g.Op("*").Id("picker").Op("=").Add(picker)
				begin(g)
			})
		} else {
			g.Id("picker").Op(":=").Add(picker)
			begin(g)
		}
		g.For(jen.Op("!").Id("picker").Dot("Over").Call()).BlockFunc(func(g *jen.Group) {
			write := jen.Nil()
			if c.Prompt.Write != "" {
				write = jen.Id("b").Dot(c.Prompt.Write)
			}
			g.List(jen.Id("transition"), jen.Err()).Op(":=").Id("picker").Dot("Pick").Call(jen.Id("ctx"), jen.Op("&").Id("b").Dot(c.Prompt.Field),
				kernelRun(), jen.Op("&").Id("b").Dot("conversation"), jen.Id("m").Dot("model"), jen.Op("&").Id(c.Prompt.Var), placer(c.Prompt, "b"), write)
			g.If(jen.Err().Op("!=").Nil().Op("||").Id("transition").Op("==").Add(eng("Terminal"))).Block(jen.Return(jen.Err()))
			g.Add(region(jen.Id("transition")))
		})
		g.Return(jen.Nil())
	})
	e.f.Line()
	e.f.Var().Id(c.Var).Op("=").Add(pipe("Pool")).CustomFunc(lines, func(g *jen.Group) {
		g.Id("Nodes").Op(":").Index().Add(pipe("PoolNode")).CustomFunc(lines, func(g *jen.Group) {
			for _, r := range c.Regions {
				g.ValuesFunc(func(g *jen.Group) {
					g.Id("Name").Op(":").Lit(r.Name)
					g.Id("Transition").Op(":").Id(r.Transition.Const)
					if slices.Contains(c.Terminal, r) {
						g.Id("Terminal").Op(":").True()
					}
				})
			}
		})
		if c.Once {
			g.Id("Once").Op(":").True()
		}
		g.Id("Most").Op(":").Lit(c.Most)
	})
}
