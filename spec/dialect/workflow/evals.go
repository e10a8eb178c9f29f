package workflow

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/dialect/draft"
	"github.com/graphgen/graphgen/spec/goname"
	"github.com/graphgen/graphgen/spec/yamlread"
)

// evals carries over the evaluators of a node, and its retry.
func (im *importer) evals(n *node, d *draft.Node, schema *draft.Schema) {
	if n.evalPolicy.IsSet() && n.evalPolicy.V != "all_pass" {
		im.Error("GG355", n.evalPolicy.Pos, "the policy of evaluators is all_pass, not "+yamlread.Quote(n.evalPolicy.V), "")
	}
	names := draft.NewNamer(im.File, "eval")
	evals := &evalList{table: yamlread.MapTree(n.name.Pos), answers: yamlread.MapTree(draft.Pos{})}
	for _, e := range n.eval {
		if e.model.IsSet() {
			im.Note("GG357", e.model.Pos, "the model of a judge is left out: it is an option of the machine, WithJudge", "")
		}
		switch e.kind.V {
		case "value":
			im.valueEval(e, d, schema, names, evals)
		case "function":
			im.functionEval(e, d, names, evals)
		case "judge":
			im.judgeEval(e, names, evals)
		default:
			im.Error("GG355", e.kind.Pos, "the kind of an evaluator is value, function or judge, not "+yamlread.Quote(e.kind.V), "")
		}
	}
	if len(evals.table.Items) > 0 {
		d.Keys.Set("evals", evals.table)
		if im.Once("evals") {
			im.Note("GG358", n.eval[0].name.Pos, "a failed eval does not fail its node: edges and judges see it", "")
		}
	}
	if len(evals.answers.Items) > 0 {
		d.Entry.Set("evals", evals.answers)
	}
	if n.retry.Kind != yamlread.Unreadable {
		im.retry(n, d, evals)
	}
}

// An evalList is the evals of a node.
type evalList struct {
	table   tree     // of the spec
	answers tree     // of the judges in the scenario
	failed  []string // a condition for each evaluator: it has failed
}

func (l *evalList) add(name string, pos draft.Pos, value tree) {
	l.table.Items = append(l.table.Items, draft.Text(name, pos), value)
}

// retry makes an edge of the node to itself, which is taken while an evaluator fails.
func (im *importer) retry(n *node, d *draft.Node, evals *evalList) {
	most := n.retry.Get("max")
	times := 0
	if most != nil && most.Kind == yamlread.Int {
		times, _ = strconv.Atoi(most.Text)
	}
	switch {
	case times < 1 || times > 1000:
		im.Error("GG355", n.retry.Pos, "a retry has max, a number of at least 1", "write retry: {max: 2}")
		return
	case len(evals.failed) == 0:
		im.Warn("GG357", n.retry.Pos, "retry is left out: the node has no eval that could fail", "")
		return
	}
	self := text{V: d.Name.V, Pos: n.retry.Pos}
	edge := &draft.Edge{From: self, To: self}
	condition := strings.Join(evals.failed, " || ")
	if len(evals.failed) == 1 {
		condition = strings.Trim(condition, "()")
	}
	edge.Keys.Set("if", draft.Text(condition, n.retry.Pos))
	edge.Keys.Set("max_iterations", draft.Plain(strconv.Itoa(times), n.retry.Pos))
	edge.Keys.Set("label", draft.Text("retry", n.retry.Pos))
	im.d.Edges = append(im.d.Edges, edge)
	d.Keys.Set("revisit_feedback", draft.Plain("true", n.retry.Pos))
	if n.retry.Get("instruction") != nil {
		im.Warn("GG358", n.retry.Get("instruction").Pos,
			"the instruction of a retry is left out: the model is shown its last answer, and not which eval has failed",
			"write into the instructions what a second visit has to do better")
	} else if im.Once("retry") {
		im.Note("GG358", n.retry.Pos, "a retry shows the model its last answer, and not which eval has failed", "")
	}
}

// judgeEval makes a question of a rubric.
func (im *importer) judgeEval(e *evaluator, names *draft.Namer, evals *evalList) {
	if !e.rubric.IsSet() {
		im.Error("GG354", e.name.Pos, "a judge needs the key rubric", "add rubric: TEXT")
		return
	}
	question := strings.Join(strings.Fields(e.rubric.V), " ")
	if pass := strings.ToLower(e.pass.V); e.pass.IsSet() && pass != "yes" {
		question += " Answer yes where the verdict is " + strconv.Quote(e.pass.V) + "."
	}
	name := names.Name(e.name)
	evals.add(name, e.name.Pos, draft.Map(e.rubric.Pos, "judge", draft.Text(question, e.rubric.Pos)))
	evals.answers.Add(name, draft.Plain("true", draft.Pos{}))
	evals.failed = append(evals.failed, "!evals."+goname.Exported(name))
}

