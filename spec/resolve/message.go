package resolve

import (
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/goname"
)

// ChatPath is the import path of the package with the types of messages.
const ChatPath = "github.com/graphgen/graphgen/chat"

// ofChat returns a struct of package chat, with its fields in JSON and their Go names.
func ofChat(name, goName string, fields ...*Field) *Type {
	return &Type{Kind: Message, Name: name, GoName: goName, Import: ChatPath, Qualifier: goname.Chat, Fields: fields}
}

func chatField(name, goName string, t *Type) *Field {
	return &Field{Spec: new(spec.Field), Name: name, GoName: goName, Type: t}
}

// messageType is chat.Message. Package chatjson has its JSON.
var messageType = ofChat("message", "Message",
	chatField("role", "Role", &Type{Kind: Enum, Name: "role", GoName: "Role", Import: ChatPath, Qualifier: goname.Chat, Values: []EnumValue{
		{Name: "user", Const: "RoleUser"}, {Name: "assistant", Const: "RoleAssistant"}, {Name: "tool", Const: "RoleTool"},
		{Name: "system", Const: "RoleSystem"},
	}}),
	chatField("text", "Text", &Type{Kind: String}),
	chatField("media", "Media", &Type{Kind: List, Elem: ofChat("media", "Media",
		chatField("type", "Type", &Type{Kind: String}), chatField("url", "URL", &Type{Kind: String}),
		chatField("data", "Data", &Type{Kind: Bytes}), chatField("name", "Name", &Type{Kind: String}))}),
	chatField("calls", "Calls", &Type{Kind: List, Elem: ofChat("tool call", "ToolCall",
		chatField("id", "ID", &Type{Kind: String}), chatField("name", "Name", &Type{Kind: String}),
		chatField("arguments", "Arguments", &Type{Kind: String}), chatField("opaque", "Opaque", &Type{Kind: String}))}),
	chatField("reasoning", "Reasoning", &Type{Kind: List, Elem: ofChat("reasoning", "Reasoning",
		chatField("text", "Text", &Type{Kind: String}), chatField("opaque", "Opaque", &Type{Kind: String}),
		chatField("hidden", "Hidden", &Type{Kind: Bool}))}),
	chatField("voice", "Voice", &Type{Kind: String}),
	chatField("call", "Call", &Type{Kind: String}),
	chatField("name", "Name", &Type{Kind: String}),
	chatField("failed", "Failed", &Type{Kind: Bool}),
)

// IsConversation reports whether values of the type are conversations: []chat.Message.
func (t *Type) IsConversation() bool { return t.Kind == List && t.Elem == messageType }

// bindHistory binds the conversation that a node continues.
func (g *Graph) bindHistory(n *Node) {
	if f := g.State.Field(n.Spec.Prompt.History.V); f != nil && f.Type.IsConversation() {
		n.History = f
		n.read(f)
	}
}

// Appends reports whether the turns of the node are appended to its conversation.
func (n *Node) Appends() bool {
	return n.History != nil && n.Kind.By == spec.ByModel && !n.Has(spec.NoHistory)
}

// bindAnswered binds the conversations to which a node appends the calls that it runs, with their
// results: the conversations of the nodes that leave their calls to others.
func (g *Graph) bindAnswered(n *Node) {
	seen := map[*Field]bool{}
	for _, asker := range g.All() {
		if f := asker.History; asker.Defers && asker.Appends() && !seen[f] {
			seen[f] = true
			n.read(f)
			n.Writes = append(n.Writes, Write{To: f, Turn: true, Name: spec.String{V: f.Name, Pos: n.Spec.Name.Pos}})
		}
	}
}
