// Package runview has the parts of a page that shows runs, in JavaScript without a library: the pure fold over events, the view, and its style
// sheets. Package gen/runpage makes a file of them, contrib/studio serves them.
package runview

import (
	_ "embed"
	"strings"
)

var (
	//go:embed exact.mjs
	Exact string // JSON whose numbers keep their digits

	//go:embed fold.mjs
	Fold string // what events add up to

	//go:embed paint.mjs
	Paint string // shows what runs did in a picture

	//go:embed view.mjs
	View string // shows runs in a document that has Parts

	//go:embed page.mjs
	page string

	//go:embed view.css
	Sheet string

	//go:embed picture.css
	PictureSheet string // of pictures of graphs without style sheets of their own, in both themes; gen/picture writes it
)

// Parts are the parts of a document that the view fills, beside an element with the ID picture that has a picture of the graph.
const Parts = `<section id="time" aria-label="steps">
<div id="bar"><button id="begin" title="to the begin (Home)">begin</button><button id="prev" title="one step back (left arrow)">back</button>` +
	`<button id="play" title="space">play</button><button id="next" title="one step on (right arrow)">on</button>` +
	`<button id="end" title="to the end (End)">end</button>` +
	`<input id="scrub" type="range" min="0" aria-label="event"><output id="clock"></output></div>
<div id="times"></div>
</section>
<section id="detail" aria-label="step"></section>
`

// Script returns one script without imports, for a file that has the data of its runs.
func Script() string {
	var all strings.Builder
	for _, text := range []string{Exact, Fold, Paint, View, page} {
		for line := range strings.Lines(text) {
			if !strings.HasPrefix(line, "import ") {
				all.WriteString(line)
			}
		}
	}
	return all.String()
}
