package draft

import (
	"strings"

	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/yamlread"
)

// sharedLength is how long the text of a block is that gets a file of its own, where several prompts have it.
const sharedLength = 200

// share moves the long texts that blocks of several prompts have to files, and returns these.
func (d *Draft) share() []diag.File {
	times := map[string]int{}
	d.longBlocks(func(_ string, text *Tree) { times[text.Text]++ })
	var files []diag.File
	named := map[string]string{} // names of files by their texts
	taken := map[string]bool{}
	d.longBlocks(func(block string, text *Tree) {
		if times[text.Text] < 2 {
			return
		}
		name, had := named[text.Text]
		for i := 1; !had && (name == "" || taken[name]); i++ {
			name = "prompts/" + d.Name.V + "-" + numbered(Identifier(block, "block"), i) + ".md"
		}
		if !had {
			named[text.Text], taken[name] = name, true
			files = append(files, diag.File{Name: name, Text: strings.TrimRight(text.Text, "\n") + "\n"})
		}
		*text = Map(text.Pos, "file", name)
	})
	return files
}

// longBlocks calls a function with the name and the text of each long block.
func (d *Draft) longBlocks(each func(block string, text *Tree)) {
	for _, n := range d.Nodes {
		blocks := n.Keys.Get("blocks")
		for i := 0; blocks != nil && i < len(blocks.Items); i++ {
			text := blocks.Items[i].Get("text")
			if text.Kind == yamlread.Text && len(text.Text) >= sharedLength && harmless(text.Text) {
				each(blocks.Items[i].Get("name").Text, text)
			}
		}
	}
}
