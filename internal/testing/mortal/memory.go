package mortal

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/graphgen/graphgen/thread"
)

// A Memory is a store in memory whose transactions write rows.
type Memory struct {
	*thread.Memory
	mu   sync.Mutex
	rows []string
}

type rowsKey struct{}

// Transact implements thread.Transactor.
func (m *Memory) Transact(ctx context.Context, l thread.Lease, f func(context.Context) (thread.Head, []thread.Record, error)) (thread.Ack, error) {
	if _, err := m.Renew(ctx, l); err != nil {
		return thread.Ack{}, err
	}
	var rows []string
	head, records, err := f(context.WithValue(ctx, rowsKey{}, &rows))
	if err == nil && slices.Contains(rows, "") {
		err = errors.New("the transaction is refused: it has an empty row")
	}
	if err != nil {
		return thread.Ack{}, err
	}
	ack, err := m.Append(ctx, l, head, records)
	if err == nil {
		m.Commit(rows...)
	}
	return ack, err
}

// Commit writes rows, all or none.
func (m *Memory) Commit(rows ...string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.rows = append(m.rows, rows...)
}

// Write writes a row in the transaction of a context. A transaction with an empty row is refused at its end.
func (m *Memory) Write(ctx context.Context, row string) error {
	rows, ok := ctx.Value(rowsKey{}).(*[]string)
	if !ok {
		return errors.New("the context has no transaction")
	}
	*rows = append(*rows, row)
	return nil
}

// Rows returns the rows that are committed.
func (m *Memory) Rows() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.rows)
}
