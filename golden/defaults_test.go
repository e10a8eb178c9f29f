package golden_test

import (
	"context"
	"reflect"
	"testing"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/golden/defaults"
)

type defaultLists struct{ defaults.DefaultListsHandlers }

func (defaultLists) Work(context.Context) (defaults.DefaultListsWorkOut, error) {
	return defaults.DefaultListsWorkOut{Tags: []string{"done"}}, nil
}

// TestDefaultsAreOfOneRun holds that a run has lists and maps of its own: what is done to the output of one is in no other.
func TestDefaultsAreOfOneRun(t *testing.T) {
	type tools struct{ defaults.DefaultListsTools }
	model := chat.ModelFunc(func(context.Context, *chat.Request, func(chat.Delta)) (*chat.Response, error) {
		return &chat.Response{Message: chat.Message{Role: chat.RoleAssistant, Text: `{"plan":{}}`}, Finish: chat.Stop}, nil
	})
	m := must(defaults.NewDefaultLists(defaultLists{}, tools{}, model))
	run := func() defaults.DefaultListsOutput { return must(m.Run(t.Context(), defaults.DefaultListsInput{})) }
	out, want := run(), run()
	out.Tags[0], out.Counts["one"], out.Rows[0][0], out.Groups["a"][0], out.Plan.Names[0], out.Plan.Levels["x"] = "other", 9, 9, "other", "other", 0
	if got := run(); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}
