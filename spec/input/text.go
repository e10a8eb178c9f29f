package input

import (
	"os"
	"path/filepath"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/link"
)

// ReadText reads the file of a prompt: that of a path below a root. Symbolic links are followed within
// the root, to files that a prompt may have.
func ReadText(root, path string) ([]byte, error) {
	real, err := filepath.EvalSymlinks(filepath.Join(root, filepath.FromSlash(path)))
	if err != nil {
		return nil, err
	}
	top, err := filepath.EvalSymlinks(root)
	if err != nil {
		return nil, err
	}
	below, err := filepath.Rel(top, real)
	if err != nil || !filepath.IsLocal(below) || !link.MayHoldText(filepath.ToSlash(below)) {
		return nil, &link.OutsideError{To: real}
	}
	folder, err := os.OpenRoot(top) // a link that is made in between does not lead out of it
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	text, _, err := startWith(below, spec.MaxText+1, folder.Stat, folder.OpenFile)
	return text, err
}
