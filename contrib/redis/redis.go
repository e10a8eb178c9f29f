// Package redis keeps threads of graphs in Redis, or in a server with its protocol and scripts in Lua.
//
// Redis answers before it has synced a write to the disk, unless its settings are appendonly yes and appendfsync always: with
// these, the records of an Append survive a crash of the server and of its machine, when Append has returned. Open
// refuses other settings, as it refuses a maxmemory-policy that evicts keys. With [Lossy], it accepts them: then a crash may lose what was
// acknowledged (with appendfsync everysec, of about the last second), and a thread resumes from an earlier step. Its log
// remains whole, and has one history. A replica gets writes after they are acknowledged, so that a failover may lose the last ones, too.
//
// All keys are of one server: a Redis Cluster is not supported. Leases are judged by the clock of the server.
package redis

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/graphgen/graphgen/thread"
)

// version is the version of the keys.
const version = 1

// A Store keeps threads in the keys of a server that begin with a prefix.
type Store struct {
	client goredis.UniversalClient
	own    bool
	prefix string
	lossy  bool
	now    func() time.Time // for tests; nil: the clock of the server
}

var _ thread.Store = (*Store)(nil)

// An Option changes a store.
type Option func(*Store)

// Prefix sets the beginning of all keys, which is "graphgen:" otherwise.
func Prefix(prefix string) Option { return func(s *Store) { s.prefix = prefix } }

// Lossy accepts settings of the server under which a crash can lose records that were acknowledged, and servers that do not
// show their settings.
func Lossy() Option { return func(s *Store) { s.lossy = true } }

// A SettingError is the error of opening a store on a server that can lose what it has acknowledged.
type SettingError struct{ Name, Value, Want string }

func (e *SettingError) Error() string {
	return fmt.Sprintf("redis: the server has %s %q, and loses what was acknowledged; with %q it does not; the option Lossy accepts it",
		e.Name, e.Value, e.Want)
}

// patience is the timeout of reads and writes unless the address has others: records may be large.
const patience = 30 * time.Second

// Open connects to a server, redis://user:password@host:port/db or unix://path. Keys of a later version of this package are
// a [thread.SchemaError].
func Open(ctx context.Context, address string, opts ...Option) (*Store, error) {
	options, err := goredis.ParseURL(address)
	if _, ok := errors.AsType[*url.Error](err); ok { // it has parts of the password
		return nil, errors.New("redis: the address is not a valid URL such as redis://user:password@host:port/db")
	}
	if err != nil {
		return nil, err
	}
	options.ContextTimeoutEnabled = true
	options.MaxRetries = -1 // a repeated Acquire would find the lease of the first
	options.ReadTimeout, options.WriteTimeout = cmp.Or(options.ReadTimeout, patience), cmp.Or(options.WriteTimeout, patience)
	client := goredis.NewClient(options)
	s, err := New(ctx, client, opts...)
	if err != nil {
		return nil, errors.Join(err, client.Close())
	}
	s.own = true
	return s, nil
}

// New is Open with a client of the caller, who closes it. It should not repeat commands by itself, and needs ContextTimeoutEnabled among its options:
// without it, a call ends by the timeouts of the client alone, and one on a connection that is dead may last longer than a lease.
func New(ctx context.Context, client goredis.UniversalClient, opts ...Option) (*Store, error) {
	s := &Store{client: client, prefix: "graphgen:"}
	for _, o := range opts {
		o(s)
	}
	if !s.lossy {
		if err := s.durable(ctx); err != nil {
			return nil, err
		}
	}
	reply, err := s.run(ctx, open, version)
	if err != nil {
		return nil, err
	}
	if found := int(reply.number(1)); found > version {
		return nil, &thread.SchemaError{Store: "redis keys " + s.prefix, Found: found, Know: version}
	}
	return s, nil
}

// durable refuses settings under which acknowledged records can be lost.
func (s *Store) durable(ctx context.Context) error {
	for _, want := range [][2]string{{"appendonly", "yes"}, {"appendfsync", "always"}, {"maxmemory-policy", "noeviction"}} {
		got, err := s.client.ConfigGet(ctx, want[0]).Result()
		if err != nil {
			return fmt.Errorf("redis: the server does not show its settings, which the option Lossy accepts: %w", err)
		}
		if got[want[0]] != want[1] {
			return &SettingError{want[0], got[want[0]], want[1]}
		}
	}
	return nil
}

// Close closes the client that Open made.
func (s *Store) Close() error {
	if s.own {
		return s.client.Close()
	}
	return nil
}

// A reply is the result of a script: a word, and what belongs to it.
type reply []any

func (r reply) text(i int) string {
	if i < len(r) {
		s, _ := r[i].(string)
		return s
	}
	return ""
}

func (r reply) number(i int) int64 {
	n, _ := strconv.ParseInt(r.text(i), 10, 64)
	return n
}

func (r reply) list(i int) reply {
	if i < len(r) {
		l, _ := r[i].([]any)
		return l
	}
	return nil
}

