package pipeline

import (
	"slices"
	"testing"

	"github.com/graphgen/graphgen/chat"
)

// spoken is a conversation with a call and its result, and reasoning of two models.
func spoken() []chat.Message {
	return []chat.Message{
		chat.UserText("a"),
		{Role: chat.RoleAssistant, Text: "b", Reasoning: []chat.Reasoning{{Text: "hm", Opaque: "large's"}}, Voice: "large"},
		chat.UserText("c"),
		{Role: chat.RoleAssistant, Calls: []chat.ToolCall{{ID: "1", Name: "f", Opaque: "default's"}}},
		{Role: chat.RoleTool, Call: "1", Name: "f", Text: "d"},
		{Role: chat.RoleAssistant, Text: "e"},
	}
}

// opaque lists what is opaque in messages.
func opaque(messages []chat.Message) (list []string) {
	for _, m := range messages {
		for _, r := range m.Reasoning {
			list = append(list, r.Opaque)
		}
		for _, c := range m.Calls {
			list = append(list, c.Opaque)
		}
	}
	return list
}

func TestHeard(t *testing.T) {
	for voice, want := range map[string][]string{
		"": {"", "default's"}, "large": {"large's", ""}, ":lightweight": {"", ""},
	} {
		all := spoken()
		if got := opaque(readable(voice, all)); !slices.Equal(got, want) {
			t.Errorf("the voice %q is sent %q, want %q", voice, got, want)
		}
		if got := opaque(all); !slices.Equal(got, []string{"large's", "default's"}) {
			t.Errorf("the conversation itself has become %q", got)
		}
	}
}

func TestKeptVoice(t *testing.T) {
	for _, c := range []struct {
		node Node
		want []string // of the messages
	}{
		{Node{}, []string{"", "", ""}},
		{Node{Model: "large"}, []string{"", "large", ""}},
		{Node{Light: true}, []string{"", ":lightweight", ""}},
	} {
		d := Transcript{node: &c.node, messages: messages{user: []chat.Message{chat.UserText("a")}, from: 1}}
		var got []string
		for _, m := range d.addition(
			[]chat.Message{chat.UserText("a, with a reminder"), {Role: chat.RoleAssistant, Reasoning: []chat.Reasoning{{Opaque: "o"}}},
				{Role: chat.RoleAssistant, Text: "b"}}) {
			got = append(got, m.Voice)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("the voices of model %q, lightweight %v are %q, want %q", c.node.Model, c.node.Light, got, c.want)
		}
	}
}

func TestCutTurns(t *testing.T) {
	for most, want := range map[int]int{1: 4, 2: 4, 3: 4, 4: 4, 5: 4, 6: 6, 7: 6} {
		if got := (Limits{Messages: most}).cutTurns(spoken()); len(got) != want {
			t.Errorf("of %d messages %d are shown, want %d", most, len(got), want)
		}
	}
}

// TestWindows holds that each window of each conversation of up to six messages begins with a user's message, unless there is none,
// that it is the end of the conversation, and that it has no result without its call.
func TestWindows(t *testing.T) {
	user, said := chat.UserText("u"), chat.Message{Role: chat.RoleAssistant, Text: "a"}
	call := chat.Message{Role: chat.RoleAssistant, Calls: []chat.ToolCall{{ID: "c", Name: "f"}}}
	result := chat.Message{Role: chat.RoleTool, Call: "c", Text: "r"}
	windows := 0
	var grow func(list []chat.Message)
	grow = func(list []chat.Message) {
		hasUser := slices.ContainsFunc(list, func(m chat.Message) bool { return m.Role == chat.RoleUser })
		for most := 1; most <= len(list); most++ {
			windows++
			got := (Limits{Messages: most}).cutTurns(list)
			switch {
			case len(got) == len(list), len(got) == 0: // all of it; a result whose call has no room
			case got[0].Role != chat.RoleUser && (hasUser || got[0].Role == chat.RoleTool):
				t.Errorf("of %v the last %d begin with %v", list, most, got)
			case &got[len(got)-1] != &list[len(list)-1]:
				t.Errorf("of %v the last %d are not its end", list, most)
			}
		}
		if len(list) >= 6 {
			return
		}
		for _, next := range [][]chat.Message{{user}, {said}, {call, result}, {call, result, result}} {
			grow(append(slices.Clip(list), next...))
		}
	}
	grow(nil)
	t.Logf("%d windows", windows)
}

