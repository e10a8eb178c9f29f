package picture_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/gen/picture"
)

// pictures are the pictures that pages show: files of docs/pictures, each with the spec that it shows. The
// graphs that nodes run are drawn within these nodes.
var pictures = map[string]string{
	"review":   "golden/review/review.graph.yaml",
	"refine":   "golden/composition/refine.graph.yaml",
	"transfer": "golden/composition/transfer.graph.yaml",
	"outing":   "golden/composition/outing.graph.yaml",
	"library":  "golden/composition/library.graph.yaml",
	"enquire":  "golden/composition/enquire.graph.yaml",
	"digest":   "golden/composition/digest.graph.yaml",

	"agenttriage": "examples/agenttriage/triage.graph.yaml",
	"assistant":   "examples/assistant/assistant.graph.yaml",
	"chat":        "examples/chat/chat.graph.yaml",
	"clerk":       "examples/chatserver/clerk.graph.yaml",
	"desk":        "examples/desk/desk.graph.yaml",
	"fallback":    "examples/fallback/fallback.graph.yaml",
	"fixloop":     "examples/fixloop/fixloop.graph.yaml",
	"helpline":    "examples/helpline/helpline.graph.yaml",
	"inquiry":     "examples/inquiry/inquiry.graph.yaml",
	"letter":      "examples/survive/letter.graph.yaml",
	"librarian":   "examples/librarian/librarian.graph.yaml",
	"office":      "examples/refunds/office.graph.yaml",
	"research":    "examples/research/research.graph.yaml",
	"tenants":     "examples/tenants/tenants.graph.yaml",
	"toolrouter":  "examples/toolrouter/toolrouter.graph.yaml",
	"triage":      "examples/triage/triage.graph.yaml",
}

// ofRuns are pictures that show runs, which cmd/graphgen draws and holds.
var ofRuns = map[string]bool{"article_run": true}

// TestPagePictures holds the pictures in docs to their specs, and the pages to the pictures: each picture is shown or linked by a page
// that has its graph, or a link to it. -update writes the pictures.
func TestPagePictures(t *testing.T) {
	shown := map[string]bool{}
	image := regexp.MustCompile(`(!?)\[([^]]*)\]\(([^)]*pictures/([a-z_]+)\.svg)\)`)
	for page, text := range pages(t) {
		for _, m := range image.FindAllStringSubmatch(text, -1) {
			name, spec := m[4], pictures[m[4]]
			if shown[name] = true; ofRuns[name] {
				continue
			}
			if target := filepath.Join(filepath.Dir(page), m[3]); spec == "" || target != filepath.Join("../../docs/pictures", name+".svg") {
				t.Errorf("%s shows %s, which is no picture of docs/pictures", page, m[3])
			}
			if m[1] == "!" && len(m[2]) < 10 {
				t.Errorf("%s shows the picture %s with the text %q, which does not describe it", page, name, m[2])
			}
			folder := filepath.Base(filepath.Dir(spec))
			if !strings.Contains(text, "\ngraph: "+strings.TrimSuffix(filepath.Base(spec), ".graph.yaml")+"\n") && !strings.Contains(text, folder+"/)") {
				t.Errorf("%s shows the picture %s, but has neither its graph nor a link to %s", page, name, folder)
			}
		}
	}
	for name, spec := range pictures {
		if !shown[name] {
			t.Errorf("no page shows the picture %s", name)
		}
		text, err := os.ReadFile("../../" + spec)
		if err != nil {
			t.Error(err)
			continue
		}
		m := load("../../"+spec, text)
		if m == nil {
			t.Errorf("%s is wrong", spec)
			continue
		}
		compare(t, "../../docs/pictures/"+name+".svg", picture.Of(m, picture.Options{Open: 1}).SVG(picture.Style{}))
	}
	files, err := filepath.Glob("../../docs/pictures/*.svg")
	if err != nil || len(files) != len(pictures)+len(ofRuns) {
		t.Errorf("docs/pictures has %d files, want %d: %v", len(files), len(pictures)+len(ofRuns), err)
	}
}

// pages returns the texts of the pages by their paths.
func pages(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, root := range []string{"../../README.md", "../../docs", "../../examples/README.md"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".md") {
				return err
			}
			text, err := os.ReadFile(path)
			all[path] = string(text)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}
