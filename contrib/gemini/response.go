package gemini

import (
	"strconv"
	"strings"

	"google.golang.org/genai"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/contrib/bounded"
)

// An answer is the result of a call: whole, or in chunks.
type answer struct {
	seen    []chat.Message // the conversation so far
	stream  func(chat.Delta)
	secrets []string

	text     strings.Builder
	thinking strings.Builder // of the thought that the last part is a piece of, without a signature
	message  chat.Message

	candidates bool
	finish     genai.FinishReason
	by         string // which filters
	blocked    string // why the prompt is
	usage      chat.Usage
	model, id  string
}

// add takes a chunk. It returns an error if the answer has too many calls.
func (a *answer) add(res *genai.GenerateContentResponse) error {
	if res.ModelVersion != "" {
		a.model = res.ModelVersion
	}
	if res.ResponseID != "" {
		a.id = res.ResponseID
	}
	if u := res.UsageMetadata; u != nil {
		a.usage = usage(u)
	}
	if f := res.PromptFeedback; f != nil && f.BlockReason != "" && f.BlockReason != genai.BlockedReasonUnspecified {
		a.blocked = "the prompt: " + string(f.BlockReason) + blockedBy(f.SafetyRatings)
		if f.BlockReasonMessage != "" {
			a.blocked += ": " + f.BlockReasonMessage
		}
	}
	for _, candidate := range res.Candidates {
		if candidate != nil && candidate.Index == 0 {
			a.candidate(candidate)
		}
	}
	if len(a.message.Calls) > bounded.Calls {
		return bounded.TooManyCalls()
	}
	return nil
}

// usage counts what a call cost so far. The API counts thoughts apart from the answer, and
// what its own tools brought apart from the prompt; chat counts them in.
func usage(u *genai.GenerateContentResponseUsageMetadata) chat.Usage {
	count := func(n int32) int { return bounded.Tokens(int64(n)) }
	return chat.Usage{
		Input:     count(u.PromptTokenCount) + count(u.ToolUsePromptTokenCount),
		Output:    count(u.CandidatesTokenCount) + count(u.ThoughtsTokenCount),
		Reasoning: count(u.ThoughtsTokenCount),
		CacheRead: count(u.CachedContentTokenCount),
	}
}

func (a *answer) candidate(candidate *genai.Candidate) {
	a.candidates = true
	if candidate.FinishReason != "" {
		a.finish = candidate.FinishReason
		a.by = blockedBy(candidate.SafetyRatings)
	}
	if candidate.Content == nil {
		return
	}
	for _, part := range candidate.Content.Parts {
		if part != nil {
			a.part(part)
		}
	}
}

// blockedBy returns the ratings that caused a refusal, empty if there are none.
func blockedBy(ratings []*genai.SafetyRating) string {
	var by []string
	for _, r := range ratings {
		if r != nil && r.Blocked {
			by = append(by, string(r.Category))
		}
	}
	if len(by) == 0 {
		return ""
	}
	return " (" + strings.Join(by, ", ") + ")"
}

// part takes a part. Those of other kinds, which only tools of the API make, are passed
// over: no such tool is asked for.
func (a *answer) part(part *genai.Part) {
	if !part.Thought || part.FunctionCall != nil || part.InlineData != nil {
		a.endThought()
	}
	switch {
	case part.FunctionCall != nil:
		a.call(part)
	case part.InlineData != nil:
		a.message.Media = append(a.message.Media, chat.Media{
			Type: part.InlineData.MIMEType, Data: part.InlineData.Data, Name: part.InlineData.DisplayName,
		})
	case part.Thought:
		a.thought(part)
	case part.Text != "" || len(part.ThoughtSignature) > 0:
		from := a.text.Len()
		a.text.WriteString(part.Text)
		if len(part.ThoughtSignature) > 0 {
			s := span{from, a.text.Len(), part.ThoughtSignature}
			a.message.Reasoning = append(a.message.Reasoning, s.reasoning())
		}
		if part.Text != "" {
			a.tell(chat.Delta{Text: part.Text})
		}
	}
}

// thought takes a piece of what the model thought. Pieces without a signature are one.
func (a *answer) thought(part *genai.Part) {
	if part.Text == "" && len(part.ThoughtSignature) == 0 {
		return
	}
	if len(part.ThoughtSignature) == 0 {
		a.thinking.WriteString(part.Text)
	} else {
		a.endThought()
		a.message.Reasoning = append(a.message.Reasoning, chat.Reasoning{
			Text: part.Text, Opaque: opaque(part.ThoughtSignature), Hidden: part.Text == "",
		})
	}
	if part.Text != "" {
		a.tell(chat.Delta{Reasoning: part.Text})
	}
}

