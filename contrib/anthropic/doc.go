// Package anthropic is Claude as a [chat.Model]: the Messages API of Anthropic, and of the
// servers and gateways that speak it, by the vendor's Go SDK.
//
//	model, err := anthropic.New("claude-sonnet-4-6") // the key is in ANTHROPIC_API_KEY
//	if err != nil {
//		return err
//	}
//	answer, err := model.Generate(ctx, &chat.Request{
//		System:   "You are terse.",
//		Messages: []chat.Message{chat.UserText("Name three otters.")},
//	}, nil)
//
// # What the API has in another way
//
// It wants to be told how long an answer may get. A request that does not say gets
// [DefaultMaxTokens], or what the option [MaxTokens] says. What Claude thinks counts too:
// with [ThinkingBudget] the budget is added, so that [chat.Request].MaxTokens is that of the
// answer alone; with [AdaptiveThinking] there is no budget to add, and it is that of both.
//
// There are two roles. Messages of the user, of tools and of the system that follow one
// another are one turn of the user, results of tools first; a message of the system stands
// in it between <system> tags. A request without messages sends its system prompt as the
// user's turn.
//
// A request that forces a tool is sent without thinking, which the API refuses together; one
// that follows calls made without a thought is sent without a budget of it, for the same reason.
//
// # Thinking
//
// What Claude thinks comes back as [chat.Reasoning] whose Opaque says, besides the
// signature, where in the answer the thought stood, so that it is sent back as it was,
// between the same texts and calls. Reasoning of other providers is left out.
//
// # Structured output
//
// A [chat.Request] with an Output is answered by the API's structured output. The schema is
// adapted to what that accepts: bounds, lengths, patterns and formats it does not know
// become part of the description, oneOf is sent as anyOf, what stands beside a $ref is left
// out, and objects are closed. Maps, values of any type and recursive types have no such
// form: their schema is sent as an instruction at the end of the system prompt, as every schema is with
// [OutputByInstruction]. Decoders have to check the answer either way.
//
// # Errors
//
// They are those of package chat, or say that the context was ended, and why. The
// SDK's own retries are off. An answer that the vendor paused is continued, up to
// eight times.
package anthropic