// run runs a script.
func (s *Store) run(ctx context.Context, script *goredis.Script, args ...any) (reply, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	now := ""
	if s.now != nil {
		now = strconv.FormatInt(s.now().UnixMicro(), 10)
	}
	result, err := script.Run(ctx, s.client, []string{s.prefix}, append([]any{now}, args...)...).Slice()
	return result, err
}

// call runs a script about a thread, and turns the words of the reply into errors.
func (s *Store) call(ctx context.Context, script *goredis.Script, name string, args ...any) (reply, error) {
	r, err := s.run(ctx, script, append([]any{name}, args...)...)
	if err != nil {
		return nil, err
	}
	switch r.text(0) {
	case "held":
		return nil, &thread.HeldError{Thread: name, Until: loaded(r.text(1))}
	case "none":
		return nil, &thread.NotFoundError{Thread: name}
	case "record":
		return nil, &thread.NotFoundError{Thread: name, Seq: uint64(r.number(1))}
	case "exists":
		return nil, &thread.StateError{Thread: name, Err: thread.ErrExists}
	}
	return r, nil
}

// stored returns a time as a field has it.
func stored(t time.Time) string {
	if t.IsZero() {
		return "0"
	}
	return strconv.FormatInt(t.UnixMicro(), 10)
}

// loaded returns the time of a field.
func loaded(v string) time.Time {
	n, _ := strconv.ParseInt(v, 10, 64)
	if n == 0 {
		return time.Time{}
	}
	return time.UnixMicro(n).UTC()
}

// fields returns the fields of a head that a writer sets, as scripts take them.
func fields(h thread.Head) []any {
	return []any{h.Graph, h.Shape, int(h.Status), stored(h.Created), stored(h.Updated), stored(h.Expires), h.Summary}
}

// head returns what the function show of the scripts returns.
func (r reply) head(name string) (h thread.Head) {
	h.Thread, h.Graph, h.Shape, h.Status, h.Seq = name, r.text(0), r.text(1), thread.Status(r.number(2)), uint64(r.number(3))
	h.Created, h.Updated, h.Expires = loaded(r.text(4)), loaded(r.text(5)), loaded(r.text(6))
	if summary := r.text(7); summary != "" {
		h.Summary = []byte(summary)
	}
	h.Stop, h.Until = r.text(8) == "1", loaded(r.text(9))
	return h
}

// record returns a record as the log has it.
func record(r thread.Record) []byte {
	b := make([]byte, 9, 9+len(r.Data))
	b[0] = '-'
	if r.Snapshot {
		b[0] = 'S'
	}
	if !r.Time.IsZero() {
		binary.BigEndian.PutUint64(b[1:], uint64(r.Time.UnixMicro()))
	}
	return append(b, r.Data...)
}

// span returns the numbers of the first and the last record of a reply.
func (r reply) span() thread.Span {
	return thread.Span{First: uint64(r.number(2)), Last: uint64(r.number(3))}
}

// records returns the records of a reply, except missing ones.
func (r reply) records(name string) (records []thread.Record, _ error) {
	list, first := r.list(5), uint64(r.number(4))
	for i := range list {
		text := list.text(i)
		if text == "" {
			continue
		}
		seq := first + uint64(i)
		if len(text) < 9 {
			return nil, &thread.CorruptError{Thread: name, Good: seq - 1, Where: "record " + strconv.FormatUint(seq, 10) + " has changed"}
		}
		next := thread.Record{Seq: seq, Snapshot: text[0] == 'S', Data: []byte(text[9:])}
		if at := int64(binary.BigEndian.Uint64([]byte(text[1:9]))); at != 0 {
			next.Time = time.UnixMicro(at).UTC()
		}
		records = append(records, next)
	}
	return records, nil
}

// Acquire implements thread.Store.
func (s *Store) Acquire(ctx context.Context, name string, ttl time.Duration) (thread.Lease, thread.Head, error) {
	if err := cmp.Or(thread.CheckName(name), thread.CheckTTL(name, ttl)); err != nil {
		return thread.Lease{}, thread.Head{}, err
	}
	r, err := s.call(ctx, acquire, name, ttl.Microseconds())
	if err != nil {
		return thread.Lease{}, thread.Head{}, err
	}
	head := r.list(1).head(name)
	if r.text(0) == "damaged" {
		return thread.Lease{}, thread.Head{}, r.span().CheckHead(&head)
	}
	return thread.Lease{Thread: name, Token: uint64(r.list(1).number(10)), TTL: ttl, Until: head.Until}, head, nil
}

// Renew implements thread.Store.
func (s *Store) Renew(ctx context.Context, lease thread.Lease) (thread.Ack, error) {
	if err := thread.CheckLease(lease); err != nil {
		return thread.Ack{}, err
	}
	r, err := s.call(ctx, renew, lease.Thread, lease.Token, lease.TTL.Microseconds())
	if err != nil {
		return thread.Ack{}, err
	}
	return r.ack(lease, 0)
}

