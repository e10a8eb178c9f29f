package openai

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/contrib/bounded"
	"github.com/openai/openai-go/v3/option"
)

// An Option sets how a model is reached and called.
type Option func(*settings)

// Key is the API key, instead of the environment's. An empty one sends none: local
// servers need none. One of less than 8 bytes is taken for a word, and no secret.
func Key(key string) Option { return func(s *settings) { s.key, s.keyGiven = key, true } }

// BaseURL is the address of the API, including its version: http://localhost:11434/v1. The key of the
// environment goes there too, unless the option Key sets another.
//
// Only OpenAI and Azure get max_completion_tokens (others max_tokens), strict tools, and a key under
// which the prompt is cached. Only others get reasoning back, and arguments of calls that are
// no JSON as an object that holds their text.
func BaseURL(address string) Option { return func(s *settings) { s.address = address } }

// HTTPClient makes the calls, instead of one without a time limit. The redirects it follows stay with
// the server of BaseURL.
func HTTPClient(c *http.Client) Option { return func(s *settings) { s.http = c } }

// Header sends a header with every call. Its value is treated as a secret, like Key.
func Header(name, value string) Option {
	return func(s *settings) { s.headers = append(s.headers, [2]string{name, value}) }
}

// Effort is how much a reasoning model thinks: none, minimal, low, medium, high, or another value
// that the model supports.
func Effort(effort string) Option { return func(s *settings) { s.effort = effort } }

// ParallelCalls sets whether the model may ask for several tools in one turn. Without this
// option nothing is sent, and most may.
func ParallelCalls(allowed bool) Option { return func(s *settings) { s.parallel = &allowed } }

// LimitField is the field that has the most tokens of an answer: max_tokens or
// max_completion_tokens. Without it the base URL decides.
func LimitField(name string) Option { return func(s *settings) { s.limitField = name } }

// OutputByInstruction asks for structured output in the system prompt, with the schema as it is, for
// servers that do not know response_format.
func OutputByInstruction() Option { return func(s *settings) { s.instruct = true } }

// Field sets a field of every request that this package does not know, or overrules one: "top_k", or
// with dots inside of objects "chat_template_kwargs.enable_thinking".
func Field(path string, value any) Option {
	return func(s *settings) { s.fields = append(s.fields, option.WithJSONSet(path, value)) }
}

// WithoutField leaves out a field that a server refuses, such as "stream_options".
func WithoutField(path string) Option {
	return func(s *settings) { s.fields = append(s.fields, option.WithJSONDel(path)) }
}

type settings struct {
	key, address string
	keyGiven     bool
	http         *http.Client
	headers      [][2]string
	fields       []option.RequestOption // of the request's body

	effort     string
	parallel   *bool
	limitField string
	instruct   bool

	openAI  bool     // the server is OpenAI's, or Azure
	secrets []string // texts that errors must not contain
}

// The names of the field with the most tokens of an answer.
const (
	limitOfOpenAI = "max_completion_tokens"
	limitOfOthers = "max_tokens"
)

const openAIURL = "https://api.openai.com/v1"

// hosts are the hosts of OpenAI and of Azure, where a dot begins them with all below them.
var hosts = []string{"api.openai.com", ".api.openai.com", ".openai.azure.com", ".services.ai.azure.com"}

// configure applies the options, and completes them by the environment.
func configure(opts []Option) (*settings, error) {
	s := &settings{http: &http.Client{}}
	for _, o := range opts {
		o(s)
	}
	if s.http == nil {
		return nil, errors.New("openai: the HTTP client is nil")
	}
	if s.address == "" {
		s.address = strings.TrimSpace(os.Getenv("OPENAI_BASE_URL"))
	}
	if s.address == "" {
		s.address = openAIURL
	}
	base, err := url.Parse(s.address)
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" ||
		base.User != nil || base.RawQuery != "" || base.Fragment != "" {
		return nil, errors.New("openai: the base URL is not a plain address of http or https; keys belong into Key or Header")
	}
	host := base.Hostname()
	s.openAI = slices.ContainsFunc(hosts, func(h string) bool {
		return host == h || strings.HasPrefix(h, ".") && strings.HasSuffix(host, h)
	})
	return s, s.complete()
}

// complete looks at the key, and at what depends on the server.
func (s *settings) complete() error {
	if !s.keyGiven {
		s.key = strings.TrimSpace(os.Getenv("OPENAI_API_KEY"))
	}
	if s.key == "" && s.openAI && !slices.ContainsFunc(s.headers, isKey) {
		return errors.New("openai: there is no API key: set OPENAI_API_KEY, or give openai.Key")
	}
	if strings.ContainsFunc(s.key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return errors.New("openai: the API key has characters that no key has")
	}
	s.secrets = append(s.secrets, s.key)
	for _, h := range s.headers {
		s.secrets = append(s.secrets, h[1], strings.TrimPrefix(h[1], "Bearer "))
	}
	s.secrets = bounded.Secrets(s.secrets...)
	switch s.limitField {
	case "":
		s.limitField = limitOfOthers
		if s.openAI {
			s.limitField = limitOfOpenAI
		}
	case limitOfOpenAI, limitOfOthers:
	default:
		return fmt.Errorf("openai: the limit of tokens is max_tokens or max_completion_tokens, not %q", s.limitField)
	}
	return nil
}

// isKey reports whether a header authorizes a call without a key: Azure's is api-key.
func isKey(header [2]string) bool {
	return strings.EqualFold(header[0], "Authorization") || strings.EqualFold(header[0], "api-key")
}

// client returns the options of the SDK. Its own retries are off: to try again is up to the run.
func (s *settings) client() []option.RequestOption {
	opts := []option.RequestOption{
		option.WithBaseURL(s.address), option.WithHTTPClient(bounded.Client(s.http)), option.WithMaxRetries(0),
	}
	if s.key != "" {
		opts = append(opts, option.WithAPIKey(s.key))
	}
	if s.openAI {
		for variable, with := range map[string]func(string) option.RequestOption{
			"OPENAI_ORG_ID": option.WithOrganization, "OPENAI_PROJECT_ID": option.WithProject,
		} {
			if value := strings.TrimSpace(os.Getenv(variable)); value != "" {
				opts = append(opts, with(value))
			}
		}
	}
	for _, h := range s.headers {
		opts = append(opts, option.WithHeader(h[0], h[1]))
	}
	return opts
}
