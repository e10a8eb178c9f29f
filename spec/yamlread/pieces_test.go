package yamlread

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/internal/testing/tier"
)

// pieceTexts are what random edits insert: what begins and ends entries, scalars, lists, comments and documents.
var pieceTexts = []string{
	"x", ":", " ", "\n", "\n  ", "  ", "- ", "\n- ", "\n  - ", "#", " # ", "\"", "'", "|", ">",
	">-\n", "[", "]", "{", "}", ",", "&a ", "*a", "!t ", "? ", "<<: ",
	"---\n", "...\n", "%", "\t", "\r\n", "a: b\n", "  a: b\n", "a:\n", "nodes:\n", "\u00e9", "\x00", "\xff", "{{", "\n\n", "~",
}

// pieceFiles are the specs and scenarios of the repository, and texts whose entries are not clear.
func pieceFiles(t testing.TB) (texts []string) {
	t.Helper()
	for _, dir := range []string{"../../golden", "../../examples", "../../testdata", "../check/testdata"} {
		err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err == nil && strings.HasSuffix(path, ".yaml") {
				var text []byte
				if text, err = os.ReadFile(path); len(text) < 8<<10 {
					texts = append(texts, string(text))
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return append(texts,
		"a: \"x\nb: y\"\nc: [1,\nd: 2]\n", "a:\n- x\n- y: 1\n  z: 2\nb:\n  - 1\n\n  - 2\n", "a: |\n  x\n\n# c\nb: >+\n  y\n\n\nc: 1\n",
		"a: &x 1\nb: *x\n", "a: {\n  x: 1\n}\nb: 2\n", "a: 1\na: 2\nb:\n  x: 1\n  x: 2\n", "# c\n\na: 1\n   # d\nb:\n  # e\n  c:\n    d: 1\n  # f\n",
		"a: 1\n---\nb: 2\n", "a:\n  b: 1\n c: 2\n", "a:\n  b: 1\n   c: 2\n", "a: x\n  y\nb: z\n", "a:\n  - b: 1\n    c: 2\n  - d\n e: 3\n")
}

// parsed is what a reader makes of a text.
func parsed(text string, pieces *Pieces) (root Tree, ok bool, found string) {
	r := New("f", "", &Language{})
	r.Pieces = pieces
	root, ok = r.Parse([]byte(text))
	return root, ok, fmt.Sprint(r.Found())
}

// agrees holds that a text that is parsed by pieces is what it is as a whole.
func agrees(t *testing.T, text string, pieces *Pieces) bool {
	t.Helper()
	root, ok, found := parsed(text, pieces)
	want, wantOK, wantFound := parsed(text, nil)
	if ok != wantOK || found != wantFound || !reflect.DeepEqual(root, want) {
		t.Errorf("it is\n%+v, %v, %s\nby pieces, and as a whole\n%+v, %v, %s\nof\n%s", root, ok, found, want, wantOK, wantFound, text)
		return false
	}
	return true
}

// TestPieces holds that files which are edited at random are by pieces what they are as a whole.
func TestPieces(t *testing.T) {
	texts := pieceFiles(t)
	cut := 0
	for _, text := range texts {
		pieces := &Pieces{few: 1}
		agrees(t, "\t\n"+text, new(Pieces{few: 1}))
		agrees(t, text, pieces)
		if pieces.files == nil {
			continue
		}
		cut++
		before := pieces.files["f"]
		agrees(t, "# one line further down\n"+text, pieces)
		for of, p := range pieces.files["f"] {
			if before[of] != p {
				t.Errorf("it is parsed again\n%s", of)
			}
		}
	}
	if cut < len(texts)/2 {
		t.Errorf("%d of %d files were cut", cut, len(texts))
	}
	for d := range tier.Draws(t, tier.Pick(100, 300, 20_000)) {
		random := d.Rand()
		text := texts[random.IntN(len(texts))]
		pieces := &Pieces{few: 1 + random.IntN(10)}
		for range 12 {
			if !agrees(t, text, pieces) {
				return
			}
			at := random.IntN(len(text) + 1)
			end := min(at+random.IntN(4)*random.IntN(10), len(text))
			edited := text[:at] + pieceTexts[random.IntN(len(pieceTexts))] + text[end:]
			if !agrees(t, edited, pieces) {
				return
			}
			if random.IntN(3) == 0 { // else it is taken back
				text = edited
			}
		}
	}
}
