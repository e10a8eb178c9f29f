// Package gemini implements chat.Model with the models of Google's Gemini Developer API.
//
//	model, err := gemini.New("gemini-3.1-pro-preview") // the key is in GEMINI_API_KEY
//	if err != nil {
//		return err
//	}
//	answer, err := model.Generate(ctx, &chat.Request{
//		System:   "You are brief.",
//		Messages: []chat.Message{chat.UserText("What is a state machine?")},
//	}, nil)
//
// It uses google.golang.org/genai. The SDK neither retries nor has a timeout here: both are
// the caller's responsibility.
//
// # Schemas
//
// The API supports a part of JSON Schema. Tools' arguments and outputs go to it without
// minLength, maxLength, pattern, multipleOf, uniqueItems, default, exclusive bounds, bounds
// of properties, not, and the formats it does not support; the description has them in words.
// A const is an enum of one, definitions are $defs. The rest (allOf of several, if,
// dependent and pattern properties) is left out. A property that leads back to its own
// schema is not required, because the API cannot require it. The decoder of the answer
// validates it against the original schema.
//
// Models before the third generation do not take an output's schema together with tools.
// They get it as an instruction then, in the system prompt; see [Schemas].
//
// # Reasoning
//
// Signatures of thoughts are returned as Opaque of reasoning and of tool calls, and are sent
// back where they were. They begin with "gemini:", and signatures of other providers are not sent. The
// model's thoughts are only returned with [Thinking] and its IncludeThoughts.
package gemini

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"os"
	"path"
	"strings"

	"google.golang.org/genai"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/contrib/bounded"
)

// keys are the environment variables of the key: the SDK's, in its order.
var keys = []string{"GOOGLE_API_KEY", "GEMINI_API_KEY"}

// versions are the API's versions, which a base URL may end with.
var versions = map[string]bool{"v1": true, "v1alpha": true, "v1beta": true}

// A Model is a model of the Gemini API. It is safe for concurrent use.
type Model struct {
	name     string
	client   *genai.Client
	secrets  []string
	thinking *genai.ThinkingConfig
	safety   []*genai.SafetySetting
	schemas  SchemaMode
}

// An Option changes how a model is reached, or what every request sends.
type Option func(*settings)

type settings struct {
	key      *string
	base     string
	http     *http.Client
	thinking *genai.ThinkingConfig
	safety   []*genai.SafetySetting
	schemas  SchemaMode
}

// Key is the API key. Without it, the key is in GOOGLE_API_KEY, or else in GEMINI_API_KEY. An
// empty key is not sent, and is for servers of a BaseURL that need none. One of less than 8 bytes is taken for a word, and no secret.
func Key(key string) Option { return func(s *settings) { s.key = &key } }

// BaseURL is where the API is: without it GOOGLE_GEMINI_BASE_URL, then Google's. It may end
// with the version of the API, which is v1beta otherwise.
func BaseURL(base string) Option { return func(s *settings) { s.base = base } }

// HTTPClient is what makes the calls. It is copied, and follows no redirects, because they
// would carry the key elsewhere. Its timeout, if it has one, ends long answers.
func HTTPClient(client *http.Client) Option { return func(s *settings) { s.http = client } }

// Thinking sets how much the model thinks, and whether it returns its thoughts.
func Thinking(config genai.ThinkingConfig) Option {
	return func(s *settings) { s.thinking = &config }
}

// Safety sets what the filters let through, instead of the API's defaults.
func Safety(filters ...*genai.SafetySetting) Option {
	return func(s *settings) { s.safety = filters }
}

// A SchemaMode is how a request describes the output.
type SchemaMode uint8

const (
	// SchemaAuto is native, but by instruction where there are tools and the model is not
	// known to take both: models before gemini-3, and models of other names.
	SchemaAuto       SchemaMode = iota
	SchemaNative                // always responseJsonSchema
	SchemaInstructed            // always in the system prompt
)

// Schemas sets how a request describes the output; without it, SchemaAuto.
func Schemas(mode SchemaMode) Option { return func(s *settings) { s.schemas = mode } }

