package golden_test

import (
	"context"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/golden/branchby"
	"github.com/graphgen/graphgen/golden/conversation"
	"github.com/graphgen/graphgen/golden/judged"
	"github.com/graphgen/graphgen/golden/loopretry"
	"github.com/graphgen/graphgen/golden/mapping"
	"github.com/graphgen/graphgen/golden/media"
	"github.com/graphgen/graphgen/golden/mutationmodel"
	"github.com/graphgen/graphgen/golden/pool"
	"github.com/graphgen/graphgen/golden/processors"
	"github.com/graphgen/graphgen/golden/prompts"
	"github.com/graphgen/graphgen/golden/toolcalls"
	"github.com/graphgen/graphgen/golden/toolloop"
	"github.com/graphgen/graphgen/golden/toolreads"
	"github.com/graphgen/graphgen/internal/testing/marker"
)

// TestMarkerIsInNoSystemPrompt runs graphs with a marker in the input. A run ends where it needs a
// handler or a tool that the test does not have; what models were sent until then counts.
func TestMarkerIsInNoSystemPrompt(t *testing.T) {
	for name, run := range map[string]func(context.Context, chat.Model) (any, error){
		"placeholders": func(ctx context.Context, model chat.Model) (any, error) {
			return must(prompts.NewPrompts(model)).Run(ctx, prompts.PromptsInput{Topic: marker.Text, Hint: new(marker.Text)})
		},
		"reads": func(ctx context.Context, model chat.Model) (any, error) {
			return must(prompts.NewPromptReads(model)).Run(ctx, prompts.PromptReadsInput{Topic: marker.Text, Sources: []string{marker.Text}})
		},
		"blocks": func(ctx context.Context, model chat.Model) (any, error) {
			return must(prompts.NewPromptBlocks(model)).Run(ctx, prompts.PromptBlocksInput{Topic: marker.Text})
		},
		"processors": func(ctx context.Context, model chat.Model) (any, error) {
			return must(processors.NewInputValidator(model)).Run(ctx,
				processors.InputValidatorInput{Topic: marker.Text, Text: new(marker.Text), Sources: []string{marker.Text}})
		},
		"a summary": func(ctx context.Context, model chat.Model) (any, error) {
			return must(processors.NewStateSummarizer(model)).Run(ctx, processors.StateSummarizerInput{Text: strings.Repeat(marker.Text, 200)})
		},
		"a judge of edges": func(ctx context.Context, model chat.Model) (any, error) {
			type handlers struct{ judged.JudgedHandlers }
			return must(judged.NewJudged(handlers{}, model)).Run(ctx, judged.JudgedInput{Topic: marker.Text})
		},
		"a pool": func(ctx context.Context, model chat.Model) (any, error) {
			type handlers struct{ pool.PoolHandlers }
			return must(pool.NewPool(handlers{}, model)).Run(ctx, pool.PoolInput{Topic: marker.Text})
		},
		"a conversation": func(ctx context.Context, model chat.Model) (any, error) {
			type tools struct{ conversation.TalkTools }
			said := []chat.Message{
				chat.UserText(marker.Text),
				{Role: chat.RoleAssistant, Text: marker.Text, Calls: []chat.ToolCall{{ID: "1", Name: "search", Arguments: `{"query":"` + marker.Text + `"}`}}},
				{Role: chat.RoleTool, Call: "1", Name: "search", Text: marker.Text}, {Role: chat.RoleAssistant, Text: marker.Text},
			}
			return must(conversation.NewTalk(tools{}, model)).Run(ctx, conversation.TalkInput{Chat: said, Message: marker.Text})
		},
		"what a conversation has, in short": func(ctx context.Context, model chat.Model) (any, error) {
			return must(conversation.NewSettings(model)).Run(ctx,
				conversation.SettingsInput{Chat: []chat.Message{chat.UserText(marker.Text)}, Message: marker.Text})
		},
		"names of media": func(ctx context.Context, model chat.Model) (any, error) {
			type handlers struct{ media.MediaHandlers }
			type tools struct{ media.MediaTools }
			return must(media.NewMedia(handlers{}, tools{}, model)).Run(ctx,
				media.MediaInput{Photo: chat.Image{Type: "image/png", Data: []byte("a"), Name: marker.Text}})
		},
		"tools that read": func(ctx context.Context, model chat.Model) (any, error) {
			type handlers struct{ toolreads.ToolreadsHandlers }
			type tools struct{ toolreads.ToolreadsTools }
			return must(toolreads.NewToolreads(handlers{}, tools{}, model)).Run(ctx, toolreads.ToolreadsInput{Question: marker.Text})
		},
		"a map": func(ctx context.Context, model chat.Model) (any, error) {
			type tools struct{ mapping.MapPromptsTools }
			return must(mapping.NewMapPrompts(tools{}, model)).Run(ctx, mapping.MapPromptsInput{Topics: []string{marker.Text}})
		},
		"a loop": func(ctx context.Context, model chat.Model) (any, error) {
			type handlers struct{ loopretry.LoopPromptsHandlers }
			type tools struct{ loopretry.LoopPromptsTools }
			return must(loopretry.NewLoopPrompts(handlers{}, tools{}, model)).Run(ctx, loopretry.LoopPromptsInput{Topic: marker.Text})
		},
		"a branch by an output": func(ctx context.Context, model chat.Model) (any, error) {
			type handlers struct{ branchby.BranchByHandlers }
			return must(branchby.NewBranchBy(handlers{}, model)).Run(ctx, branchby.BranchByInput{Message: marker.Text})
		},
		"tools": func(ctx context.Context, model chat.Model) (any, error) {
			type tools struct{ toolloop.ToolloopTools }
			return must(toolloop.NewToolloop(tools{}, model)).Run(ctx, toolloop.ToolloopInput{Topic: marker.Text})
		},
		"calls": func(ctx context.Context, model chat.Model) (any, error) {
			type handlers struct{ toolcalls.ToolcallsHandlers }
			type tools struct{ toolcalls.ToolcallsTools }
			return must(toolcalls.NewToolcalls(handlers{}, tools{}, model)).Run(ctx, toolcalls.ToolcallsInput{Topic: marker.Text})
		},
		"changes": func(ctx context.Context, model chat.Model) (any, error) {
			type handlers struct {
				mutationmodel.MutationmodelHandlers
			}
			type tools struct {
				mutationmodel.MutationmodelTools
			}
			return must(mutationmodel.NewMutationmodel(handlers{}, tools{}, model)).Run(ctx, mutationmodel.MutationmodelInput{Topic: marker.Text})
		},
	} {
		t.Run(name, func(t *testing.T) {
			model := &marker.Model{}
			_, err := run(t.Context(), model)
			model.Check(t, err)
		})
	}
}

func must[M any](m M, err error) M {
	if err != nil {
		panic(err)
	}
	return m
}
