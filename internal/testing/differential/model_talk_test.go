package differential

import (
	"fmt"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/testing/scriptdriver"
	"github.com/graphgen/graphgen/spec"
)

// Messages are a conversation of the state.
type messages = []scriptdriver.Message

// A talks is what conversations of the state need besides the state.
type talks struct {
	owes  map[string]string   // by node: the last of its calls that another node has run, up to its answer
	alone map[string]messages // by node that is shown nothing else: its turn, with the results of the calls that it has left
}

// A turn is what a node and its model say to each other from the user's turn on.
type turn struct {
	request messages // what the model is shown; of a node without a conversation of the state, its own messages alone
	kept    messages // what the conversation gets of it
	answer  int      // how long kept was before the answer
	failed  bool     // the prompt was not written
	mark    [2]int   // how long both were when the attempt began
}

// add adds a message to the request and to what is kept.
func (t *turn) add(list ...scriptdriver.Message) {
	t.request, t.kept = slices.Concat(t.request, list), slices.Concat(t.kept, list)
}

// unkept adds a message to the request alone.
func (t *turn) unkept(role chat.Role, text string) {
	t.request = slices.Concat(t.request, messages{{Role: role, Text: text}})
}

// back forgets what was said since the mark.
func (t *turn) back() { t.request, t.kept = t.request[:t.mark[0]], t.kept[:t.mark[1]] }

func (t *turn) marked() { t.mark = [2]int{len(t.request), len(t.kept)} }

// refuse takes back the answer, and has the model hear why.
func (t *turn) refuse(feedback []string) {
	t.kept = t.kept[:t.answer]
	t.unkept(chat.RoleUser, "The answer was not accepted: "+strings.Join(feedback, "; ")+". Answer again.")
	t.marked()
}

// keeps reports whether a node appends its turns to a conversation.
func (n *nodeShape) keeps() bool {
	return n.kind == "prompt" && n.talk != "" && !n.has("no_history")
}

// begun makes the messages before the first answer. heard reports whether they end with what tools gave for
// the node's calls, of which only the transcript of the run knows.
func (m *model) begun(v *visit, t *turn, heard bool) *problem {
	said := m.userTurn(v)
	if v.talk == "" {
		if said.Text == "" {
			said.Text = "Go on."
		}
		if !heard {
			t.request = messages{said}
		}
		return nil
	}
	before := m.state[v.talk].(messages)
	if p := invalid(before); p != nil {
		return p
	}
	if own, ok := m.alone[v.Name.V]; ok {
		delete(m.alone, v.Name.V)
		t.request = own
		return nil
	}
	shown, replies := m.shownOf(v, before)
	t.request = retold(shown, v.tools)
	if replies {
		return nil
	}
	if said.Text != "" {
		t.kept = messages{said}
	}
	if text := strings.Join(m.reminders(), ""); text != "" {
		said.Text = strings.TrimRight(joinParts(said.Text, text), "\n")
	}
	last := len(t.request) - 1
	switch {
	case said.Text == "" && last >= 0 && t.request[last].Role == chat.RoleUser:
		return nil
	case said.Text == "":
		said.Text = "Follow the instructions."
	}
	t.request = append(slices.Clip(t.request), said)
	return nil
}

// invalid is the failure of a node whose conversation has a message that can be no part of one.
func invalid(list messages) *problem {
	for i, x := range list {
		why := ""
		switch {
		case x.Role == chat.RoleSystem:
			why = "is no message of a user, the assistant or a tool"
		case x.Role != chat.RoleTool && x.Text == "" && len(x.Calls)+len(x.Media) == 0:
			why = "is empty"
		default:
			continue
		}
		return &problem{text: fmt.Sprintf("*errors.errorString(message %d of the conversation %s)", i+1, why)}
	}
	return nil
}

// shownOf is what a node is shown of a conversation, and whether that ends with the results of its own calls.
func (m *model) shownOf(v *visit, all messages) (shown messages, replies bool) {
	last := len(all) - 1
	replies = last >= 0 && m.owes[v.Name.V] != "" && all[last].Role == chat.RoleTool && all[last].Call == m.owes[v.Name.V]
	scoped := v.Prompt.Context.V == "scoped"
	if scoped && !replies {
		return nil, false
	}
	users := func(x scriptdriver.Message) bool { return x.Role == chat.RoleUser }
	if shown = all; scoped {
		shown = nil
	}
	if most := v.Prompt.MaxMessages.V; most > 0 && len(all) > most && !scoped {
		shown = all[len(all)-most:]
		for len(shown) > 0 && shown[0].Role == chat.RoleTool { // its call is not shown
			shown = shown[1:]
		}
		at := slices.IndexFunc(shown, users)
		for back := len(all) - len(shown) - 1; at < 0 && len(shown) > 0 && back >= 0; back-- { // the last turn is longer, and shown whole
			if users(all[back]) {
				shown, at = all[back:], 0
			}
		}
		shown = shown[max(at, 0):]
	}
	needed := len(all) // whatever has room
	for replies && needed > 0 && all[needed-1].Role == chat.RoleTool {
		needed--
	}
	if needed > 0 && (replies || all[needed-1].Role == chat.RoleUser) {
		needed--
	}
	for i := needed; replies && i >= 0; i-- { // back to the user's turn
		if users(all[i]) {
			needed = i
			break
		}
	}
	if len(all)-needed > len(shown) {
		shown = all[needed:]
	}
	return shown, replies
}

