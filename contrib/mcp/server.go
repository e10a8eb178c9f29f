package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/chat"
)

// A Server is an MCP server as a toolbox. It is safe for concurrent use.
type Server struct {
	cfg config

	ctx   context.Context // done when the server is closed
	close context.CancelCauseFunc

	turn     chan struct{} // holds one while a goroutine has exclusive use of current and restarts
	current  *session      // nil: none yet
	restarts restarts
	last     error // of the last session that could not be made
}

var _ chat.Toolbox = (*Server)(nil)

// Command returns a server that is a program of this machine: its path or name, and its
// arguments. It is started when it is first used.
func Command(argv []string, opts ...CommandOption) (*Server, error) {
	if len(argv) == 0 || argv[0] == "" {
		return nil, errors.New("mcp: a command needs a program")
	}
	cfg := newConfig()
	cfg.argv, cfg.name = slices.Clone(argv), filepath.Base(argv[0])
	for _, o := range opts {
		o.command(&cfg)
	}
	return newServer(cfg)
}

// HTTP returns a server that is reached over streamable HTTP, at this address.
func HTTP(address string, opts ...HTTPOption) (*Server, error) {
	endpoint, err := url.Parse(address)
	if err != nil || endpoint.Host == "" || endpoint.Scheme != "http" && endpoint.Scheme != "https" {
		// The address is not repeated: it may hold a password.
		return nil, errors.New("mcp: the address of a server begins with http:// or https:// and has a host")
	}
	cfg := newConfig()
	cfg.endpoint, cfg.name, cfg.restarts = endpoint, endpoint.Host, -1
	for _, o := range opts {
		o.http(&cfg)
	}
	cfg.hide()
	return newServer(cfg)
}

func newServer(cfg config) (*Server, error) {
	if cfg.limit <= 0 || cfg.start <= 0 || cfg.grace <= 0 {
		return nil, errors.New("mcp: server " + strconv.Quote(cfg.name) + ": a limit or a time is not above 0")
	}
	cfg.secrets = written(cfg.secrets)
	s := &Server{cfg: cfg, turn: make(chan struct{}, 1), restarts: restarts{most: cfg.restarts}}
	s.ctx, s.close = context.WithCancelCause(context.Background())
	return s, nil
}

// written returns the secrets in all forms that are looked for, the longest first: it may hold another. What is shorter than 4 bytes would tear
// texts apart, and hides nothing.
func written(secrets []string) (forms []string) {
	for _, s := range secrets {
		if len(s) < 4 {
			continue
		}
		plain, _ := jsonOf(s) // a text has a JSON
		html, _ := json.Marshal(s)
		forms = append(forms, s, plain[1:len(plain)-1], string(html[1:len(html)-1]))
	}
	slices.SortFunc(forms, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	return slices.Compact(forms)
}

// Tools returns the tools that the server has, under names that models accept. The list is
// fetched when it is missing, and when it changed since. Errors are a DownError, a
// CallError, a TooLargeError, a NameError, a DescriptionError, ErrClosed, or the context's.
func (s *Server) Tools(ctx context.Context) ([]chat.Tool, error) {
	ctx, release := s.bind(ctx)
	defer release()
	var tools []chat.Tool
	err := s.do(ctx, "", func(ctx context.Context, sess *session) error {
		listed, err := sess.tools(ctx)
		if err != nil {
			return err
		}
		tools = make([]chat.Tool, len(listed))
		for i, d := range listed {
			tools[i] = &tool{server: s, described: d}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := unique(tools); err != nil {
		return nil, err
	}
	return tools, nil
}

// Close ends the server's process, with all that it started, or its session. Calls under
// way end with ErrClosed.
func (s *Server) Close() error {
	s.close(ErrClosed)
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	if s.current != nil {
		s.current.end()
		s.current = nil
	}
	return nil
}

// bind returns the context of one use of the server, which ends with the server too.
func (s *Server) bind(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(s.ctx, func() { cancel(ErrClosed) })
	return ctx, func() { stop(); cancel(nil) }
}

// do makes a call in a session that is alive; once more in another where the server did not
// take it.
func (s *Server) do(ctx context.Context, tool string, call func(context.Context, *session) error) error {
	for retry := true; ; retry = false {
		sess, err := s.session(ctx, tool)
		if err != nil {
			return err
		}
		ctx := context.WithValue(ctx, useKey{}, new(use))
		end := sess.calls.begin(ctx, tool)
		err = call(ctx, sess)
		end()
		if err == nil {
			return nil
		}
		told, again := sess.failed(ctx, tool, err)
		if !retry || !again {
			return told
		}
	}
}

// session returns the session, or makes one when none is alive.
func (s *Server) session(ctx context.Context, tool string) (*session, error) {
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
	}
	if ctx.Err() != nil {
		return nil, ended(ctx, s.cfg.name, tool)
	}
	if s.ctx.Err() != nil { // of which ctx learns on a goroutine of its own
		return nil, ended(s.ctx, s.cfg.name, tool)
	}
	if s.current != nil {
		if s.current.alive(ctx) {
			return s.current, nil
		}
		s.last = s.current.over(ctx)
		s.current.end()
		s.current = nil
		s.restarts.died(s.cfg.clock.Now())
	}
	wait, may := s.restarts.next(s.cfg.clock.Now())
	if !may {
		return nil, s.given(tool)
	}
	if !pause(ctx, s.cfg.clock, wait) {
		return nil, ended(ctx, s.cfg.name, tool)
	}
	sess, err := connect(ctx, &s.cfg)
	if err != nil {
		if ctx.Err() == nil {
			s.restarts.died(s.cfg.clock.Now())
			s.last = err
		}
		return nil, err
	}
	s.current = sess
	return sess, nil
}

// given returns the error of a server that is given up, with how it ended last.
func (s *Server) given(tool string) error {
	e := &DownError{}
	var last *DownError
	if errors.As(s.last, &last) {
		*e = *last
	}
	times := strconv.Itoa(len(s.restarts.deaths)) + " times within " + strings.TrimSuffix(RestartWindow.String(), "0s")
	why := "it went down " + times + ", and is not started again before some of that is past"
	if e.Err != nil {
		why += "; the last time: " + e.Err.Error()
	}
	e.Server, e.Tool, e.Err = s.cfg.name, tool, errors.New(why)
	return e
}
