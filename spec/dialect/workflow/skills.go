package workflow

import (
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/dialect/draft"
	"github.com/graphgen/graphgen/spec/goname"
	"github.com/graphgen/graphgen/spec/yamlread"
)

// folders are where skills are, the first that has one counts.
var folders = []string{".sweny/skills", ".claude/skills", ".agents/skills", ".gemini/skills"}

// skill returns the instruction of a skill. It reports what the graph does not have of it, once for each skill.
func (im *importer) skill(id text) draft.Source {
	for _, s := range im.file.skills {
		if s.id.V != id.V {
			continue
		}
		if s.instruction.Kind == yamlread.Unreadable && s.mcp.Kind == yamlread.Unreadable && im.Once("empty "+id.V) {
			im.Error("GG354", s.id.Pos, "the skill "+yamlread.Quote(id.V)+" has neither an instruction nor a server", "add instruction: TEXT")
		}
		if s.mcp.Kind != yamlread.Unreadable && im.Once("mcp "+id.V) {
			im.server(id.V, &s.mcp, s.mcp.Pos)
		}
		if s.instruction.Kind == yamlread.Unreadable {
			return draft.Source{}
		}
		source, _ := im.source(&s.instruction)
		return source
	}
	source, found := im.skillFile(id)
	if !found && im.Once("skill "+id.V) {
		im.Warn("GG363", id.Pos,
			"the skill "+yamlread.Quote(id.V)+" is not in the file, and its tools are not known: the node is given all tools that "+
				"the machine has at run time",
			"give them to the machine, as contrib/mcp does with the tools of a server; allow_tools names the tools of the node")
	}
	return source
}

// group makes a node name the skill group of a skill that has an instruction or a server.
func (im *importer) group(id text, d *draft.Node) {
	s, keys := im.skill(id), draft.Table{}
	if s.Text != "" {
		keys.Set("instructions", draft.Text(draft.Escape(draft.Tidy(s.Text)), id.Pos))
	}
	if im.brings(id.V) {
		keys.Set("mcp", draft.Text(id.V, id.Pos))
	}
	if len(keys) == 0 {
		return
	}
	if im.d.Skills.Get(id.V) == nil {
		im.d.Skills.Put(id, keys.Tree(id.Pos))
	}
	names := d.Keys.Get("skills")
	if names == nil {
		d.Keys.Set("skills", yamlread.ListTree(id.Pos))
		names = d.Keys.Get("skills")
	}
	if !slices.ContainsFunc(names.Items, func(t tree) bool { return t.Text == id.V }) {
		names.Items = append(names.Items, draft.Text(id.V, id.Pos))
	}
}

// brings reports whether the group of a skill allows the tools of its server. A node that allows some of its tools names
// these itself.
func (im *importer) brings(id string) bool {
	return im.d.MCP.Get(id) != nil && !slices.ContainsFunc(im.file.nodes, func(n *node) bool {
		return n.tools.Get("allow") != nil && slices.ContainsFunc(n.skills, func(s text) bool { return s.V == id })
	})
}

// hasTools reports whether a skill has tools: one of the program, and one with a server.
func (im *importer) hasTools(id text) bool {
	for _, s := range im.file.skills {
		if s.id.V == id.V {
			return s.mcp.Kind != yamlread.Unreadable
		}
	}
	head, _, found := im.skillText(id)
	return !found || head.Get("mcp") != nil
}

// skillText reads the SKILL.md of a skill: its head, and the text after it.
func (im *importer) skillText(id text) (head tree, source draft.Source, found bool) {
	if strings.ContainsAny(id.V, "/\\") || strings.HasPrefix(id.V, ".") || im.Open == nil {
		return tree{}, source, false
	}
	for _, folder := range folders {
		shown, content, err := im.Open(folder + "/" + id.V + "/SKILL.md")
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			if im.Once("skill " + id.V) {
				im.Error("GG364", id.Pos, "the skill "+yamlread.Quote(id.V)+" cannot be read: "+err.Error(), "")
			}
			return tree{}, source, true
		}
		body := strings.ReplaceAll(strings.ToValidUTF8(string(content), "\ufffd"), "\r\n", "\n")
		source = draft.Source{Text: strings.TrimSpace(body), Pos: id.Pos, From: shown}
		rest, hasHead := strings.CutPrefix(body, "---\n")
		text, after, closed := strings.Cut(rest, "\n---\n")
		if !hasHead || !closed {
			return tree{}, source, true
		}
		source.Text = strings.TrimSpace(after)
		head, ok := spec.ParseTree(text)
		if !ok && im.Once("head "+id.V) {
			im.Warn("GG358", id.Pos, "the head of "+shown+" is left out: it cannot be read", "")
		}
		return head, source, true
	}
	return tree{}, source, false
}