// retold is a conversation for a model with these tools: calls of others, and those without their results, are texts.
func retold(list messages, tools []string) messages {
	var out messages
	for len(list) > 0 {
		end := 1
		for end < len(list) && list[end].Role == chat.RoleTool {
			end++
		}
		if known(list[:end], tools) {
			out = append(out, list[:end]...)
		} else {
			out = append(out, words(list[:end])...)
		}
		list = list[end:]
	}
	return out
}

// known reports whether a message has a result for each of its calls, in their order, of tools that there are.
func known(group messages, tools []string) bool {
	first, results := group[0], group[1:]
	if first.Role == chat.RoleTool || len(first.Calls) != len(results) {
		return false
	}
	for i, c := range first.Calls {
		if results[i].Call != c.ID || !slices.Contains(tools, c.Name) {
			return false
		}
	}
	return true
}

// words is a message and the results behind it without calls.
func words(group messages) messages {
	arguments := map[string]string{}
	for _, c := range group[0].Calls {
		arguments[c.ID] = c.Arguments
	}
	var out messages
	for _, x := range group {
		switch {
		case x.Role == chat.RoleTool:
			text := x.Text
			if x.Failed && strings.HasPrefix(arguments[x.Call], "{") {
				text = scriptdriver.Failed
			}
			out = append(out, scriptdriver.Message{Role: chat.RoleUser, Text: x.Name + arguments[x.Call] + ": " + text, Media: x.Media})
		case x.Text != "":
			x.Calls = nil
			out = append(out, x)
		}
	}
	return out
}

// reminders are what guards have said of an answer before, as a new prompt has it.
func (m *model) reminders() (lines []string) {
	for _, text := range m.feedback {
		lines = append(lines, "An answer was not accepted: "+text+"\n")
	}
	return lines
}

// userTurn is the user's turn of a node: what it reads in fences, and its message. The feedback of guards is in that of
// a node without a conversation.
func (m *model) userTurn(v *visit) scriptdriver.Message {
	turn := scriptdriver.Message{Role: chat.RoleUser}
	var b strings.Builder
	for _, f := range v.fenced {
		value := m.state[f.name]
		if value == nil {
			continue
		}
		b.WriteString(fenced(f.name, f.shape, value, attached(&turn)))
	}
	message := strings.Trim(m.filled(v.Prompt.Message.V), "\n")
	behind := ""
	if v.talk == "" {
		behind = strings.Join(m.reminders(), "")
	}
	if b.Len()+len(behind) == 0 {
		turn.Text = message
		return turn
	}
	turn.Text = strings.TrimRight(b.String()+joinParts(message, behind), "\n")
	return turn
}

// fenced is a value that a model is shown, under its name.
func fenced(name string, s shape, value any, one func(chat.Media) mediaDoc) string {
	kind, text := "json", ""
	switch {
	case s.base == "string":
		kind, text = "", value.(string)
	default:
		text = jsonText(shownJSON(s, value, one))
	}
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return name + ":\n" + fence + kind + "\n" + text + "\n" + fence + "\n\n"
}

// joinParts is a part of the user's turn, if it says anything, and what follows.
func joinParts(part, rest string) string {
	if part == "" {
		return rest
	}
	return part + "\n\n" + rest
}

// isMedia reports whether a type is an image, a PDF or audio, or a list of them.
func (s shape) isMedia() bool { return mimeTypes[strings.TrimPrefix(s.base, "[]")] != "" }

// mimeTypes are the types of the media of scripts, by the type in the spec.
var mimeTypes = map[string]string{"image": "image/png", "pdf": "application/pdf", "audio": "audio/mpeg"}

// media are the media that a value is, each with its type.
func (s shape) media(value any) []chat.Media {
	list, ok := value.([]string)
	if !ok {
		list = []string{value.(string)}
	}
	var out []chat.Media
	for _, data := range list {
		out = append(out, chat.Media{Type: mimeTypes[strings.TrimPrefix(s.base, "[]")], Data: []byte(data)})
	}
	return out
}