// functionEval makes evals of the tools that a node has to call, and that it may not call.
func (im *importer) functionEval(e *evaluator, d *draft.Node, names *draft.Namer, evals *evalList) {
	var failed []string
	for _, rule := range []struct{ key, as string }{{"all_tools_called", "called"}, {"any_tool_called", "called"}, {"no_tool_called", "not_called"}} {
		list := e.rule.Get(rule.key)
		if list == nil {
			continue
		}
		var tools []string
		for _, t := range list.AsList() {
			if t.Kind == yamlread.Text && t.Text != "" {
				tools = append(tools, im.tool(text{V: t.Text, Pos: t.Pos}, d))
			}
		}
		if len(tools) == 0 {
			continue
		}
		groups := [][]string{tools}
		if rule.key == "any_tool_called" {
			groups = nil
			for _, t := range tools {
				groups = append(groups, []string{t})
			}
		}
		var all []string
		for i, group := range groups {
			name := draft.FieldName(e.name.V)
			switch {
			case rule.key == "any_tool_called" && len(tools) > 1:
				name = draft.FieldName(group[0]) + "_called"
			case rule.key == "no_tool_called" && len(failed) > 0:
				name += "_none"
			}
			name = names.Free(name)
			evals.add(name, e.name.Pos, draft.Map(list.Pos, rule.as, draft.Names(list.Pos, group...)))
			all = append(all, "!evals."+goname.Exported(name))
			if rule.as == "called" && (i == 0 || rule.key == "all_tools_called") {
				for _, t := range group {
					if !slices.Contains(d.Calls, t) {
						d.Calls = append(d.Calls, t)
					}
				}
			}
		}
		if len(all) > 1 {
			failed = append(failed, "("+strings.Join(all, " && ")+")")
			im.Note("GG358", list.Pos, "an eval for each of the tools: one of them has to hold", "")
		} else {
			failed = append(failed, all...)
		}
	}
	if len(failed) == 0 {
		im.Error("GG354", e.name.Pos, "a function has a rule with all_tools_called, any_tool_called or no_tool_called", "")
		return
	}
	evals.failed = append(evals.failed, failed...)
}

// tool makes a node able to call a tool that an eval names: by its allow_tools, or by a tool of the graph.
func (im *importer) tool(foreign text, d *draft.Node) string {
	if allowed := d.Keys.Get("allow_tools"); allowed != nil {
		if !slices.ContainsFunc(allowed.Items, func(t tree) bool { return t.Text == foreign.V }) {
			allowed.Items = append(allowed.Items, draft.Text(foreign.V, foreign.Pos))
			im.Warn("GG358", foreign.Pos, "the eval asks for the tool "+yamlread.Quote(foreign.V)+", which the node does not allow: it does in the graph", "")
		}
		im.d.Inject.Set(foreign.V, yamlread.MapTree(draft.Pos{}))
		return foreign.V
	}
	if groups := d.Keys.Get("skills"); groups != nil && slices.ContainsFunc(groups.Items, func(g tree) bool {
		return im.brings(g.Text) && spec.NamesTool(g.Text+"_*", foreign.V)
	}) {
		im.d.Inject.Set(foreign.V, yamlread.MapTree(draft.Pos{}))
		return foreign.V
	}
	name := im.tools.Name(foreign)
	if im.d.Tools.Get(name) == nil {
		im.d.Tools.Put(text{V: name, Pos: foreign.Pos}, draft.Map(foreign.Pos, "doc", "A tool of a skill.", "args", draft.Map(foreign.Pos, "input", "?any")))
		im.d.Tools.Remark(name, "Its arguments are not in the workflow.")
		im.Warn("GG363", foreign.Pos, "the tool "+yamlread.Quote(foreign.V)+" is declared, as an eval asks for it, and its arguments are not known",
			"write its args under tools; or name the tools of the node under allow_tools, and give them to the machine at run time")
	}
	tools := d.Keys.Get("tools")
	if tools == nil {
		d.Keys.Set("tools", yamlread.ListTree(foreign.Pos))
		tools = d.Keys.Get("tools")
	}
	if !slices.ContainsFunc(tools.Items, func(t tree) bool { return t.Text == name }) {
		tools.Items = append(tools.Items, draft.Text(name, foreign.Pos))
	}
	if im.turns[d.Name.V] == 0 {
		im.turns[d.Name.V] = defaultTurns
	}
	return name
}

