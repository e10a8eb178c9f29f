package input

import (
	"os"
	"path/filepath"

	"github.com/graphgen/graphgen/spec/link"
)

// Below reads a file that a spec names, by a path below a root. Symbolic links are followed within the root, to
// files of the same kind.
func Below(root, path string, kind link.FileKind) ([]byte, error) {
	real, err := filepath.EvalSymlinks(filepath.Join(root, filepath.FromSlash(path)))
	if err != nil {
		return nil, err
	}
	top, err := filepath.EvalSymlinks(root)
	if err != nil {
		return nil, err
	}
	below, err := filepath.Rel(top, real)
	if err != nil || !filepath.IsLocal(below) || !kind.MayBe(filepath.ToSlash(below)) {
		return nil, &link.OutsideError{Link: true}
	}
	folder, err := os.OpenRoot(top) // a link that is made in between does not lead out of it
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	text, _, err := startWith(below, kind.Most+1, folder.Stat, folder.OpenFile)
	return text, err
}
