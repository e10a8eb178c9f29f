package template

import (
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/yamlread"
)

// A group is a skill group with the file that has it.
type group struct {
	*spec.Skill
	home *spec.Graph
}

// declared are entries of a section that skill groups bring: keys and values.
type declared struct{ items []spec.Tree }

// groups puts skill groups in place where nodes name them.
func (e *expansion) groups() {
	for _, at := range e.items {
		if at.tree == nil {
			continue
		}
		kind := spec.DefaultKind
		if written := at.tree.Get("kind"); written != nil {
			kind = written.Text
		}
		named := at.tree.Get("skills")
		e.namesGroups(at.tree)
		if named == nil || !spec.TakesSkills(kind) || !areNames(named) {
			continue // reported as it is read, or by package check
		}
		g := &grouped{expansion: e, node: *at.tree, bad: at.unread}
		g.node.Items = slices.Clone(at.tree.Items)
		g.open = g.injects() && g.node.Get("allow_tools") == nil
		g.takeAll(named)
		at.tree, at.unread = &g.node, g.bad
	}
}

// namesGroups notes which skill groups of the file a node names, or a template.
func (e *expansion) namesGroups(t *spec.Tree) {
	for i := range t.Items {
		if t.Kind == yamlread.Map && i%2 > 0 && t.Items[i-1].Text == "skills" {
			for _, name := range t.Items[i].AsList() {
				for _, s := range e.graph.Skills {
					s.Used = s.Used || s.Name.V == name.Text && e.homeOf(name.Pos) == e.graph
				}
			}
		}
		e.namesGroups(&t.Items[i])
	}
}

// areNames reports whether a value is a name, or names.
func areNames(t *spec.Tree) bool {
	list := t.AsList()
	return len(list) > 0 && !slices.ContainsFunc(list, func(name spec.Tree) bool { return name.Kind != yamlread.Text || name.Text == "" })
}

// A grouped is a node that names skill groups.
type grouped struct {
	*expansion
	node spec.Tree
	open bool // any tool may be injected, whatever the groups name
	bad  bool // a group could not be found: what the node has besides is not known
}

// takeAll gives the node what its groups have.
func (g *grouped) takeAll(named *spec.Tree) {
	names := named.AsList()
	for i := 0; i < len(g.node.Items); i += 2 {
		if g.node.Items[i].Text == "skills" {
			g.node.Items = slices.Delete(g.node.Items, i, i+2)
			break
		}
	}
	for i, name := range names {
		if first := slices.IndexFunc(names, func(n spec.Tree) bool { return n.Text == name.Text }); first < i {
			g.report("GG399", name.Pos, "the node names the skill group \""+name.Text+"\" twice", "remove one",
				diag.Related{Pos: names[first].Pos, Message: "the first one is here"})
			continue
		}
		s := g.group(g.homeOf(name.Pos), name.Text)
		switch {
		case s == nil:
			g.unknownGroup(name)
			g.graph.Lost, g.bad = true, true
		case s.Unread:
			g.graph.Lost, g.bad = true, true
		default:
			g.take(s, name.Pos)
		}
	}
}

// take gives the node what a group has.
func (g *grouped) take(s *group, at spec.Pos) {
	part := func(key string) *spec.Tree {
		value := s.Written.Get(key)
		if value == nil || value.Kind == yamlread.Null {
			return nil
		}
		if !g.makesAll(value, "the skill group \""+s.Name.V+"\"", at) {
			return nil
		}
		placed := s.placed(value, at, g.graph)
		return &placed
	}
	if text := part("instructions"); text != nil {
		g.append("blocks", yamlread.MapTree(text.Pos,
			yamlread.TextTree("name", text.Pos), yamlread.TextTree(s.Name.V, text.Pos), yamlread.TextTree("text", text.Pos), *text))
	}
	if tools := part("tools"); tools != nil {
		g.append("tools", g.names(tools, &g.tools)...)
	}
	var allow []spec.Tree
	if servers := part("mcp"); servers != nil {
		for _, server := range g.names(servers, &g.servers) {
			g.wanted = append(g.wanted, server)
			allow = append(allow, yamlread.TextTree(server.Text+"_*", server.Pos))
		}
	}
	if allowed := part("allow_tools"); allowed != nil {
		allow = append(allow, allowed.AsList()...)
	}
	if denied := part("deny_tools"); denied != nil {
		g.append("deny_tools", denied.AsList()...)
	}
	if len(allow) == 0 {
		return
	}
	if !g.injects() {
		g.append("flags", yamlread.TextTree(spec.InjectTools.String(), allow[0].Pos))
	}
	if !g.open {
		g.append("allow_tools", allow...)
	}
}