// valueEval makes a condition of what the answer has to be.
func (im *importer) valueEval(e *evaluator, d *draft.Node, schema *draft.Schema, names *draft.Namer, evals *evalList) {
	var conditions []string
	add := func(condition string) {
		if condition != "" && !slices.Contains(conditions, condition) {
			conditions = append(conditions, condition)
		}
	}
	missing := func(pos draft.Pos, what, why string) {
		im.Warn("GG357", pos, "the condition on "+yamlread.Quote(what)+" is left out: "+why,
			"check it in a guard of the node, or write a pattern for the field of its type")
	}
	count := 0
	if list := e.rule.Get("output_required"); list != nil {
		for _, path := range list.AsList() {
			count++
			place, why := schema.Path(path.Text)
			switch {
			case why != "":
				missing(path.Pos, path.Text, why)
			case place.Present != "":
				add(place.Present)
				d.Out = place.Fill(d.Out)
			default:
				im.Note("GG358", path.Pos,
					"the property "+yamlread.Quote(path.Text)+" is required by the type: an answer without it is refused, and the eval does not ask for it", "")
			}
		}
	}
	if list := e.rule.Get("output_matches"); list != nil {
		for _, match := range list.AsList() {
			count++
			path := match.Get("path")
			if path == nil {
				im.Error("GG354", match.Pos, "an entry of output_matches needs the key path", "")
				continue
			}
			place, why := schema.Path(path.Text)
			if why == "" {
				var condition string
				if condition, why = im.match(&match, place, d); why == "" {
					add(place.Present)
					add(condition)
				}
			}
			if why != "" {
				missing(path.Pos, path.Text, why)
			}
		}
	}
	if count == 0 {
		im.Error("GG354", e.name.Pos, "a value has a rule with output_required or output_matches", "")
	}
	if len(conditions) == 0 {
		return
	}
	name := names.Name(e.name)
	evals.add(name, e.name.Pos, draft.Map(e.name.Pos, "if", draft.Text(strings.Join(conditions, " && "), e.name.Pos)))
	evals.failed = append(evals.failed, "!evals."+goname.Exported(name))
}

// match returns the condition of an entry of output_matches on a value that is there, or why it has none.
func (im *importer) match(m *tree, place draft.Place, d *draft.Node) (condition, why string) {
	switch equals, in, matches := m.Get("equals"), m.Get("in"), m.Get("matches"); {
	case equals != nil:
		value, ok := place.Value(equals)
		if !ok {
			return "", "it is not a value of its type"
		}
		d.Out = place.Set(d.Out, *equals)
		return place.Expr + " == " + value, ""
	case in != nil && in.Kind == yamlread.List && len(in.Items) > 0:
		var either []string
		for i := range in.Items {
			value, ok := place.Value(&in.Items[i])
			if !ok {
				return "", "not all values are of its type"
			}
			either = append(either, place.Expr+" == "+value)
		}
		d.Out = place.Set(d.Out, in.Items[0])
		if len(either) == 1 {
			return either[0], ""
		}
		return "(" + strings.Join(either, " || ") + ")", ""
	case matches != nil && matches.Kind == yamlread.Text:
		if place.Type != "string" {
			return "", "it is not a text"
		}
		call, fits, ok := contains(matches.Text)
		if !ok {
			return "", "conditions have no regular expressions"
		}
		if had := place.Get(d.Out); had == nil || !regexp.MustCompile(matches.Text).MatchString(had.Text) {
			d.Out = place.Set(d.Out, draft.Text(fits, draft.Pos{}))
		}
		if strings.Contains(matches.Text, ".") && !strings.Contains(matches.Text, `\.`) {
			im.Note("GG358", matches.Pos, "each . of the regular expression is taken for a dot", "")
		}
		return strings.ReplaceAll(call, "X", place.Expr), ""
	}
	return "", "it has none of equals, in and matches"
}

// contains returns the call of package strings that a regular expression is, with X for the text, and a text that it
// matches. It takes the dot for any character for a dot.
func contains(pattern string) (call, fits string, ok bool) {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return "", "", false
	}
	re = re.Simplify()
	parts := []*syntax.Regexp{re}
	if re.Op == syntax.OpConcat {
		parts = re.Sub
	}
	begin, end := false, false
	for i, p := range parts {
		switch {
		case p.Op == syntax.OpBeginText && i == 0:
			begin = true
		case p.Op == syntax.OpEndText && i == len(parts)-1:
			end = true
		case p.Op == syntax.OpLiteral && p.Flags&syntax.FoldCase == 0:
			fits += string(p.Rune)
		case p.Op == syntax.OpAnyCharNotNL:
			fits += "."
		default:
			return "", "", false
		}
	}
	literal := strconv.Quote(fits)
	switch {
	case fits == "" || !regexp.MustCompile(pattern).MatchString(fits):
		return "", "", false
	case begin && end:
		return "X == " + literal, fits, true
	case begin:
		return "strings.HasPrefix(X, " + literal + ")", fits, true
	case end:
		return "strings.HasSuffix(X, " + literal + ")", fits, true
	}
	return "strings.Contains(X, " + literal + ")", fits, true
}
