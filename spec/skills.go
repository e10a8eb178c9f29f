package spec

import (
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec/yamlread"
)

// A Skill is an entry of the section skills: a skill group. Package template puts it in place where nodes name it, so it is
// kept as it was written.
type Skill struct {
	Name         String
	Pos          Pos
	Doc          String
	Instructions Text
	Tools        Tree // names of tools, or tools by name
	AllowTools   []String
	DenyTools    []String
	MCP          Tree // names of servers, or servers by name

	Unread  bool
	Written Tree
	Used    bool // a node or a template of the file names it
}

func (s *Skill) name() *String { return &s.Name }

var skillTable = table[Skill]{
	Name: "skill group", Noun: "a skill group",
	Doc: "An entry of `skills`: what a node gets that names it under `skills`. A node may name several, and each tool is there " +
		"once. `graphgen expand` prints the nodes with what they get.",
	Rows: yamlread.Rows([]row[Skill]{
		{Key{Name: "doc", Form: FormText, Doc: "What the group is for.",
			Foreign: remedies(instead("doc", "TEXT"), "description", "desc", "about")}, func(s *Skill) any { return &s.Doc }},
		{Key{Name: "instructions", Form: FormPrompt, Of: "text file", Doc: "How a model uses the tools: a block of the prompt, of the name of the group.",
			Foreign: remedies(instead("instructions", "TEXT"), "instruction", "prompt", "text")}, func(s *Skill) any { return &s.Instructions }},
		{Key{Name: "tools", Form: FormAny, Of: "tool", Example: "[search, open_page]",
			Doc: "Names of tools of the graph, or tools by name as in the section `tools` of a graph, which the graph gets. A " +
				"tool that the graph declares itself comes first."}, func(s *Skill) any { return &s.Tools }},
		{Key{Name: "allow_tools", Form: FormNames, Example: "[web_search, github_*]",
			Doc: "Tools known at run time that the model may call, as `allow_tools` of a node names them. The node gets the flag `inject_tools`."},
			func(s *Skill) any { return &s.AllowTools }},
		{Key{Name: "deny_tools", Form: FormNames, Example: "[github_delete_repository]",
			Doc: "Tools known at run time that the model may not call, whatever allows them."}, func(s *Skill) any { return &s.DenyTools }},
		{Key{Name: "mcp", Form: FormAny, Of: "mcp server", Example: "[github]",
			Doc: "Names of MCP servers of the graph, or servers by name as in the section `mcp` of a graph, which the graph " +
				"gets: the model may call all their tools. The node gets the flag `inject_tools`.",
			Foreign: remedies(instead("mcp", "[NAME]")+", of servers of the graph", "servers", "mcp_servers", "server")}, func(s *Skill) any { return &s.MCP }},
	}),
	Unread: func(s *Skill) *bool { return &s.Unread },
	Pos:    func(s *Skill) *Pos { return &s.Pos },
}

// readSkills reads the skills section.
func readSkills(r *reader, v *Tree, k *Key) []*Skill {
	list := yamlread.Entries(r, v, k, &skillTable, (*Skill).name)
	for _, s := range list {
		s.Written = *v.Get(s.Name.V)
	}
	return list
}

// TakesSkills reports whether nodes of a kind may name skill groups.
func TakesSkills(kind string) bool {
	for i := range nodeTable.Rows {
		if key := &nodeTable.Rows[i].Key; key.Name == "skills" {
			return slices.Contains(key.Kinds, kind)
		}
	}
	return false
}

// BothNames returns the name of the tools that two names under allow_tools or deny_tools have in common, and whether there are any.
func BothNames(a, b string) (both string, ok bool) {
	if NamesTool(a, b) {
		return b, true
	}
	return a, NamesTool(b, a)
}

// NamesTool reports whether a name under allow_tools or deny_tools names a tool. A * at its end is for the rest of the
// tool's name.
func NamesTool(name, tool string) bool {
	begin, open := strings.CutSuffix(name, "*")
	return name == tool || open && strings.HasPrefix(tool, begin)
}
