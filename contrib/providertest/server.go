package providertest

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// providerHost is the host of the model's server. Every other host is foreign.
const providerHost = "provider.test"

// A handler writes a hostile answer.
type handler func(s *server, w http.ResponseWriter, r *http.Request)

// A server answers over pipes: what it has sent was read by the client, and no buffer of an operating
// system is between them.
type server struct {
	*Provider
	serve     handler
	http      http.Server
	transport http.Transport
	listener  *listener
	sent      atomic.Int64 // bytes
	calls     atomic.Int64
	elsewhere atomic.Int64 // calls
}

func start(p *Provider, serve handler) *server {
	s := &server{Provider: p, serve: serve, listener: &listener{conns: make(chan net.Conn), done: make(chan struct{})}}
	s.http.Handler = s
	s.transport.DialContext = s.dial
	go func() { _ = s.http.Serve(s.listener) }() // it ends when the server is closed
	return s
}

func (s *server) client() *http.Client { return &http.Client{Transport: &s.transport} }

// close ends the server. It lets time pass in the bubble, because package http keeps a connection for
// a moment before it closes it.
func (s *server) close() {
	_ = s.http.Close()
	s.transport.CloseIdleConnections()
	time.Sleep(time.Minute)
}

func (s *server) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, conn := net.Pipe()
	select {
	case s.listener.conns <- &counted{conn, &s.sent}:
		return client, nil
	case <-s.listener.done:
		return nil, errClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// ServeHTTP answers once the whole request was read: then the server sees that the client closes
// its connection.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	if r.Host != providerHost {
		s.elsewhere.Add(1)
		return
	}
	s.calls.Add(1)
	s.serve(s, w, r)
}

// A counted connection counts the bytes that the other end has read.
type counted struct {
	net.Conn
	sent *atomic.Int64
}

func (c *counted) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.sent.Add(int64(n))
	return n, err
}

var errClosed = errors.New("the server is closed")

type listener struct {
	conns chan net.Conn
	done  chan struct{}
}

func (l *listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, errClosed
	}
}

func (l *listener) Close() error {
	select {
	case <-l.done:
	default:
		close(l.done)
	}
	return nil
}

func (l *listener) Addr() net.Addr { return &net.UnixAddr{Name: providerHost} }