// injects reports whether the node has the flag inject_tools.
func (g *grouped) injects() bool {
	flags := g.node.Get("flags")
	return flags != nil && slices.ContainsFunc(flags.AsList(), func(f spec.Tree) bool { return f.Text == spec.InjectTools.String() })
}

// append adds items to a list of the node, texts that it does not have.
func (g *grouped) append(key string, items ...spec.Tree) {
	list := g.node.Get(key)
	if list == nil {
		g.node.Items = append(g.node.Items, yamlread.TextTree(key, items[0].Pos), yamlread.ListTree(items[0].Pos))
		list = &g.node.Items[len(g.node.Items)-1]
	}
	made := yamlread.ListTree(list.Pos, slices.Clone(list.AsList())...)
	for _, item := range items {
		if item.Kind != yamlread.Text || !slices.ContainsFunc(made.Items, func(have spec.Tree) bool { return have.Text == item.Text }) {
			made.Items = append(made.Items, item)
		}
	}
	*list = made
}

// names returns the names of a list, or of a mapping, whose entries the graph gets.
func (g *grouped) names(t *spec.Tree, to *declared) (names []spec.Tree) {
	if t.Kind != yamlread.Map {
		return t.AsList()
	}
	for i := 0; i < len(t.Items); i += 2 {
		key, value := t.Items[i], t.Items[i+1]
		names = append(names, key)
		was := to.entry(key.Text)
		switch {
		case was == nil:
			to.items = append(to.items, key, value)
		case was.Flow() != value.Flow():
			g.report("GG399", key.Pos, "another skill group has \""+key.Text+"\" too, with other keys",
				"give one of them another name, or declare it in the graph",
				diag.Related{Pos: was.Pos, Message: "the other is here"})
		}
	}
	return names
}

func (d *declared) entry(name string) *spec.Tree {
	return (&spec.Tree{Kind: yamlread.Map, Items: d.items}).Get(name)
}

// placed returns a value of the group at the place of its use.
func (s *group) placed(t *spec.Tree, at spec.Pos, in *spec.Graph) spec.Tree {
	made := *t
	file := s.home.File
	if s.home == in {
		file = ""
	}
	made.Pos = at
	made.Pos.In = &diag.Place{Template: s.Name.V, Skills: true, File: file, Line: t.Pos.Line, Col: t.Pos.Col, Width: t.Pos.Width, By: at.In}
	made.Items = make([]spec.Tree, len(t.Items))
	for i := range t.Items {
		made.Items[i] = s.placed(&t.Items[i], at, in)
	}
	return made
}

// group returns the skill group of a name in a file: of a file that it uses, its own, or one of the prelude.
func (e *expansion) group(in *spec.Graph, name string) *group {
	files := append([]*spec.Graph{in}, e.prelude.Graphs()...)
	use, rest, dotted := strings.Cut(name, ".")
	if dotted {
		files = nil
		for _, u := range e.uses(in, use) {
			files = append(files, u.Graphs()...)
		}
		name = rest
	}
	for _, file := range files {
		i := slices.IndexFunc(file.Skills, func(s *spec.Skill) bool { return s.Name.V == name })
		if i < 0 {
			continue
		}
		for _, u := range e.uses(in, use) {
			u.Used = u.Used || dotted
		}
		if file != e.graph {
			e.homes[file.File] = file
		}
		return &group{Skill: file.Skills[i], home: file}
	}
	return nil
}

