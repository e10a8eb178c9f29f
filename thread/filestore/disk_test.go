package filestore

import (
	"errors"
	"io/fs"
	"maps"
	"path"
	"strings"
	"sync"
)

// A disk is a file system in memory that counts operations, fails at one of them, and can lose its power: then it has what
// was synced, and of the rest as much as an outage says.
type disk struct {
	mu      sync.Mutex
	now     map[string]*inode // what processes see
	durable map[string]*inode // names that were synced
	ops     int
	fault   func(op int) error // nil: none
}

// An inode is a file, or a folder if data is unused.
type inode struct {
	dir          bool
	data, synced []byte
}

var errPower = errors.New("the power is out")

func newDisk() *disk {
	root := &inode{dir: true}
	return &disk{now: map[string]*inode{"/": root}, durable: map[string]*inode{"/": root}}
}

// op counts an operation that changes the disk, and returns its fault.
func (d *disk) op() error {
	d.ops++
	if d.fault != nil {
		return d.fault(d.ops)
	}
	return nil
}

// An outage is what remains of that which was not synced.
type outage struct {
	name  string
	names bool                            // names remain
	data  func(synced, now []byte) []byte // of a file
}

var outages = []outage{
	{"nothing", false, func(synced, _ []byte) []byte { return synced }},
	{"names", true, func(synced, _ []byte) []byte { return synced }},
	{"everything", true, func(_, now []byte) []byte { return now }},
	{"data", false, func(_, now []byte) []byte { return now }},
	{"half of the bytes", true, func(synced, now []byte) []byte { return now[:(len(synced)+len(now))/2] }},
	{"zeros", true, func(synced, now []byte) []byte {
		b := make([]byte, len(now))
		copy(b, synced)
		return b
	}},
	{"the last sector", true, func(synced, now []byte) []byte {
		return without(synced, now, func(i int) bool { return i < (len(now)-1)/sector })
	}},
	{"every other sector", true, func(synced, now []byte) []byte {
		return without(synced, now, func(i int) bool { return i%2 == 0 })
	}},
	{"all but every other sector", true, func(synced, now []byte) []byte {
		return without(synced, now, func(i int) bool { return i%2 == 1 })
	}},
}

// without returns a file in which sectors have zeros where they were not synced.
func without(synced, now []byte, missing func(i int) bool) []byte {
	b := append([]byte(nil), now...)
	for i := range b {
		if i >= len(synced) && missing(i/sector) {
			b[i] = 0
		}
	}
	return b
}

// lose returns the disk after an outage.
func (d *disk) lose(o outage) *disk {
	d.mu.Lock()
	defer d.mu.Unlock()
	names := d.durable
	if o.names {
		names = d.now
	}
	after := newDisk()
	for name, i := range names {
		copied := &inode{dir: i.dir}
		if !i.dir {
			copied.data = append([]byte(nil), o.data(i.synced, i.data)...)
			copied.synced = append([]byte(nil), copied.data...)
		}
		after.now[name] = copied
	}
	after.durable = maps.Clone(after.now)
	return after
}

func (d *disk) Create(name string) (file, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.op(); err != nil {
		return nil, err
	}
	if d.now[name] != nil {
		return nil, fs.ErrExist
	}
	if d.now[path.Dir(name)] == nil {
		return nil, fs.ErrNotExist
	}
	i := &inode{}
	d.now[name] = i
	return &diskFile{d, i}, nil
}

func (d *disk) Open(name string) (file, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.now[name] == nil {
		return nil, fs.ErrNotExist
	}
	return &diskFile{d, d.now[name]}, nil
}

func (d *disk) ReadFile(name string) ([]byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.now[name] == nil {
		return nil, fs.ErrNotExist
	}
	return append([]byte(nil), d.now[name].data...), nil
}

func (d *disk) ReadDir(name string) (names []string, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.now[name] == nil {
		return nil, fs.ErrNotExist
	}
	for n := range d.now {
		if path.Dir(n) == name && n != "/" {
			names = append(names, path.Base(n))
		}
	}
	return names, nil
}

func (d *disk) Mkdir(name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.now[name] != nil {
		return fs.ErrExist
	}
	if err := d.op(); err != nil {
		return err
	}
	d.now[name] = &inode{dir: true}
	return nil
}

func (d *disk) Remove(name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.op(); err != nil {
		return err
	}
	if d.now[name] == nil {
		return fs.ErrNotExist
	}
	for n := range d.now {
		if strings.HasPrefix(n, name+"/") {
			return errors.New("the folder is not empty")
		}
	}
	delete(d.now, name)
	return nil
}

func (d *disk) SyncDir(name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.op(); err != nil {
		return err
	}
	for n := range d.durable {
		if path.Dir(n) == name && d.now[n] == nil {
			delete(d.durable, n)
		}
	}
	for n, i := range d.now {
		if path.Dir(n) == name {
			d.durable[n] = i
		}
	}
	return nil
}

type diskFile struct {
	d *disk
	i *inode
}

func (f *diskFile) WriteAt(b []byte, off int64) (int, error) {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	err := f.d.op()
	n := len(b)
	if err != nil {
		n /= 2 // a write that fails has done a part
	}
	if grown := int(off) + n - len(f.i.data); grown > 0 {
		f.i.data = append(f.i.data, make([]byte, grown)...)
	}
	return copy(f.i.data[off:], b[:n]), err
}

func (f *diskFile) Sync() error {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	if err := f.d.op(); err != nil {
		return err
	}
	f.i.synced = append([]byte(nil), f.i.data...)
	return nil
}

func (f *diskFile) Close() error { return nil }
func (f *diskFile) Lock() error  { return nil }
func (f *diskFile) Left() bool   { return false }
