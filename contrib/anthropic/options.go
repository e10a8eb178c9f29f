package anthropic

import (
	"net/http"

	"github.com/anthropics/anthropic-sdk-go"
)

// An Option is a setting of a Model.
type Option func(*settings)

type settings struct {
	key, token string
	keyed      bool // an option has set the key, which may be empty
	baseURL    string
	httpClient *http.Client
	config     config
}

// A config is what shapes requests.
type config struct {
	maxTokens           int
	thinking            thinking
	effort              anthropic.OutputConfigEffort
	outputByInstruction bool
	toolsByInstruction  bool
	oneTool             bool
}

type thinking struct {
	mode   thinkingMode
	tokens int
}

type thinkingMode uint8

const (
	thinkDefault thinkingMode = iota // as the model does
	thinkBudget
	thinkAdaptive
	thinkNever
)

// minBudget is the vendor's, in tokens.
const minBudget = 1024

// Key sets the API key. An empty one is for servers that need none. One of less than 8 bytes is taken for a word, and no secret.
func Key(key string) Option {
	return func(s *settings) { s.key, s.token, s.keyed = key, "", true }
}

// Token sets a bearer token instead of a key, for gateways. It is a secret like Key.
func Token(token string) Option {
	return func(s *settings) { s.key, s.token, s.keyed = "", token, true }
}

// BaseURL sets the server, without the v1 of its paths: http://localhost:8080.
func BaseURL(url string) Option { return func(s *settings) { s.baseURL = url } }

// HTTPClient sets the client that makes the calls; nil is one without a timeout. A client without a
// CheckRedirect follows no redirect to another server.
func HTTPClient(c *http.Client) Option { return func(s *settings) { s.httpClient = c } }

// MaxTokens sets how long an answer may get where the request does not say it, in tokens.
func MaxTokens(n int) Option { return func(s *settings) { s.config.maxTokens = n } }

// ThinkingBudget lets the model think for as many tokens, at least 1024, before it answers.
// It is for models up to Claude 4.6; later ones refuse it. They are more tokens than max_tokens of a node, by which
// graphgen check -prices bounds what a call costs.
func ThinkingBudget(tokens int) Option {
	return func(s *settings) { s.config.thinking = thinking{thinkBudget, tokens} }
}

// AdaptiveThinking lets the model decide how much it thinks, and return a summary of it. It is for
// models from Claude 4.6 on. [Effort] limits how much that may be.
func AdaptiveThinking() Option {
	return func(s *settings) { s.config.thinking = thinking{mode: thinkAdaptive} }
}

// WithoutThinking turns thinking off for models that think by default.
func WithoutThinking() Option {
	return func(s *settings) { s.config.thinking = thinking{mode: thinkNever} }
}

// Effort sets how much the model puts into an answer: low, medium, high, xhigh or max, as
// far as the model has them.
func Effort(level string) Option {
	return func(s *settings) { s.config.effort = anthropic.OutputConfigEffort(level) }
}

// OutputByInstruction sends the schema of the output as an instruction, instead of the
// API's structured output: for models, servers and schemas that do not support that.
func OutputByInstruction() Option { return func(s *settings) { s.config.outputByInstruction = true } }

// ToolsByInstruction sends the instruction to call a tool, for models that refuse a request
// which forces one. The model may ignore it.
func ToolsByInstruction() Option { return func(s *settings) { s.config.toolsByInstruction = true } }

// OneToolAtATime lets the model call one tool a turn.
func OneToolAtATime() Option { return func(s *settings) { s.config.oneTool = true } }