// A mediaDoc is the JSON of media.
type mediaDoc struct {
	Type       string `json:"type"`
	Attachment int    `json:"attachment,omitempty"`
	Bytes      int    `json:"bytes,omitempty"`
}

// A messageDoc is the JSON of a message.
type messageDoc struct {
	Role   string     `json:"role"`
	Text   string     `json:"text,omitempty"`
	Media  []mediaDoc `json:"media,omitempty"`
	Calls  []callDoc  `json:"calls,omitempty"`
	Call   string     `json:"call,omitempty"`
	Name   string     `json:"name,omitempty"`
	Failed bool       `json:"failed,omitempty"`
}

type callDoc struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// brief is what a judge is shown in place of media.
func brief(media chat.Media) mediaDoc { return mediaDoc{Type: media.Type, Bytes: len(media.Data)} }

// attached attaches media to a message, and returns what its text has in their place.
func attached(to *scriptdriver.Message) func(chat.Media) mediaDoc {
	return func(media chat.Media) mediaDoc {
		to.Media = append(to.Media, media)
		return mediaDoc{Type: media.Type, Attachment: len(to.Media)}
	}
}

func mediaJSON(list []chat.Media, one func(chat.Media) mediaDoc) []mediaDoc {
	out := []mediaDoc{}
	for _, media := range list {
		out = append(out, one(media))
	}
	return out
}

// messagesJSON is a conversation as JSON.
func messagesJSON(list messages, one func(chat.Media) mediaDoc) []messageDoc {
	out := []messageDoc{}
	for _, x := range list {
		doc := messageDoc{Role: x.Role.String(), Text: x.Text, Media: mediaJSON(x.Media, one), Call: x.Call, Name: x.Name, Failed: x.Failed}
		for _, c := range x.Calls {
			doc.Calls = append(doc.Calls, callDoc{c.ID, c.Name, c.Arguments})
		}
		out = append(out, doc)
	}
	return out
}

// talked appends the turn of a prompt that has answered to its conversation.
func (m *model) talked(v *visit) {
	if v.asks && !v.cached && v.keeps() {
		m.append(v.talk, m.dialogs[v.Name.V].turn.kept)
		m.owes[v.Name.V] = ""
	}
}

// append appends to a conversation.
func (m *model) append(name string, list messages) {
	m.state[name] = slices.Concat(m.state[name].(messages), list)
}

// ranCalls appends the turn of a node up to the calls that it has left, and what they gave.
func (m *model) ranCalls(l *left) {
	n := m.node(l.by)
	if n.talk == "" {
		return
	}
	results := l.results(l.given)
	if n.keeps() {
		m.append(n.talk, slices.Concat(l.turn.kept, results))
		m.owes[l.by] = results[len(results)-1].Call
	}
	if n.Prompt.Context.V == "scoped" {
		m.alone[l.by] = slices.Concat(l.turn.request, results)
	}
}

// results are the messages of tools for the calls with which a turn ended.
func (l *left) results(given []toolResult) messages {
	return toolMessages(l.turn.request[len(l.turn.request)-1], given)
}

// toolMessages are the results of a message's calls.
func toolMessages(asked scriptdriver.Message, given []toolResult) messages {
	var out messages
	for i, r := range given {
		out = append(out, scriptdriver.Message{Role: chat.RoleTool, Text: r.text, Name: r.tool, Call: asked.Calls[i].ID, Failed: r.failed()})
	}
	return out
}

// spoken is the answer of a model as a message.
func spoken(e scriptdriver.Entry, text string) scriptdriver.Message {
	return scriptdriver.Message{Role: chat.RoleAssistant, Text: answerText(e, text), Calls: e.Requested(text)}
}

// shownTo is what the model of a node is shown, besides the system prompt.
func (d *dialog) shownTo(v *visit, heard []toolResult) string {
	if v.talk != "" {
		return fmt.Sprintf(" shown %v", d.turn.request)
	}
	shown := counted(" said ", d.before+d.said) + listed(" heard ", heard)
	if last := len(d.turn.request) - 1; last >= 0 && d.turn.request[last].Role == chat.RoleUser && !d.turn.request[last].IsRepair() {
		shown += fmt.Sprintf(" turn %v", d.turn.request[last])
	}
	return shown
}

// fencedFields are what a node reads and no placeholder names.
func (s *shapes) fencedFields(n *spec.Node) []field {
	var out []field
	for _, f := range s.pick(n.Reads) {
		if tag := "{{" + f.name + "}}"; !strings.Contains(n.Prompt.Instructions.V, tag) && !strings.Contains(n.Prompt.Message.V, tag) {
			out = append(out, f)
		}
	}
	return out
}
