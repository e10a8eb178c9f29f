package pipeline

import (
	"slices"
	"testing"

	"github.com/graphgen/graphgen/runtime/chat"
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
		if got := opaque(heard(voice, all)); !slices.Equal(got, want) {
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
		d := Dialog{node: &c.node, user: chat.UserText("a"), from: 1}
		var got []string
		for _, m := range d.turn([]chat.Message{chat.UserText("a, with a reminder"), {Role: chat.RoleAssistant, Reasoning: []chat.Reasoning{{Opaque: "o"}}}, {Role: chat.RoleAssistant, Text: "b"}}) {
			got = append(got, m.Voice)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("the voices of model %q, lightweight %v are %q, want %q", c.node.Model, c.node.Light, got, c.want)
		}
	}
}

func TestCutTurns(t *testing.T) {
	for most, want := range map[int]int{1: 1, 2: 1, 3: 3, 4: 4, 5: 4, 6: 6, 7: 6} {
		all := spoken()
		got := Limits{Messages: most}.cutTurns(all)
		if len(got) != want {
			t.Errorf("of %d messages %d are shown, want %d", most, len(got), want)
		}
		if len(got) > 0 && got[0].Role == chat.RoleTool {
			t.Errorf("of %d messages the first is a result without its call", most)
		}
	}
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
		"the node's own calls": {spoken()[:5], true, 2},
	} {
		conversation := Conversation{messages: c.messages}
		if got := conversation.unanswered(c.replies); len(got) != c.want {
			t.Errorf("%s: %d messages are needed, want %d", name, len(got), c.want)
		}
	}
}

func TestTurnIsTakenOnce(t *testing.T) {
	c := Conversation{turn: turn{"chat", []chat.Message{chat.UserText("a")}}}
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
