package workflow

import (
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/dialect/draft"
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
		im.Warn("GG363", id.Pos, "the skill "+yamlread.Quote(id.V)+" is not in the file, and its tools are not known: the node is given all tools that the machine has at run time", "give them to the machine, as those of a server of MCP by contrib/mcp; allow_tools names those of the node")
	}
	return source
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

// skillText reads the SKILL.md of a skill: its head, and the text behind it.
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

// server reports a server of MCP.
func (im *importer) server(id string, mcp *tree, pos draft.Pos) {
	var parts []string
	for _, key := range []string{"command", "args", "url"} {
		if v := mcp.Get(key); v != nil {
			parts = append(parts, v.Flow())
		}
	}
	how := strings.Join(parts, " ")
	env := map[string]bool{}
	if e := mcp.Get("env"); e != nil && e.Kind == yamlread.Map {
		for i := range len(e.Items) / 2 {
			key, _ := e.Key(i)
			env[key.V] = true
		}
	}
	comment := "The skill " + id + " has a server of MCP: " + how + "."
	if len(env) > 0 {
		comment += " It needs the variables " + strings.Join(slices.Sorted(maps.Keys(env)), ", ") + "."
	}
	im.d.Comments = append(im.d.Comments, comment+" Connect it in Go, with contrib/mcp.")
	im.Warn("GG357", pos, "the server of skill "+yamlread.Quote(id)+" is left out: a spec declares no servers", "connect it in Go with contrib/mcp, and give its tools to the machine: nodes with inject_tools have them")
}

// nodeTools gives a node the tools of its skills.
func (im *importer) nodeTools(n *node, d *draft.Node) {
	tools := false
	for _, id := range n.skills {
		tools = im.hasTools(id) || tools
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
		d.Flag("inject_tools", n.name.Pos)
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

// deny removes from deny_tools what the graph declares, for an eval of some node: it is no tool of the others.
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
