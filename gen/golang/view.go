package golang

import "github.com/graphgen/graphgen/gen/plan"

// viewFile renders what describes the graph to servers, in a file that a reviewer of the machine skips.
func viewFile(m *plan.Machine, _ string) ([]byte, error) {
	e := newEmitter(m)
	e.print("view file", nil)
	return e.render()
}