// skillFile returns the instruction of a skill that is beside the file.
func (im *importer) skillFile(id text) (draft.Source, bool) {
	head, source, found := im.skillText(id)
	if found && im.Once("skill "+id.V) {
		if source.From != "" {
			im.Note("GG359", id.Pos, "the skill "+yamlread.Quote(id.V)+" is that of "+source.From+", whose text is in the graph", "")
		}
		if mcp := head.Get("mcp"); mcp != nil {
			im.server(id.V, mcp, id.Pos)
		}
	}
	return source, found
}

// server declares the server of a skill.
func (im *importer) server(id string, mcp *tree, pos draft.Pos) {
	keys, env := draft.Table{}, yamlread.ListTree(pos)
	if e := mcp.Get("env"); e != nil && e.Kind == yamlread.Map {
		names := map[string]bool{}
		for i := range len(e.Items) / 2 {
			key, _ := e.Key(i)
			names[key.V] = true
		}
		for _, name := range slices.Sorted(maps.Keys(names)) {
			env.Items = append(env.Items, draft.Text(name, pos))
		}
	}
	command, address := mcp.Get("command"), mcp.Get("url")
	lost := func(key, why string) {
		im.Warn("GG357", pos, "the server of skill "+yamlread.Quote(id)+" is declared without "+key+": "+why,
			"give the token of the server by the variable that bearer names, or connect the server in Go with contrib/mcp")
	}
	switch {
	case !goname.Valid(id) || command == nil && address == nil:
		im.Warn("GG357", pos,
			"the server of skill "+yamlread.Quote(id)+" is left out: it has neither a command nor a url, or its name is none that "+
				"tools can begin with", "connect it in Go with contrib/mcp, and give its tools to the machine: nodes with inject_tools have them")
		return
	case command != nil:
		list := yamlread.ListTree(command.Pos, command.AsList()...)
		if args := mcp.Get("args"); args != nil {
			list.Items = append(list.Items, args.AsList()...)
		}
		keys.Set("command", list)
		if len(env.Items) > 0 {
			keys.Set("env", env)
		}
	default:
		keys.Set("url", *address)
		if len(env.Items) > 0 {
			lost("env", "a server with a url gets no variables")
		}
		if mcp.Get("headers") != nil {
			lost("headers", "a spec holds no values of secrets")
		}
	}
	im.d.MCP.Put(text{V: id, Pos: pos}, keys.Tree(pos))
	im.Note("GG359", pos, "a run needs a toolbox with the server "+yamlread.Quote(id)+", which the graph declares under mcp",
		"mcp.Start of contrib/mcp starts the servers of a graph")
}

// nodeTools gives a node the tools of its skills that no group brings.
func (im *importer) nodeTools(n *node, d *draft.Node) {
	tools, flag := false, false
	for _, id := range n.skills {
		tools = im.hasTools(id) || tools
		flag = flag || im.hasTools(id) && !im.brings(id.V)
	}
	filter := func(key, as string) {
		list := n.tools.Get(key)
		if list == nil {
			return
		}
		names := yamlread.ListTree(list.Pos)
		for _, t := range list.AsList() {
			if t.Kind == yamlread.Text && t.Text != "" {
				names.Items = append(names.Items, draft.Text(t.Text, t.Pos))
			}
		}
		d.Keys.Set(as, names)
	}
	switch {
	case tools:
		if flag {
			d.Flag("inject_tools", n.name.Pos)
		}
		filter("allow", "allow_tools")
		filter("deny", "deny_tools")
		im.turns[d.Name.V] = defaultTurns
		if n.maxTurns.IsSet() {
			im.turns[d.Name.V] = n.maxTurns.V
		}
	default:
		if n.tools.Pos.IsSet() {
			im.Note("GG357", n.tools.Pos, "tools is left out: the node has none", "")
		}
		if n.maxTurns.IsSet() {
			im.Note("GG357", n.maxTurns.Pos, "max_turns is left out: a node without tools has one turn", "")
		}
	}
}

// deny removes from deny_tools what the graph declares, for an eval of some node: it is not a tool of the others.
func (im *importer) deny() {
	for _, n := range im.d.Nodes {
		denied := n.Keys.Get("deny_tools")
		if denied == nil {
			continue
		}
		denied.Items = slices.DeleteFunc(denied.Items, func(t tree) bool { return im.d.Tools.Get(t.Text) != nil })
		if len(denied.Items) == 0 {
			n.Keys = slices.DeleteFunc(n.Keys, func(e draft.Entry) bool { return e.Key.V == "deny_tools" })
		}
	}
}
