package mcp

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// A session is one connection to a server: one life of a process, or what a server of HTTP
// takes for a session.
type session struct {
	cfg  *config
	gate *gate
	sdk  *sdk.ClientSession
	proc *process // nil over HTTP
	web  *web     // nil over a process
	idle func()   // closes the unused connections

	lost    atomic.Pointer[DownError] // why the SDK's session is of no use any more; nil: it is
	calls   underway
	suspect atomic.Int64 // messages received, plus one, when a call ended without an answer; 0: none did

	listing chan struct{} // holds one while a goroutine lists
	listed  []described
	stale   atomic.Bool // listed is not what there is, or may not be

	established atomic.Pointer[established] // nil: it is not initialized, or has ended
}

// connect starts or reaches the server.
func connect(ctx context.Context, cfg *config) (*session, error) {
	s := &session{cfg: cfg, gate: &gate{limit: cfg.limit}, listing: make(chan struct{}, 1)}
	s.stale.Store(true)
	o := &sdk.ClientOptions{ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) {
		s.gate.changed.Store(false)
		s.stale.Store(true)
	}}
	s.offer(o)
	client := sdk.NewClient(&sdk.Implementation{Name: "graphgen", Version: "1"}, o)
	if cfg.watcher != nil {
		client.AddSendingMiddleware(s.watch)
	}
	transport, err := s.transport()
	if err != nil {
		return nil, &DownError{Server: cfg.name, Err: errors.New(cfg.redact(err.Error()))}
	}
	ctx = context.WithValue(ctx, useKey{}, (*use)(nil)) // its context may be of a use of another server
	limited, cancel := context.WithTimeoutCause(ctx, cfg.start, errors.New("it was not ready within "+cfg.start.String()))
	defer cancel()
	stop := context.AfterFunc(limited, func() {
		if s.proc != nil {
			s.proc.lost(context.Cause(limited))
		}
	})
	defer stop() // before cancel
	s.sdk, err = client.Connect(limited, transport, &sdk.ClientSessionOptions{ProtocolVersion: cfg.protocol})
	if err == nil {
		s.begins()
		return s, nil
	}
	defer s.end()
	if ctx.Err() != nil {
		return nil, ended(ctx, cfg.name, "")
	}
	if limited.Err() != nil {
		err = context.Cause(limited)
		if s.proc != nil {
			s.proc.lost(err)
		}
	}
	return nil, s.down(ctx, "", err)
}

// transport starts a process, or prepares what requests go through.
func (s *session) transport() (sdk.Transport, error) {
	if s.cfg.endpoint == nil {
		var err error
		if s.proc, err = start(s.cfg); err != nil {
			return nil, err
		}
		return newStdio(s.proc, s.gate), nil
	}
	client := &http.Client{}
	if s.cfg.client != nil {
		*client = *s.cfg.client
	}
	base := client.Transport
	if base == nil {
		own := http.DefaultTransport.(*http.Transport).Clone()
		base, s.idle = own, own.CloseIdleConnections
	}
	s.web = newWeb(s.cfg, s.gate, base, func() { s.stale.Store(true) })
	client.Transport = s.web
	// The limit on events is held before they get to the SDK.
	return &sdk.StreamableClientTransport{Endpoint: s.cfg.endpoint.String(), HTTPClient: client, MaxEventSize: -1}, nil
}

// alive reports whether the session can be used. A process that left a call without an answer,
// and has sent nothing since, has to answer a ping first.
func (s *session) alive(ctx context.Context) bool {
	if s.proc == nil {
		return s.lost.Load() == nil
	}
	if s.proc.gone() {
		return false
	}
	if s.suspect.Load() != s.gate.heard.Load()+1 || s.calls.any() {
		return true
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	answered := make(chan bool, 1)
	go func() { answered <- s.answers(ctx) }()
	select {
	case yes := <-answered:
		if yes {
			s.suspect.Store(0)
		}
		return yes || ctx.Err() != nil // a context that is over proves nothing about the server
	case <-s.cfg.clock.After(s.cfg.start):
		s.proc.lost(errors.New("it does not answer"))
		return false
	}
}

// answers pings the server. That it does not know how to answer is an answer.
func (s *session) answers(ctx context.Context) bool {
	err := s.sdk.Ping(ctx, nil)
	var refused *jsonrpc.Error
	return err == nil || errors.As(err, &refused) && refused.Code != codeRejected && !errors.Is(err, sdk.ErrConnectionClosed)
}

// failed returns the error of a call, and whether the call may be repeated because the server
// did not take it. It finds out whether the session can still be used.
func (s *session) failed(ctx context.Context, tool string, err error) (told error, again bool) {
	var call *CallError
	var large *TooLargeError
	var described *DescriptionError
	var rpc *jsonrpc.Error
	errors.As(err, &rpc)
	u := useOf(ctx)
	switch {
	case errors.As(err, &call), errors.As(err, &large), errors.As(err, &described):
		return err, false
	case ctx.Err() != nil:
		s.suspect.Store(s.gate.heard.Load() + 1)
		return ended(ctx, s.cfg.name, tool), false
	case rpc != nil && rpc.Code == codeTooLarge:
		return &TooLargeError{Server: s.cfg.name, Tool: tool, Limit: s.cfg.limit}, false
	case s.proc != nil && s.proc.gone(), errors.Is(err, sdk.ErrConnectionClosed):
		return s.loses(ctx, tool, err), errors.Is(err, sdk.ErrConnectionClosed)
	case u != nil && u.refused.Load(): // the SDK does not notice it where the server gives an error of JSON-RPC
		return s.loses(ctx, tool, err), true
	case errors.Is(err, sdk.ErrSessionMissing):
		return s.loses(ctx, tool, err), false
	case rpc != nil && (rpc.Code == codeRejected || rpc.Code == codeCut):
		return s.down(ctx, tool, err), false
	case rpc == nil && s.web != nil && !s.answers(ctx):
		return s.loses(ctx, tool, err), false
	}
	e := &CallError{Server: s.cfg.name, Tool: tool, Message: s.cfg.redact(err.Error())}
	if rpc != nil {
		e.Code, _ = codeOf(rpc)
		e.Message = s.cfg.redact(rpc.Message)
	}
	return e, false
}

// loses gives the session up.
func (s *session) loses(ctx context.Context, tool string, err error) error {
	e := s.down(ctx, tool, err)
	s.lost.CompareAndSwap(nil, e)
	return e
}

// down returns the error of a server that is not there.
func (s *session) down(ctx context.Context, tool string, err error) *DownError {
	e := &DownError{Err: err}
	if s.proc != nil && s.proc.gone() {
		e = s.proc.down(ctx)
	}
	e.Server, e.Tool, e.Err = s.cfg.name, tool, errors.New(s.cfg.redact(e.Err.Error()))
	return e
}

// over returns why the session, which is not alive, is not.
func (s *session) over(ctx context.Context) *DownError {
	if e := s.lost.Load(); e != nil {
		return e
	}
	return s.down(ctx, "", nil) // it has a process, which is gone
}

// end ends the session, and what runs for it. It takes a few graces at most.
func (s *session) end() {
	s.ended()
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		if s.sdk != nil {
			_ = s.sdk.Close() // errors of a session that ends do not matter
		}
	}()
	if s.proc != nil {
		s.proc.end()
		<-closed
		return
	}
	timer := time.NewTimer(s.cfg.grace)
	defer timer.Stop()
	select {
	case <-closed:
	case <-timer.C:
	}
	s.web.end()
	<-closed
	if s.idle != nil {
		s.idle()
	}
}
