package postgres

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/graphgen/graphgen/thread"
)

const (
	mostStatements = 2                     // of a group, on their way at a time, without those that wait for locks
	mostWrites     = 128                   // in one statement
	mostBytes      = 4 << 20               // of records in one statement, unless it has one append
	patience       = 20 * time.Millisecond // how long a statement of one write keeps others waiting: it may wait for a lock
	farewell       = 5 * time.Second       // how long a release may take: the context of many has no end, and a connection may be dead
)

// A group writes to several threads by one statement, which is one round trip and one commit: the writes that come while statements are on their way
// wait for one of them to return, and the next statement has them all. A write that comes alone is sent without waiting. A thread that is locked
// keeps writes to others waiting for [patience] at most.
type group struct {
	store *Store
	most  int // statements on their way

	mu      sync.Mutex
	waiting []*pending
	sending int // statements on their way
}

// A pending write is an append, or the release of a lease, that a caller waits for.
type pending struct {
	ctx      context.Context
	lease    thread.Lease
	releases bool // it has no head and no records
	head     thread.Head
	records  []thread.Record

	done chan struct{} // nil: the caller sends the statement
	ack  thread.Ack    // of an append
	err  error
}

// append appends, with what others write meanwhile.
func (g *group) append(ctx context.Context, lease thread.Lease, head thread.Head, records []thread.Record) (thread.Ack, error) {
	return g.write(&pending{ctx: ctx, lease: lease, head: head, records: records})
}

// release releases a lease, with what others write meanwhile.
func (g *group) release(ctx context.Context, lease thread.Lease) error {
	ctx, cancel := context.WithTimeout(ctx, farewell)
	defer cancel()
	_, err := g.write(&pending{ctx: ctx, lease: lease, releases: true})
	return err
}

func (g *group) write(p *pending) (thread.Ack, error) {
	g.mu.Lock()
	if g.sending < g.most {
		g.sending++
		g.mu.Unlock()
		if g.one(p) {
			g.sent()
		}
		return p.ack, p.err
	}
	p.done = make(chan struct{})
	p.own()
	g.waiting = append(g.waiting, p)
	g.mu.Unlock()
	select {
	case <-p.done:
		return p.ack, p.err
	case <-p.ctx.Done(): // it may be written yet
		return thread.Ack{}, p.ctx.Err()
	}
}

// one sends a statement with one write, and reports whether it has the turn of a statement still: it gives it to others where it lasts.
func (g *group) one(p *pending) bool {
	last := time.AfterFunc(patience, g.sent)
	p.alone(g.store)
	return last.Stop()
}

// alone writes by a statement of its own, which waits for a lock of the thread.
func (p *pending) alone(s *Store) {
	if p.releases {
		_, p.err = s.pool.Exec(p.ctx, s.sql.release, p.lease.Thread, int64(p.lease.Token))
		return
	}
	p.ack, _, p.err = s.appendOnce(p.ctx, s.pool, p.lease, p.head, p.records)
}

// own copies the data of an append, which may outlive the call of its caller.
func (p *pending) own() {
	p.head.Summary = bytes.Clone(p.head.Summary)
	p.records = slices.Clone(p.records)
	for i := range p.records {
		p.records[i].Data = bytes.Clone(p.records[i].Data)
	}
}

// sent gives the turn of a statement that has returned to the writes that wait.
func (g *group) sent() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.waiting) > 0 {
		go g.send()
	} else {
		g.sending--
	}
}

// send sends statements until no write waits.
func (g *group) send() {
	for {
		list := g.next()
		switch len(list) {
		case 0:
			return
		case 1:
			has := g.one(list[0])
			if close(list[0].done); !has {
				return
			}
			continue
		}
		for _, p := range g.store.writeAll(list) {
			go func() {
				p.alone(g.store)
				close(p.done)
			}()
		}
	}
}

// next takes the writes of the next statement, of each thread at most one: the writes of a thread are in their order.
func (g *group) next() (list []*pending) {
	g.mu.Lock()
	defer g.mu.Unlock()
	names, size := map[string]bool{}, 0
	rest := g.waiting[:0]
	for _, p := range g.waiting {
		bytes := 0
		for _, r := range p.records {
			bytes += len(r.Data)
		}
		switch {
		case p.ctx.Err() != nil: // its caller has left
		case names[p.lease.Thread], len(list) == mostWrites, len(list) > 0 && size+bytes > mostBytes:
			names[p.lease.Thread] = true
			rest = append(rest, p)
		default:
			names[p.lease.Thread] = true
			list, size = append(list, p), size+bytes
		}
	}
	clear(g.waiting[len(rest):])
	g.waiting = rest
	if len(list) == 0 {
		g.sending--
	}
	return list
}

