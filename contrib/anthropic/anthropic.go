package anthropic

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/contrib/bounded"
)

// DefaultMaxTokens is the maximum length of an answer if neither the request nor the option
// MaxTokens sets one. Every model that the vendor serves accepts it.
const DefaultMaxTokens = 16384

// maxPauses bounds how often a turn that the vendor paused is continued.
const maxPauses = 8

// A Model is a model of Anthropic's. It is safe for concurrent use.
type Model struct {
	client anthropic.Client
	model  string
	config config
	redact func(string) string // a function, so that printing a Model shows no key
}

var _ chat.Model = (*Model)(nil)

// New returns the model of that name. The key is the one of the option Key or Token, or of the
// environment: ANTHROPIC_API_KEY, else ANTHROPIC_AUTH_TOKEN. The server is from the
// option BaseURL, or of ANTHROPIC_BASE_URL, or the vendor's. An error names the setting that is
// missing or invalid.
func New(model string, opts ...Option) (*Model, error) {
	if model == "" {
		return nil, errors.New("anthropic: the name of the model is empty")
	}
	s := settings{config: config{maxTokens: DefaultMaxTokens}}
	for _, o := range opts {
		o(&s)
	}
	s.readEnvironment()
	if err := s.check(); err != nil {
		return nil, fmt.Errorf("anthropic: %w", err)
	}
	secrets := bounded.Secrets(s.key, s.token)
	return &Model{
		client: anthropic.NewClient(s.client()...),
		model:  model,
		config: s.config,
		redact: func(text string) string { return chat.Redact(text, secrets...) },
	}, nil
}

// readEnvironment sets from the vendor's variables what no option sets.
func (s *settings) readEnvironment() {
	if !s.keyed {
		s.key = strings.TrimSpace(os.Getenv("ANTHROPIC_API_KEY"))
		if s.key == "" {
			s.token = strings.TrimSpace(os.Getenv("ANTHROPIC_AUTH_TOKEN"))
		}
	}
	if s.baseURL == "" {
		s.baseURL = os.Getenv("ANTHROPIC_BASE_URL")
	}
}

// check returns what is wrong with the settings. It never quotes a key.
func (s *settings) check() error {
	if !s.keyed && s.key == "" && s.token == "" {
		return errors.New("no key: set ANTHROPIC_API_KEY, or give the option Key (an empty one for a server that needs none)")
	}
	for _, secret := range []string{s.key, s.token} {
		if strings.ContainsFunc(secret, func(r rune) bool { return r <= ' ' || r > '~' }) {
			return errors.New("the key has characters that no header can hold")
		}
	}
	if s.baseURL != "" {
		u, err := url.Parse(s.baseURL)
		if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
			return errors.New("the base URL is not a URL of http or https")
		}
	}
	if s.config.maxTokens < 1 {
		return fmt.Errorf("MaxTokens is %d, and must be at least 1", s.config.maxTokens)
	}
	if b := s.config.thinking; b.mode == thinkBudget && b.tokens < minBudget {
		return fmt.Errorf("ThinkingBudget is %d, and must be at least %d", b.tokens, minBudget)
	}
	return nil
}

// client returns the settings as the SDK's options. The SDK reads nothing from the
// environment: it would take keys from profiles and files besides.
func (s *settings) client() []option.RequestOption {
	opts := []option.RequestOption{option.WithoutEnvironmentDefaults(), option.WithMaxRetries(0)}
	if s.key != "" {
		opts = append(opts, option.WithAPIKey(s.key))
	}
	if s.token != "" {
		opts = append(opts, option.WithAuthToken(s.token))
	}
	if s.baseURL != "" {
		opts = append(opts, option.WithBaseURL(s.baseURL))
	}
	client := bounded.Client(s.httpClient)
	if client.CheckRedirect == nil {
		client.CheckRedirect = sameServer
	}
	return append(opts, option.WithHTTPClient(client))
}

var errRedirect = errors.New("the server sends on to another one, which must not get the key")

// sameServer follows redirects within a server only: the header of the key goes along.
func sameServer(req *http.Request, via []*http.Request) error {
	if first := via[0].URL; req.URL.Host != first.Host || req.URL.Scheme != first.Scheme {
		return errRedirect
	}
	if len(via) >= 10 {
		return errors.New("stopped after 10 redirects")
	}
	return nil
}

// Generate makes one call, as chat.Model specifies.
func (m *Model) Generate(ctx context.Context, req *chat.Request, stream func(chat.Delta)) (*chat.Response, error) {
	params, err := m.params(req)
	if err != nil {
		return nil, err
	}
	var whole answer
	for range maxPauses + 1 {
		turn, err := m.turn(ctx, params, stream)
		if turn != nil {
			err = cmp.Or(err, whole.add(turn))
		}
		if err != nil {
			return whole.spent(), err
		}
		if turn.stop != anthropic.StopReasonPauseTurn {
			response, err := whole.response(m.redact)
			if err != nil {
				return whole.spent(), err
			}
			return response, nil
		}
		params.Messages = resumed(params.Messages, turn)
	}
	return whole.spent(), &chat.ModelError{Kind: chat.Malformed, Message: fmt.Sprintf("the turn paused more than %d times", maxPauses)}
}

// turn makes one exchange. The answer beside an error is a piece of one. It streams an answer that takes long even without a receiver: the
// vendor requires that, since connections that are silent for minutes get cut.
func (m *Model) turn(ctx context.Context, params anthropic.MessageNewParams, stream func(chat.Delta)) (*answer, error) {
	if stream == nil {
		if _, long := anthropic.CalculateNonStreamingTimeout(int(params.MaxTokens), params.Model, nil); long == nil {
			return m.whole(ctx, params)
		}
		stream = func(chat.Delta) {}
	}
	return m.streamed(ctx, params, stream)
}

// path is the path of the Messages API. The client's Post is called instead of its Messages
// service because of what the service does besides: it would time out, and write to standard error.
const path = "v1/messages"

func (m *Model) whole(ctx context.Context, params anthropic.MessageNewParams) (*answer, error) {
	var body []byte
	var reply *http.Response
	if err := m.client.Post(ctx, path, params, &body, option.WithResponseInto(&reply)); err != nil {
		return nil, m.failed(ctx, err)
	}
	switch {
	case ctx.Err() != nil:
		return nil, ended(ctx)
	case reply.StatusCode > 299: // such as a redirect without an address, which is not an error to the SDK
		return nil, m.refused(reply.StatusCode, reply.Header, body)
	}
	return m.decode(body)
}