// ack returns the answer to the holder of a lease, whose records began with a number.
func (r reply) ack(lease thread.Lease, first uint64) (thread.Ack, error) {
	switch r.text(0) {
	case "lost":
		return thread.Ack{}, &thread.LostError{Thread: lease.Thread, Token: lease.Token}
	case "seq":
		return thread.Ack{}, &thread.SeqError{Thread: lease.Thread, Last: uint64(r.number(1)), First: first}
	}
	return thread.Ack{Until: loaded(r.text(1)), Stop: r.text(2) == "1"}, nil
}

// Release implements thread.Store.
func (s *Store) Release(ctx context.Context, lease thread.Lease) error {
	if thread.CheckLease(lease) != nil {
		return nil
	}
	_, err := s.call(ctx, release, lease.Thread, lease.Token)
	return err
}

// Append implements thread.Store. When it returns without an error, the records are as durable as the settings of the server
// make them; see the package.
func (s *Store) Append(ctx context.Context, lease thread.Lease, head thread.Head, records []thread.Record) (thread.Ack, error) {
	if err := cmp.Or(thread.CheckLease(lease), thread.CheckAppend(lease, head, records)); err != nil {
		return thread.Ack{}, err
	}
	args := append([]any{lease.Token, lease.TTL.Microseconds(), head.Seq}, fields(head)...)
	for _, r := range records {
		args = append(args, record(r))
	}
	r, err := s.call(ctx, put, lease.Thread, args...)
	if err != nil {
		return thread.Ack{}, err
	}
	return r.ack(lease, head.Seq-uint64(len(records))+1)
}

// Load implements thread.Store.
func (s *Store) Load(ctx context.Context, name string, at uint64) (thread.Head, []thread.Record, error) {
	r, err := s.call(ctx, load, name, at)
	if err != nil {
		return thread.Head{}, nil, err
	}
	head := r.list(1).head(name)
	records, err := r.records(name)
	return head, records, cmp.Or(err, r.span().CheckLoad(&head, at, records))
}

// History implements thread.Store.
func (s *Store) History(ctx context.Context, name string, after uint64, limit int) ([]thread.Record, error) {
	r, err := s.call(ctx, history, name, after, limit)
	if err != nil {
		return nil, err
	}
	head := r.list(1).head(name)
	records, err := r.records(name)
	return records, cmp.Or(err, r.span().CheckHistory(&head, after, limit, records))
}

// List implements thread.Store.
func (s *Store) List(ctx context.Context, filter thread.Filter) ([]thread.Head, error) {
	from := "-"
	switch {
	case filter.After >= filter.Prefix && filter.After != "":
		from = "(" + filter.After
	case filter.Prefix != "":
		from = "[" + filter.Prefix
	}
	var statuses strings.Builder
	for _, st := range filter.Status {
		statuses.WriteString(strconv.Itoa(int(st)))
	}
	var page []thread.Head
	for {
		r, err := s.run(ctx, list, from, filter.Prefix, filter.Graph, statuses.String(), filter.Unleased, filter.Page()-len(page))
		if err != nil {
			return nil, err
		}
		found := r.list(1)
		for i := range found {
			row := found.list(i)
			page = append(page, row.list(1).head(row.text(0)))
		}
		if r.text(2) == "" {
			return page, nil
		}
		from = "(" + r.text(2)
	}
}

// Stop implements thread.Store.
func (s *Store) Stop(ctx context.Context, name string) error {
	_, err := s.call(ctx, stop, name)
	return err
}

// Copy implements thread.Store.
func (s *Store) Copy(ctx context.Context, from string, at uint64, head thread.Head) error {
	if err := thread.CheckCopy(at, head); err != nil {
		return err
	}
	r, err := s.call(ctx, copyTo, from, append([]any{at, head.Thread}, fields(head)...)...)
	if r.text(0) == "damaged" {
		source := r.list(1).head(from)
		return r.span().CheckCopy(&source, at, r.number(3))
	}
	switch e := err.(type) {
	case *thread.StateError:
		e.Thread = head.Thread
	case *thread.HeldError:
		e.Thread = head.Thread
	}
	return err
}

// Prune implements thread.Store.
func (s *Store) Prune(ctx context.Context, name string, before uint64) (int, error) {
	r, err := s.call(ctx, prune, name, before)
	return int(r.number(1)), err
}

// Delete implements thread.Store.
func (s *Store) Delete(ctx context.Context, name string) error {
	_, err := s.call(ctx, del, name)
	return err
}

// Sweep implements thread.Store.
func (s *Store) Sweep(ctx context.Context) (n int, err error) {
	for from := "-"; ; {
		r, err := s.run(ctx, sweep, from)
		if err != nil {
			return n, err
		}
		n += int(r.number(1))
		if r.text(2) == "" {
			return n, nil
		}
		from = "(" + r.text(2)
	}
}