// writeAll writes to several threads, and ends the writes that are done. It returns those that are left to statements of their own: a thread is locked,
// and nothing else may wait for it; a lease is lost; or there is an error, and such a statement finds out which write has it.
func (s *Store) writeAll(list []*pending) (left []*pending) {
	ctx, end := whileAny(list)
	defer end()
	acks, err := s.writeTogether(ctx, list)
	for _, p := range list {
		ack, ok := acks[p.lease.Thread]
		switch {
		case ok:
			p.ack = ack
		case err != nil && !isRefused(err):
			p.err = err
		default:
			left = append(left, p)
			continue
		}
		close(p.done)
	}
	return left
}

// isRefused reports whether the server has refused a statement, which has then done nothing.
func isRefused(err error) bool {
	_, refused := errors.AsType[*pgconn.PgError](err)
	return refused
}

// whileAny returns a context that is canceled when the contexts of all writes are.
func whileAny(list []*pending) (_ context.Context, end func()) {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(list[0].ctx))
	var mu sync.Mutex
	left := len(list)
	stops := make([]func() bool, len(list))
	for i, p := range list {
		stops[i] = context.AfterFunc(p.ctx, func() {
			mu.Lock()
			defer mu.Unlock()
			if left--; left == 0 {
				cancel(context.Cause(p.ctx))
			}
		})
	}
	return ctx, func() {
		for _, stop := range stops {
			stop()
		}
		cancel(nil)
	}
}

// writeTogether writes to several threads by one statement. It returns what it has written, by thread.
func (s *Store) writeTogether(ctx context.Context, list []*pending) (map[string]thread.Ack, error) {
	var heads struct {
		names                     []string
		tokens, ttls, before, seq []int64
		status                    []int16
		ended                     []bool
		graphs, shapes            []string
		created, updated, expires []*time.Time
		summaries                 [][]byte
	}
	var rows struct {
		names     []string
		seqs      []int64
		times     []*time.Time
		snapshots []bool
		datas     [][]byte
	}
	var released struct {
		names  []string
		tokens []int64
	}
	for _, p := range list {
		l, h := &p.lease, &p.head
		if p.releases {
			released.names, released.tokens = append(released.names, l.Thread), append(released.tokens, int64(l.Token))
			continue
		}
		heads.names, heads.tokens, heads.ttls = append(heads.names, l.Thread), append(heads.tokens, int64(l.Token)), append(heads.ttls, l.TTL.Microseconds())
		heads.before, heads.seq = append(heads.before, int64(h.Seq)-int64(len(p.records))), append(heads.seq, int64(h.Seq))
		heads.status, heads.ended = append(heads.status, int16(h.Status)), append(heads.ended, h.Status.Ended())
		heads.graphs, heads.shapes = append(heads.graphs, h.Graph), append(heads.shapes, h.Shape)
		heads.created, heads.updated, heads.expires = append(heads.created, stored(h.Created)), append(heads.updated, stored(h.Updated)),
			append(heads.expires, stored(h.Expires))
		heads.summaries = append(heads.summaries, h.Summary)
		for _, r := range p.records {
			rows.names, rows.seqs, rows.times = append(rows.names, l.Thread), append(rows.seqs, int64(r.Seq)), append(rows.times, stored(r.Time))
			rows.snapshots, rows.datas = append(rows.snapshots, r.Snapshot), append(rows.datas, data(r))
		}
	}
	found, err := s.pool.Query(ctx, s.sql.writeAll, s.clock(), heads.names, heads.tokens, heads.ttls, heads.before, heads.seq, heads.status, heads.ended,
		heads.graphs, heads.shapes, heads.created, heads.updated, heads.expires, heads.summaries, rows.names, rows.seqs, rows.times, rows.snapshots, rows.datas,
		released.names, released.tokens)
	if err != nil {
		return nil, err
	}
	acks := make(map[string]thread.Ack, len(list))
	var name string
	var until *time.Time
	var stop bool
	_, err = pgx.ForEachRow(found, []any{&name, &until, &stop}, func() error {
		acks[name] = thread.Ack{Until: loaded(until), Stop: stop}
		return nil
	})
	if err != nil { // nothing is committed, or it is not known
		return nil, err
	}
	return acks, nil
}