func TestUnanswered(t *testing.T) {
	for name, c := range map[string]struct {
		messages []chat.Message
		replies  bool
		want     int
	}{
		"nothing":              {nil, false, 0},
		"an answer":            {spoken(), false, 0},
		"the user's turn":      {spoken()[:3], false, 1},
		"the node's own calls": {spoken()[:5], true, 3},
		"own calls of no user": {spoken()[3:5], true, 2},
	} {
		conversation := Conversation{messages: c.messages}
		if got := conversation.unanswered(c.replies); len(got) != c.want {
			t.Errorf("%s: %d messages are needed, want %d", name, len(got), c.want)
		}
	}
}

func TestTurnIsTakenOnce(t *testing.T) {
	c := Conversation{addition: addition{"chat", []chat.Message{chat.UserText("a")}}}
	if got := c.Turn("aside"); got != nil {
		t.Errorf("another conversation has the turn %v", got)
	}
	before := make([]chat.Message, 1, 8)
	longer := c.Continue("chat", before)
	if len(longer) != 2 || &longer[0] == &before[0] {
		t.Errorf("%d messages, in the array of those before: %v", len(longer), &longer[0] == &before[0])
	}
	if again := c.Continue("chat", longer); len(again) != 2 {
		t.Errorf("the turn is there twice: %v", again)
	}
}

// TestContinueRefuses holds that a conversation which callers made up cannot bring instructions of its own, or
// messages that providers refuse.
func TestContinueRefuses(t *testing.T) {
	for _, c := range []struct {
		message chat.Message
		want    string
	}{
		{chat.UserText("hello"), ""},
		{chat.Message{Role: chat.RoleTool, Call: "1", Name: "look"}, ""},
		{chat.Message{Role: chat.RoleUser, Media: []chat.Media{{Type: "image/png"}}}, ""},
		{chat.Message{Role: chat.RoleSystem, Text: "obey"}, "message 2 of the conversation is no message of a user, the assistant or a tool"},
		{chat.Message{Text: "who?"}, "message 2 of the conversation is no message of a user, the assistant or a tool"},
		{chat.Message{Role: chat.RoleAssistant}, "message 2 of the conversation is empty"},
	} {
		var p Prompt
		p.Continue([]chat.Message{chat.UserText("first"), c.message})
		got := ""
		if p.err != nil {
			got = p.err.Error()
		}
		if got != c.want {
			t.Errorf("of %+v the error is %q, want %q", c.message, got, c.want)
		}
	}
}

func TestRest(t *testing.T) {
	before := spoken()[:3]
	longer := append(spoken()[:3], chat.UserText("new"))
	for name, c := range map[string]struct {
		conversation []chat.Message
		want         int
	}{
		"as it was":                 {before, 0},
		"longer":                    {longer, 1},
		"shorter":                   {before[1:], 2},
		"empty":                     {nil, 0},
		"with another message":      {append([]chat.Message{chat.UserText("b")}, longer[1:]...), 4},
		"with another order":        {append([]chat.Message{longer[2], longer[1], longer[0]}, longer[3]), 4},
		"with other reasoning":      {append([]chat.Message{longer[0], longer[1].Plain()}, longer[2:]...), 4},
		"of what was there no more": {[]chat.Message{chat.UserText("all of it")}, 1},
	} {
		if got := Rest(c.conversation, before); len(got) != c.want {
			t.Errorf("of a conversation %s, %d messages are the rest, want %d", name, len(got), c.want)
		}
	}
}

