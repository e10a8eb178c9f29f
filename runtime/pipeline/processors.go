package pipeline

import (
	"context"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/extract"
	"github.com/graphgen/graphgen/runtime/engine"
)

// A Processor looks at a prompt before it is sent, and may change it. An error is the
// failure of the node.
type Processor func(context.Context, *Prompt) error

// A Filter looks at an answer before it is decoded, and may change its text. An error is
// the failure of the node.
type Filter func(context.Context, *Answer) error

// ContextEnricher adds the date and the time, in UTC, and the number of the visit to the prompt.
func ContextEnricher(_ context.Context, p *Prompt) error {
	p.User.String("It is ").String(p.Run.Settings().Now().UTC().Format("Monday, 2 January 2006, 15:04")).
		String(" UTC. This is visit ").Int(p.Run.Visit()).String(" of this step.\n")
	return nil
}

// InputValidator fails unless every field that the node reads has a value.
func InputValidator(_ context.Context, p *Prompt) error {
	empty := p.lacks
	for _, r := range p.Reads {
		switch r.Text {
		case "", `""`, "[]", "{}", "null":
			empty = append(empty, r.Name)
		}
	}
	if len(empty) > 0 {
		return &EmptyInputError{Fields: empty}
	}
	return nil
}

// An EmptyInputError reports that fields which a node reads have no value.
type EmptyInputError struct{ Fields []string }

func (e *EmptyInputError) Error() string {
	return "nothing is in " + strings.Join(e.Fields, ", ")
}

// The lengths, in characters, above which texts are made short.
const (
	longValue  = 2000 // a value that is shown
	longOutput = 1000 // an output of a node with the flag summarize_output
	mostOutput = 4000 // what OutputTruncator leaves
)

// StateSummarizer has the smaller model sum up the values over 2,000 characters that the
// node is shown.
func StateSummarizer(ctx context.Context, p *Prompt) error { return summarizeReads(ctx, p, longValue) }

// SummarizeOver returns StateSummarizer for the values of more than most characters.
func SummarizeOver(most int) Processor {
	return func(ctx context.Context, p *Prompt) error { return summarizeReads(ctx, p, most) }
}

func summarizeReads(ctx context.Context, p *Prompt, most int) error {
	for i := range p.Reads {
		r := &p.Reads[i]
		if utf8.RuneCountInString(r.Text) <= most {
			continue
		}
		short, err := summarize(ctx, p.Run, p.model, r.Text)
		if err != nil {
			return err
		}
		r.Text = short
	}
	return nil
}

// SummarizeOutput has the smaller model sum up an answer over 1,000 characters: the flag
// summarize_output.
func SummarizeOutput(ctx context.Context, a *Answer) error {
	if utf8.RuneCountInString(a.Text) <= longOutput {
		return nil
	}
	short, err := summarize(ctx, a.Run, a.model, a.Text)
	if err != nil {
		return err
	}
	a.Text = short
	return nil
}

func summarize(ctx context.Context, run *engine.Run, own chat.Model, text string) (string, error) {
	model, name, err := run.Agent().Model(own, "", true)
	if err != nil {
		return "", err
	}
	resp, err := Generate(ctx, run, model, &chat.Request{
		Purpose:     chat.Summarize,
		Model:       name,
		System:      "Sum up the text. Keep every fact, name and number that may be needed. Say nothing else.",
		Messages:    []chat.Message{chat.UserText(text)},
		Temperature: run.Graph().Temperature,
	})
	if err != nil {
		return "", err
	}
	if resp.Message.Text == "" {
		return "", &chat.ModelError{Kind: chat.Malformed, Message: "the summary is empty"}
	}
	return resp.Message.Text, nil
}

// JSONExtractor takes the JSON out of the prose around it; an answer without any stays as
// it is.
func JSONExtractor(_ context.Context, a *Answer) error {
	if json, found := extract.Find(a.Text, extract.Object|extract.List); found {
		a.Text = json
	}
	return nil
}

// KeepMembers returns JSONExtractor for an object of which those members are kept that have one of the names, in the
// order of the names.
func KeepMembers(names ...string) Filter {
	return func(ctx context.Context, a *Answer) error {
		json, found := extract.Find(a.Text, extract.Object)
		if !found {
			return nil
		}
		values := map[string]string{}
		if err := eachMember(json, func(name, value string) { values[name] = value }); err != nil {
			return err
		}
		var kept Text
		for _, name := range names {
			if value, has := values[name]; has {
				kept.member(name, value)
			}
		}
		a.Text = "{" + string(kept) + "}"
		return nil
	}
}

// OutputTruncator cuts an answer after 4,000 characters, and appends the number of characters it cut.
func OutputTruncator(_ context.Context, a *Answer) error {
	truncate(a, mostOutput)
	return nil
}

// TruncateAfter returns OutputTruncator for another number of characters.
func TruncateAfter(most int) Filter {
	return func(_ context.Context, a *Answer) error {
		truncate(a, most)
		return nil
	}
}

func truncate(a *Answer, most int) {
	count := 0
	for i := range a.Text {
		if count == most {
			cut := utf8.RuneCountInString(a.Text[i:])
			a.Text = a.Text[:i] + "… (" + strconv.Itoa(cut) + " more characters)"
			return
		}
		count++
	}
}

// hedges are phrases that express doubt, and how much each lowers the confidence.
var hedges = []struct {
	words string
	costs float64
}{
	{"i don't know", 0.5}, {"i do not know", 0.5}, {"i'm not sure", 0.3}, {"i am not sure", 0.3}, {"cannot determine", 0.4},
	{"unclear", 0.2}, {"uncertain", 0.2}, {"perhaps", 0.1}, {"maybe", 0.1}, {"might", 0.1}, {"possibly", 0.1},
	{"probably", 0.05}, {"likely", 0.05}, {"it seems", 0.1}, {"i think", 0.05}, {"i believe", 0.05}, {"could be", 0.1}, {"as far as i know", 0.1},
}

// ConfidenceScorer scores the confidence of an answer, from 0 to 1, by the phrases with which
// it hedges: res.Confidence in conditions. It supports English only.
func ConfidenceScorer(_ context.Context, a *Answer) error {
	text := strings.ToLower(strings.ReplaceAll(a.Text, "’", "'"))
	confidence := 1.0
	for _, h := range hedges {
		confidence -= h.costs * float64(min(3, strings.Count(text, h.words)))
	}
	a.Run.Agent().SetConfidence(max(0, confidence))
	return nil
}
