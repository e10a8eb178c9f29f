package differential

import (
	"maps"
	"slices"

	"github.com/graphgen/graphgen/differential/player"
)

// shrink returns a script that still fails and of which no part can be left out.
func shrink(script *player.Script, fails func(*player.Script) bool) *player.Script {
	for {
		smaller := firstFailing(script, fails)
		if smaller == nil {
			return script
		}
		script = smaller
	}
}

func firstFailing(script *player.Script, fails func(*player.Script) bool) *player.Script {
	for _, name := range slices.Sorted(maps.Keys(script.Nodes)) {
		list := script.Nodes[name]
		for i := range list {
			var options [][]player.Entry
			if len(list) > 1 {
				options = append(options, slices.Delete(slices.Clone(list), i, i+1))
			}
			for _, e := range simpler(list[i]) {
				options = append(options, slices.Replace(slices.Clone(list), i, i+1, e))
			}
			for _, option := range options {
				smaller := *script
				smaller.Nodes = maps.Clone(script.Nodes)
				smaller.Nodes[name] = option
				if fails(&smaller) {
					return &smaller
				}
			}
		}
	}
	return nil
}

// simpler lists entries that do less.
func simpler(e player.Entry) []player.Entry {
	var out []player.Entry
	if e.Kind != "" && e.Kind != player.Waits {
		plain := e
		plain.Kind = ""
		out = append(out, plain)
	}
	if len(e.Set) > 0 {
		still := e
		still.Set = nil
		out = append(out, still)
	}
	return out
}
