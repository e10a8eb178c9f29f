package graph

// Template marks a node of a template, which its tag names: `graphgen:"kind=critique, reads=draft"`.
type Template struct{}