// New returns the model of that name, such as "gemini-3.1-pro-preview". It makes no call.
// Without a key it returns an error that names the variables it looked at.
func New(model string, options ...Option) (*Model, error) {
	if model == "" {
		return nil, errors.New("gemini: the model has no name")
	}
	var s settings
	for _, o := range options {
		o(&s)
	}
	key, err := s.apiKey()
	if err != nil {
		return nil, err
	}
	base, version, password, err := splitBase(s.baseURL())
	if err != nil {
		return nil, err
	}
	secrets := append(bounded.Secrets(key, url.QueryEscape(key)), password)
	client, err := genai.NewClient(context.Background(), &genai.ClientConfig{
		APIKey:      orPlaceholder(key),
		Backend:     genai.BackendGeminiAPI,
		HTTPClient:  s.httpClient(&transport{keyless: key == "", secrets: secrets}),
		HTTPOptions: genai.HTTPOptions{BaseURL: base, APIVersion: version},
	})
	if err != nil {
		// The SDK prints its whole configuration, with the key in it.
		return nil, errors.New("gemini: " + chat.Redact(err.Error(), secrets...))
	}
	return &Model{
		name: model, client: client, secrets: secrets,
		thinking: s.thinking, safety: s.safety, schemas: s.schemas,
	}, nil
}

func (s *settings) apiKey() (string, error) {
	if s.key != nil {
		if *s.key == "" && s.baseURL() == "" {
			return "", errors.New("gemini: the key is empty, and there is no base URL of a server that needs none")
		}
		return *s.key, nil
	}
	for _, name := range keys {
		if key := os.Getenv(name); key != "" {
			return key, nil
		}
	}
	return "", errors.New("gemini: no key: set " + strings.Join(keys, " or ") + ", or use the option Key")
}

func (s *settings) baseURL() string {
	if s.base != "" {
		return s.base
	}
	return os.Getenv("GOOGLE_GEMINI_BASE_URL")
}

func (s *settings) httpClient(t *transport) *http.Client {
	client := &http.Client{}
	if s.http != nil {
		*client = *s.http
	}
	t.base = bounded.Transport(client.Transport)
	client.Transport = t
	return client
}

// splitBase takes the version of the API off a base URL, and returns the password in it,
// which is a secret like the key. All are empty for the API's own.
func splitBase(base string) (root, version, password string, err error) {
	if base == "" {
		return "", "", "", nil
	}
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", "", "", errors.New("gemini: the base URL is not one of http or https with a host")
	}
	password, _ = u.User.Password()
	u.Path = strings.TrimRight(u.Path, "/")
	if last := path.Base(u.Path); versions[last] {
		u.Path, version = strings.TrimSuffix(u.Path, "/"+last), last
	}
	return u.String(), version, password, nil
}

// orPlaceholder is what the SDK gets for a key: it takes no empty one, and would look for
// another in the environment. The transport takes the placeholder off again.
func orPlaceholder(key string) string {
	if key == "" {
		return "none"
	}
	return key
}

// Generate makes one call; see [chat.Model].
func (m *Model) Generate(ctx context.Context, req *chat.Request, stream func(chat.Delta)) (*chat.Response, error) {
	if ctx.Err() != nil {
		return nil, ended(ctx)
	}
	c, err := m.compose(req)
	if err != nil {
		return nil, err
	}
	x := &exchange{}
	c.config.HTTPOptions = &genai.HTTPOptions{ExtrasRequestProvider: c.exact(x)}
	a := &answer{seen: c.seen, stream: stream, secrets: m.secrets}
	if err := m.exchange(context.WithValue(ctx, exchangeKey{}, x), c, a); err != nil {
		return a.spent(), m.failure(ctx, x, err)
	}
	if x.err != nil {
		return a.spent(), m.failure(ctx, x, x.err)
	}
	response, err := a.response(x.why)
	if err != nil {
		return a.spent(), err
	}
	return response, nil
}

// exchange makes the call and passes its responses to the answer. The stream is called
// on this goroutine, outside of the SDK, so that its panics are its own.
func (m *Model) exchange(ctx context.Context, c *call, a *answer) error {
	x := ctx.Value(exchangeKey{}).(*exchange)
	if a.stream == nil {
		res, err := x.guard(func() (*genai.GenerateContentResponse, error) {
			return m.client.Models.GenerateContent(ctx, c.model, c.contents, c.config)
		})
		if err != nil {
			return err
		}
		return a.add(res)
	}
	return x.chunks(m.client.Models.GenerateContentStream(ctx, c.model, c.contents, c.config), func(res *genai.GenerateContentResponse) error {
		if err := ctx.Err(); err != nil { // of many chunks that were read together
			return err
		}
		return a.add(res)
	})
}