// unknownGroup reports a skill group that there is not. A use that has failed is reported by package check.
func (e *expansion) unknownGroup(name spec.Tree) {
	in := e.homeOf(name.Pos)
	use, _, dotted := strings.Cut(name.Text, ".")
	if dotted && slices.ContainsFunc(e.uses(in, use), func(u *spec.Use) bool { return u.Graph == nil }) || in.Unread && len(in.Skills) == 0 {
		return
	}
	names := Skills(in, e.prelude)
	help := "declare it under skills, as in " + diag.Set("skills", "{"+name.Text+": {tools: [TOOL]}}")
	switch near, ok := diag.Suggest(name.Text, names); {
	case ok:
		help = diag.DidYouMean(near)
	case len(names) > 0:
		help = "the skill groups are " + strings.Join(names, ", ")
	case dotted:
		help = "declare it under skills of the file that use names"
	}
	e.report("GG398", name.Pos, "there is no skill group \""+name.Text+"\"", help)
}

// Skills lists the skill groups that nodes of a graph can name.
func Skills(g *spec.Graph, prelude *spec.Use) (names []string) {
	add := func(from *spec.Graph, prefix string) {
		for _, s := range from.Skills {
			names = append(names, prefix+s.Name.V)
		}
	}
	add(g, "")
	for _, u := range g.Use {
		for _, file := range u.Graphs() {
			add(file, u.Name.V+".")
		}
	}
	for _, file := range prelude.Graphs() {
		add(file, "")
	}
	return names
}

// declare gives the graph the tools and the servers that its skill groups bring. What it declares itself comes first.
func (e *expansion) declare(part *spec.Graph) {
	for _, t := range part.Tools {
		if !slices.ContainsFunc(e.graph.Tools, func(own *spec.ToolDecl) bool { return own.Name.V == t.Name.V }) {
			e.graph.Tools = append(e.graph.Tools, t)
		}
	}
	for _, s := range part.MCP {
		if !slices.ContainsFunc(e.graph.MCP, func(own *spec.Server) bool { return own.Name.V == s.Name.V }) {
			e.graph.MCP = append(e.graph.MCP, s)
		}
	}
	var servers []string
	for _, s := range e.graph.MCP {
		servers = append(servers, s.Name.V)
	}
	for _, name := range e.wanted {
		if slices.Contains(servers, name.Text) || e.graph.Unread {
			continue
		}
		help := "declare it under mcp of the graph, or with its command or url in the skill group"
		if near, ok := diag.Suggest(name.Text, servers); ok {
			help = diag.DidYouMean(near)
		}
		e.report("GG399", name.Pos, "the graph declares no MCP server \""+name.Text+"\"", help)
	}
}

// judgeGroups reports what is wrong with the skill groups of the file itself, whatever names them.
func (e *expansion) judgeGroups() {
	for _, t := range e.graph.Templates {
		e.namesGroups(&t.Written)
	}
	for _, s := range e.graph.Skills {
		empty := true
		for key, read := range map[string]bool{
			"instructions": s.Instructions.IsSet(), "tools": s.Tools.Pos.IsSet(), "allow_tools": len(s.AllowTools) > 0,
			"deny_tools": len(s.DenyTools) > 0, "mcp": s.MCP.Pos.IsSet(),
		} {
			value := s.Written.Get(key)
			empty = empty && value == nil
			s.Unread = s.Unread || read != (value != nil) || strings.HasSuffix(key, "_tools") && value != nil &&
				!areNames(value) // its key is misspelt, or its value is of no form
		}
		if empty && !s.Unread {
			s.Used = true // one mistake is one diagnostic
			e.report("GG399", s.Name.Pos, "the skill group \""+s.Name.V+"\" gives nodes nothing", "add instructions, tools, allow_tools or mcp")
		}
		if strings.Contains(s.Name.V, ".") {
			s.Used = true
			e.report("GG399", s.Name.Pos, "a skill group cannot be called \""+s.Name.V+"\"",
				"the name before a dot is the name of a use; write it without a dot")
		}
		for _, part := range []struct {
			key  string
			tree *spec.Tree
		}{{"tools", &s.Tools}, {"mcp", &s.MCP}} {
			tree := part.tree
			if !tree.Pos.IsSet() || tree.Kind == yamlread.Unreadable || areNames(tree) || tree.Kind == yamlread.Map && len(tree.Items) > 0 {
				continue
			}
			e.report("GG399", tree.Pos, part.key+" of a skill group cannot be "+tree.Found(),
				"write names, as in "+part.key+": [NAME], or entries by name, as in a graph")
			s.Unread = true
		}
	}
}
