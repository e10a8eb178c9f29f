package temporal

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	common "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/workflow"
)

// A Store keeps what is too large for histories: conversations, and long inputs and outputs of activities. The history has their names, which are
// hashes of what they name. All workers of a graph use one store, which has to keep a value as long as Temporal keeps the history of a workflow that
// names it. Several goroutines may call it concurrently.
type Store interface {
	// Put keeps a value. The same name is always given with the same value.
	Put(ctx context.Context, name string, data []byte) error
	// Get returns the value of a name. The caller does not change it.
	Get(ctx context.Context, name string) ([]byte, error)
}

// WithStore keeps values of more than inline bytes in a store; 0: of more than 256. Without a store each value is in the history, and each call of a
// model has its whole conversation.
func WithStore(s Store, inline int) Option {
	return func(set *settings) {
		if inline <= 0 {
			inline = defaultInline
		}
		set.store, set.inline = &cached{of: s, kept: map[string][]byte{}}, inline
	}
}

const defaultInline = 256

// nameOf returns the name of a value: 160 bits of a hash.
func nameOf(data []byte) string {
	sum := sha256.Sum256(data)
	return base64.RawURLEncoding.EncodeToString(sum[:20])
}

// NewMemory returns a store in the memory of the process, for tests: another process does not have its values.
func NewMemory() Store { return &memory{of: map[string][]byte{}} }

type memory struct {
	mu sync.Mutex
	of map[string][]byte
}

func (m *memory) Put(_ context.Context, name string, data []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.of[name] = bytes.Clone(data)
	return nil
}

func (m *memory) Get(_ context.Context, name string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	data, ok := m.of[name]
	if !ok {
		return nil, fmt.Errorf("the store has no value %s", name)
	}
	return data, nil
}

// Folder returns a store in a folder that all workers have, one file for each value. The folder exists.
func Folder(dir string) Store { return folder(dir) }

type folder string

func (f folder) path(name string) string { return filepath.Join(string(f), "v"+name) }

func (f folder) Put(_ context.Context, name string, data []byte) (err error) {
	if _, err := os.Stat(f.path(name)); err == nil {
		return nil
	}
	temp, err := os.CreateTemp(string(f), ".new-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(temp.Name()))
		}
	}()
	_, err = temp.Write(data)
	if err = errors.Join(err, temp.Sync(), temp.Close()); err != nil {
		return err
	}
	return os.Rename(temp.Name(), f.path(name))
}

func (f folder) Get(_ context.Context, name string) ([]byte, error) {
	data, err := os.ReadFile(f.path(name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("the store has no value %s", name)
	case err == nil && nameOf(data) != name:
		return nil, fmt.Errorf("the value %s of the store is damaged", name)
	}
	return data, err
}

// cached keeps the last values of a store in memory: a workflow that is replayed reads them again.
type cached struct {
	of   Store
	mu   sync.Mutex
	kept map[string][]byte
	size int
}

// A storeError reports that a store does not work. Temporal executes the activity or the workflow task again.
type storeError struct{ err error }

func (e *storeError) Error() string { return "the store of the workflow: " + e.err.Error() }
func (e *storeError) Unwrap() error { return e.err }

// cacheBytes is how much a cache keeps.
const cacheBytes = 32 << 20

func (c *cached) keep(name string, data []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.kept[name]; ok || len(data) > cacheBytes/8 {
		return
	}
	for other, v := range c.kept { // any
		if c.size+len(data) <= cacheBytes {
			break
		}
		delete(c.kept, other)
		c.size -= len(v)
	}
	c.kept[name] = data
	c.size += len(data)
}

func (c *cached) known(name string) ([]byte, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	data, ok := c.kept[name]
	return data, ok
}

func (c *cached) put(ctx context.Context, data []byte) (name string, err error) {
	name = nameOf(data)
	if _, ok := c.known(name); ok {
		return name, nil
	}
	if err := c.of.Put(ctx, name, data); err != nil {
		return "", &storeError{err}
	}
	c.keep(name, data)
	return name, nil
}

func (c *cached) get(ctx context.Context, name string) ([]byte, error) {
	if data, ok := c.known(name); ok {
		return data, nil
	}
	data, err := c.of.Get(ctx, name)
	if err != nil {
		return nil, &storeError{err}
	}
	c.keep(name, data)
	return data, nil
}

// unwatched calls f, which may wait for a store, in a workflow whose coroutines must not take long otherwise.
func unwatched(w workflow.Context, f func() error) error {
	c := workflow.DataConverterWithoutDeadlockDetection(caller{converter.GetDefaultDataConverter()})
	_, err := c.(workflow.ContextAware).WithWorkflowContext(w).ToPayload(f)
	return err
}

// caller is a converter that calls what it is given.
type caller struct{ converter.DataConverter }

func (caller) ToPayload(value any) (*common.Payload, error) { return nil, value.(func() error)() }
