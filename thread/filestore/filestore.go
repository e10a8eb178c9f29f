// Package filestore keeps threads in a folder of one machine. It is the store of programs that have no database: it needs
// no server and no library, and many processes can use one folder.
//
// When Append returns, its records are synced to the disk. A process that is killed, or a machine that loses its
// power, loses none of them. Each frame of a file has a checksum: a frame that was not written to its end is left out, and
// bytes that have changed are a [thread.CorruptError], with the last record before them.
//
// A lease is a file. Who gets a thread creates the next one, which ends the right of all before it to write: what a
// process writes to its file after that does not count, and it finds out before its Append returns. So a process
// may be stopped at any point, for any time. On Unix, the lease of a process that has ended is free immediately; elsewhere, its
// time has to run out.
//
// A lease is used through the Store that acquired it. The folder has to be on a file system of the machine: file systems
// of a network promise less.
package filestore

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/graphgen/graphgen/thread"
)

// A Store keeps threads in a folder.
type Store struct {
	dir   string
	f     files
	now   func() time.Time
	pause func() // waits a moment for another process

	mu     sync.Mutex
	leases map[key]*handle
}

var _ thread.Store = (*Store)(nil)

// Exists reports whether a folder is a store.
func Exists(dir string) bool {
	info, err := os.Stat(filepath.Join(dir, tokensName))
	return err == nil && info.IsDir()
}

// Open returns the store of a folder, which is made if it does not exist; the folder around it has to.
func Open(dir string) (*Store, error) { return open(dir, osFiles{}, time.Now) }

func open(dir string, f files, now func() time.Time) (*Store, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	s := &Store{dir: filepath.ToSlash(dir), f: f, now: now, pause: func() { time.Sleep(time.Millisecond) }, leases: map[key]*handle{}}
	for _, d := range []string{s.dir, s.dir + "/" + tokensName} {
		err := f.Mkdir(d)
		if err == nil {
			err = f.SyncDir(filepath.ToSlash(filepath.Dir(d)))
		}
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
	}
	return s, nil
}

// Close closes the files of leases that were not released. On Unix, other processes can acquire their threads immediately.
func (s *Store) Close() error {
	s.mu.Lock()
	handles := slices.Collect(maps.Values(s.leases))
	clear(s.leases)
	s.mu.Unlock()
	for _, h := range handles {
		h.mu.Lock()
		h.close()
		h.mu.Unlock()
	}
	return nil
}

// find reads the folder of a thread that has records.
func (s *Store) find(ctx context.Context, name string) (*state, error) {
	if err := cmp.Or(thread.CheckName(name), ctx.Err()); err != nil {
		return nil, err
	}
	st, err := s.read(name)
	if err != nil {
		return nil, err
	}
	if !st.exists() {
		if st.damage != nil {
			return nil, st.damage
		}
		return nil, &thread.NotFoundError{Thread: name}
	}
	return st, nil
}

// Load implements thread.Store.
func (s *Store) Load(ctx context.Context, name string, at uint64) (thread.Head, []thread.Record, error) {
	st, err := s.find(ctx, name)
	if err != nil {
		return thread.Head{}, nil, err
	}
	if st.damage != nil && (at == 0 || at > st.head.Seq) {
		return thread.Head{}, nil, st.damage
	}
	seq := at
	if at == 0 {
		seq = st.head.Seq
	}
	records, err := st.records(0, seq, true)
	if err != nil {
		return thread.Head{}, nil, err
	}
	if len(records) == 0 || records[len(records)-1].Seq != seq || !records[0].Snapshot {
		return thread.Head{}, nil, &thread.NotFoundError{Thread: name, Seq: seq}
	}
	return st.head, records, nil
}

// History implements thread.Store.
func (s *Store) History(ctx context.Context, name string, after uint64, limit int) ([]thread.Record, error) {
	st, err := s.find(ctx, name)
	if err != nil {
		return nil, err
	}
	through := uint64(math.MaxUint64)
	if first := max(after+1, st.floor); limit > 0 && first < through-uint64(limit) {
		through = first + uint64(limit) - 1
	}
	records, err := st.records(after, through, false)
	if err == nil && st.damage != nil && through > st.head.Seq {
		err = st.damage
	}
	return records, err
}

// List implements thread.Store. A thread that is damaged has the head before the damage.
func (s *Store) List(ctx context.Context, filter thread.Filter) (page []thread.Head, err error) {
	names, err := s.names()
	if err != nil {
		return nil, err
	}
	i, _ := slices.BinarySearch(names, max(filter.After, filter.Prefix))
	for _, name := range names[i:] {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if len(page) == filter.Page() || name > filter.Prefix && !strings.HasPrefix(name, filter.Prefix) {
			break
		}
		st, err := s.read(name)
		if err != nil {
			return nil, err
		}
		if st.exists() && filter.Match(st.head, s.now()) {
			page = append(page, st.head)
		}
	}
	return page, nil
}

// names returns the names of all folders of threads, sorted.
func (s *Store) names() ([]string, error) {
	folders, err := s.f.ReadDir(s.dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, f := range folders {
		name, ok := unfolder(f)
		if !ok && strings.HasPrefix(f, folderMark) {
			name, err = s.hashed(f)
			ok = name != "" && err == nil
		}
		if ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// hashed finds the name of a thread in the segments of its folder.
func (s *Store) hashed(f string) (string, error) {
	files, err := s.f.ReadDir(s.dir + "/" + f)
	if err != nil {
		return "", err
	}
	for _, i := range segments(files) {
		if seg, err := s.segment(s.dir+"/"+f, i, 0); err == nil && seg.base != nil {
			return seg.base.head.Thread, nil
		}
	}
	return "", nil
}