// endThought adds the thought whose pieces were taken, if there is one.
func (a *answer) endThought() {
	if a.thinking.Len() > 0 {
		a.message.Reasoning = append(a.message.Reasoning, chat.Reasoning{Text: a.thinking.String()})
		a.thinking.Reset()
	}
}

func (a *answer) call(part *genai.Part) {
	f := part.FunctionCall
	t := chat.ToolCall{ID: f.ID, Name: f.Name, Arguments: "{}", Opaque: opaque(part.ThoughtSignature)}
	if written, ok := f.Args[raw].(string); ok && written != "null" {
		t.Arguments = written
	}
	a.message.Calls = append(a.message.Calls, t)
	a.tell(chat.Delta{Tool: f.Name, ToolID: f.ID})
}

func (a *answer) tell(d chat.Delta) {
	if a.stream != nil {
		a.stream(d)
	}
}

// An outcome is what becomes of an answer.
type outcome uint8

const (
	unclear outcome = iota // it is malformed
	done
	cutOff
	refusal
)

// finishes maps the reasons for which the API ends an answer. Reasons that are not listed, and
// those without a usable answer, are unclear.
var finishes = map[genai.FinishReason]outcome{
	genai.FinishReasonStop:                   done,
	genai.FinishReasonMaxTokens:              cutOff,
	genai.FinishReasonSafety:                 refusal,
	genai.FinishReasonRecitation:             refusal,
	genai.FinishReasonLanguage:               refusal,
	genai.FinishReasonBlocklist:              refusal,
	genai.FinishReasonProhibitedContent:      refusal,
	genai.FinishReasonSPII:                   refusal,
	genai.FinishReasonImageSafety:            refusal,
	genai.FinishReasonImageProhibitedContent: refusal,
	genai.FinishReasonImageRecitation:        refusal,
	"MODEL_ARMOR":                            refusal,
}

// response returns the whole answer, or the error that it represents. explanation is the API's message
// about the end of the answer, if there is one.
func (a *answer) response(explanation string) (*chat.Response, error) {
	switch {
	case a.blocked != "":
		return nil, &chat.ModelError{Kind: chat.Refused, Message: chat.Redact(a.blocked, a.secrets...)}
	case a.finish == "" && a.stream != nil:
		return nil, errCut
	case !a.candidates:
		return nil, &chat.ModelError{Kind: chat.Malformed, Message: "there is no candidate in it"}
	}
	a.endThought()
	a.message.Role = chat.RoleAssistant
	a.message.Text = a.text.String()
	a.nameCalls()
	res := &chat.Response{Message: a.message, Finish: chat.Stop, Usage: a.usage, Model: a.model, ID: a.id}
	reason := string(a.finish) + a.by
	if explanation != "" {
		reason += ": " + explanation
	}
	reason = chat.Redact(reason, a.secrets...)
	switch finishes[a.finish] {
	case refusal:
		return nil, &chat.ModelError{Kind: chat.Refused, Message: reason}
	case unclear:
		if a.finish == "" {
			reason = "no reason"
		}
		return nil, &chat.ModelError{Kind: chat.Malformed, Message: "it ended with " + reason, Text: bounded.Clip(chat.Redact(a.message.Text, a.secrets...))}
	case cutOff:
		res.Finish = chat.Length
	case done:
		if len(a.message.Calls) > 0 {
			res.Finish = chat.ToolCalls
		}
	}
	return res, nil
}

// spent returns what an answer that is an error has used, nil if that is not known.
func (a *answer) spent() *chat.Response {
	if a.usage == (chat.Usage{}) {
		return nil
	}
	return &chat.Response{Message: chat.Message{Role: chat.RoleAssistant}, Usage: a.usage, Model: a.model, ID: a.id}
}

// nameCalls gives IDs to the calls that the API gave none: the answer's, where it has one,
// with the number of the call, or a number that no call of the conversation has.
func (a *answer) nameCalls() {
	taken := map[string]bool{}
	n := 0
	for _, message := range a.seen {
		for _, t := range message.Calls {
			taken[t.ID] = true
			n++
		}
	}
	for _, t := range a.message.Calls {
		taken[t.ID] = true
	}
	for i := range a.message.Calls {
		t := &a.message.Calls[i]
		if t.ID != "" {
			continue
		}
		if a.id != "" {
			t.ID = invented + a.id + "_" + strconv.Itoa(i)
		}
		for t.ID == "" || taken[t.ID] {
			t.ID = invented + strconv.Itoa(n)
			n++
		}
		taken[t.ID] = true
	}
}
