// Package anthropic is Claude as a [chat.Model]: the Messages API of Anthropic, and of the
// servers and gateways that implement it, by the vendor's Go SDK.
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
// # Differences of the API
//
// The API requires a maximum length of the answer. A request without one gets
// [DefaultMaxTokens], or the value of the option [MaxTokens]. Thinking counts too:
// with [ThinkingBudget] the budget is added, so that [chat.Request].MaxTokens is the maximum of the
// answer alone. With [AdaptiveThinking] no budget is added, and it is the maximum of both.
//
// There are two roles. Messages of the user, of tools and of the system that follow one
// another are one turn of the user, results of tools first. A message of the system is put
// in it between <system> tags. A request without messages sends its system prompt as the
// user's turn.
//
// A request that forces a tool is sent without thinking, because the API refuses both together.
// One that follows calls made without thinking has no thinking budget, for the same reason.
//
// # Thinking
//
// Claude's thinking is returned as [chat.Reasoning]. Its Opaque has the signature and the
// position of the thought in the answer, so that it is sent back unchanged, between the same
// texts and calls. Reasoning of other providers is left out.
//
// # Structured output
//
// A [chat.Request] with an Output is answered by the API's structured output. The schema is
// adapted to what that accepts: bounds, lengths, patterns and formats it does not support
// become part of the description, oneOf is sent as anyOf, keywords beside a $ref are left
// out, and objects are closed. Maps, values of any type and recursive types have no such
// form: their schema is sent as an instruction at the end of the system prompt. The option
// [OutputByInstruction] sends every schema so. Decoders have to check the answer either way.
//
// # Errors
//
// They are of package chat, or the cause with which the context ended. The
// SDK's own retries are off. An answer that the vendor paused is continued, up to
// eight times.
package anthropic
