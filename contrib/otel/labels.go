package graphotel

import (
	"strings"
	"sync"

	"go.opentelemetry.io/otel/attribute"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
)

// mostNames is how many names of models, and of tools, have metrics of their own.
const mostNames = 200

// names are those that nothing of a spec bounds.
type names struct {
	models bounded
	tools  bounded

	protocols, classes bounded // of servers
}

// A bounded is a set of names that does not grow without end.
type bounded struct {
	mu    sync.Mutex
	names map[string]bool
}

// name returns the name, or other if there are too many.
func (b *bounded) name(name string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case name == "", b.names[name]:
	case len(b.names) == mostNames:
		return other
	case b.names == nil:
		b.names = map[string]bool{name: true}
	default:
		b.names[name] = true
	}
	return name
}

// families are the names of models that a provider is known for.
var families = []struct{ prefix, provider string }{
	{"gpt-", "openai"}, {"chatgpt-", "openai"}, {"o1", "openai"}, {"o3", "openai"}, {"o4", "openai"},
	{"claude-", "anthropic"}, {"gemini-", "gcp.gemini"}, {"command-", "cohere"}, {"grok-", "x_ai"},
	{"deepseek-", "deepseek"}, {"mistral-", "mistral_ai"}, {"magistral-", "mistral_ai"}, {"sonar", "perplexity"},
}

// provider returns the provider of a model, by its configuration or its name.
func (o *Observer) provider(model string) string {
	if o.config.Provider != "" {
		return o.config.Provider
	}
	for _, f := range families {
		if strings.HasPrefix(model, f.prefix) {
			return f.provider
		}
	}
	return other
}

// errorType appends error.type, unless there was no error.
func errorType(attributes []attribute.KeyValue, class string) []attribute.KeyValue {
	if class == "" {
		return attributes
	}
	return append(attributes, semconv.ErrorTypeKey.String(class))
}
