package filestore

import (
	"io"
	"os"
)

// A files is the part of a file system that the store uses. Tests put faults into it.
type files interface {
	Create(name string) (file, error) // the error is os.ErrExist if there is one
	Open(name string) (file, error)   // for Sync and Left
	ReadFile(name string) ([]byte, error)
	ReadDir(name string) ([]string, error)
	Mkdir(name string) error
	Remove(name string) error // a file, or a folder that is empty
	SyncDir(name string) error
}

type file interface {
	io.WriterAt
	io.Closer
	Sync() error
	// Lock marks a file that is open for writing as one whose process is alive.
	Lock() error
	// Left reports that the process that locked the file has ended. Where that is unknown, it reports false.
	Left() bool
}

// osFiles is the file system of the machine.
type osFiles struct{}

type osFile struct{ *os.File }

func (osFiles) Create(name string) (file, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	return osFile{f}, nil
}

func (osFiles) Open(name string) (file, error) {
	f, err := os.OpenFile(name, os.O_RDWR, 0) // Windows syncs no file that is open to be read
	if err != nil {
		return nil, err
	}
	return osFile{f}, nil
}

func (osFiles) ReadFile(name string) ([]byte, error) { return os.ReadFile(name) }

func (osFiles) ReadDir(name string) ([]string, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(-1)
}

func (osFiles) Mkdir(name string) error   { return os.Mkdir(name, 0o700) }
func (osFiles) Remove(name string) error  { return os.Remove(name) }
func (osFiles) SyncDir(name string) error { return syncDir(name) }
func (f osFile) Lock() error              { return lock(f.File) }
func (f osFile) Left() bool               { return left(f.File) }