// TestLedgerOfMedia holds that a ledger, which has no media, says so: the numbers in its texts are those of media
// that its message does not have.
func TestLedgerOfMedia(t *testing.T) {
	photo := []chat.Media{{Type: "image/png", Data: []byte("a")}}
	said := []chat.Message{
		{Role: chat.RoleUser, Text: `photo: {"attachment":1}`, Media: photo},
		{Role: chat.RoleUser, Media: photo},
		{Role: chat.RoleAssistant, Calls: []chat.ToolCall{{ID: "1", Name: "chart", Arguments: "{}"}}},
		{Role: chat.RoleTool, Call: "1", Name: "chart", Text: `[{"attachment":1},{"attachment":2}]`, Media: append(photo, photo...)},
		{Role: chat.RoleAssistant, Text: "seen"},
	}
	const chart = `- chart{}: [{"attachment":1},{"attachment":2}] (2 attachments left out)` + "\n"
	for stored, want := range map[bool]string{
		true:  ledgerTitle + `- user: photo: {"attachment":1} (1 attachment left out)` + "\n- user: (1 attachment left out)\n" + chart + "- assistant: seen",
		false: ledgerTitle + chart + "- look: seen",
	} {
		c := Conversation{messages: said, stored: stored}
		if !stored {
			c.passages = []passage{{end: len(said), node: "look"}}
		}
		if got := c.ledger(Limits{}); len(got) != 1 || got[0].Text != want || got[0].Media != nil {
			t.Errorf("the ledger is\n%+v\nwant\n%s", got, want)
		}
	}
}

// TestContinued holds what a node is sent of its conversation, as the texts of the messages.
func TestContinued(t *testing.T) {
	tools := []chat.ToolSpec{{Name: "f"}}
	asked, answered := spoken()[:3], spoken()[:5]
	ledger := "What is known so far:\n- user: a\n- assistant: b\n- user: c"
	for name, c := range map[string]struct {
		node     Node
		messages []chat.Message
		owes     string
		want     []string
		replies  bool
	}{
		"all of it":                                 {Node{}, asked, "", []string{"a", "b", "c"}, false},
		"results of its own calls":                  {Node{}, answered, "1", []string{"a", "b", "c", "", "d"}, true},
		"results of calls of another":               {Node{}, answered, "2", []string{"a", "b", "c", "", "d"}, false},
		"as a ledger":                               {Node{Scope: Ledger}, asked, "", []string{ledger}, false},
		"as a ledger, but results of its own calls": {Node{Scope: Ledger}, answered, "1", []string{"a", "b", "c", "", "d"}, true},
		"as a ledger, with results of another's":    {Node{Scope: Ledger}, answered, "", []string{ledger + "\n- f: d"}, false},
		"as long as there is room":                  {Node{Scope: Fitted, History: Limits{Tokens: 100}}, asked, "", []string{"a", "b", "c"}, false},
		"a ledger where there is no room": {Node{Scope: Fitted, History: Limits{Tokens: 20}}, spoken(), "",
			[]string{ledger + "\n- f: d\n- assistant: e"}, false},
		"its end":                                       {Node{History: Limits{Messages: 2}}, asked, "", []string{"c"}, false},
		"the user's turn, whatever its size":            {Node{History: Limits{Tokens: 1}}, asked, "", []string{"c"}, false},
		"its own calls, whatever their size":            {Node{History: Limits{Tokens: 1}}, answered, "1", []string{"c", "", "d"}, true},
		"its own calls alone":                           {Node{Scope: Scoped}, answered, "1", []string{"c", "", "d"}, true},
		"nothing":                                       {Node{Scope: Scoped}, asked, "", nil, false},
		"nothing of what another has called":            {Node{Scope: Scoped}, answered, "", nil, false},
		"an answer, where there is no room":             {Node{History: Limits{Tokens: 1}}, spoken(), "", nil, false},
		"calls of tools that it does not have, as text": {Node{Specs: []chat.ToolSpec{}}, answered, "1", []string{"a", "b", "c", "f: d"}, true},
	} {
		offered := tools
		if c.node.Specs != nil {
			offered = nil
		}
		d := Transcript{node: &c.node, past: past{repliedTo: c.owes}}
		d.prompt.Continue(c.messages)
		before, replies := d.earlierOfState(offered)
		var got []string
		for _, m := range before {
			got = append(got, m.Text)
		}
		if !slices.Equal(got, c.want) || replies != c.replies {
			t.Errorf("a node is sent %s: %q, and they end with its own results: %v", name, got, replies)
		}
		if o := opaque(before); slices.Contains(o, "large's") {
			t.Errorf("a node is sent %s, with what is opaque to its model: %q", name, o)
		}
	}
}
