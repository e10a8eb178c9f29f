package filestore

import (
	"cmp"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"io/fs"
	"slices"
	"strconv"
	"strings"
)

// An id names a segment: the token of the lease under which it was written, and its number under the lease.
type id struct{ token, part uint64 }

func (i id) compare(o id) int {
	return cmp.Or(cmp.Compare(i.token, o.token), cmp.Compare(i.part, o.part))
}

const (
	segmentEnd = ".log"
	floorEnd   = ".floor" // a name in the folder of a thread: the first record that was not pruned
	tokenEnd   = ".token" // a name in the folder of the tokens: the last token of a thread that was deleted
	markEnd    = ".synced"
	stopName   = "stop"
	tokensName = "tokens"
	folderMark = "t-" // the first letters of the folder of a thread
)

func hex(v uint64) string {
	s := strconv.FormatUint(v, 16)
	return strings.Repeat("0", 16-len(s)) + s
}

func (i id) file() string { return hex(i.token) + "-" + hex(i.part) + segmentEnd }

// parseID reads the name of a segment.
func parseID(name string) (id, bool) {
	name, ok := strings.CutSuffix(name, segmentEnd)
	token, part, found := strings.Cut(name, "-")
	t, err := strconv.ParseUint(token, 16, 64)
	p, err2 := strconv.ParseUint(part, 16, 64)
	return id{t, p}, ok && found && err == nil && err2 == nil
}

// A mark is a name in the folder of a thread: so many bytes of a segment were synced when the segment was new, or when its lease was
// released. It shows that bytes are missing at the end of a file, which looks else like one that was not written to its end.
type mark struct {
	id
	size uint64
}

func (m mark) file() string { return hex(m.token) + "-" + hex(m.part) + "-" + hex(m.size) + markEnd }

// marks returns the marks among the names of a folder, the last one first.
func marks(names []string) (list []mark) {
	for _, name := range names {
		rest, ok := strings.CutSuffix(name, markEnd)
		segment, size, found := cutLast(rest, "-")
		i, valid := parseID(segment + segmentEnd)
		n, err := strconv.ParseUint(size, 16, 64)
		if ok && found && valid && err == nil {
			list = append(list, mark{i, n})
		}
	}
	slices.SortFunc(list, func(a, b mark) int { return cmp.Or(b.id.compare(a.id), cmp.Compare(b.size, a.size)) })
	return list
}

// cutLast is strings.Cut at the last separator.
func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// highest returns the greatest number among names with an ending.
func highest(names []string, end string) (v uint64) {
	for _, name := range names {
		if number, ok := strings.CutSuffix(name, end); ok {
			n, _ := strconv.ParseUint(number, 16, 64)
			v = max(v, n)
		}
	}
	return v
}

// raise makes a number the highest of a folder.
func raise(f files, dir string, v uint64, end string) error {
	names, err := f.ReadDir(dir)
	if err != nil || highest(names, end) >= v {
		return err
	}
	made, err := f.Create(dir + "/" + hex(v) + end)
	switch {
	case errors.Is(err, fs.ErrExist):
	case err != nil:
		return err
	default:
		if err := made.Close(); err != nil {
			return err
		}
	}
	if err := f.SyncDir(dir); err != nil {
		return err
	}
	for _, name := range names {
		if number, ok := strings.CutSuffix(name, end); ok && number < hex(v) {
			_ = f.Remove(dir + "/" + name)
		}
	}
	return nil
}

// folder returns the name of the folder of a thread. Letters that some file system does not distinguish
// are written as % and two digits. A name that becomes too long ends in its hash instead.
func folder(thread string) string {
	var b strings.Builder
	b.WriteString(folderMark)
	for i := range len(thread) {
		c := thread[i]
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' || c == '_' {
			b.WriteByte(c)
			continue
		}
		b.WriteString("%" + hex(uint64(c))[14:])
	}
	if b.Len() <= 200 {
		return b.String()
	}
	sum := sha256.Sum256([]byte(thread))
	return b.String()[:120] + "~" + strings.ToLower(base32.HexEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:]))
}

// unfolder returns the thread of a folder, unless its name ends in a hash.
func unfolder(name string) (string, bool) {
	rest, ok := strings.CutPrefix(name, folderMark)
	if !ok || strings.Contains(rest, "~") {
		return "", false
	}
	var b strings.Builder
	for i := 0; i < len(rest); i++ {
		if rest[i] != '%' {
			b.WriteByte(rest[i])
			continue
		}
		if i+3 > len(rest) {
			return "", false
		}
		c, err := strconv.ParseUint(rest[i+1:i+3], 16, 8)
		if err != nil {
			return "", false
		}
		b.WriteByte(byte(c))
		i += 2
	}
	return b.String(), true
}

// segments returns the segments among the names of a folder, the last one first.
func segments(names []string) (ids []id) {
	for _, name := range names {
		if i, ok := parseID(name); ok {
			ids = append(ids, i)
		}
	}
	slices.SortFunc(ids, func(a, b id) int { return b.compare(a) })
	return ids
}
