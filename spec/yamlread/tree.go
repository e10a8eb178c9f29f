package spec

// A tree is a YAML value with its place: all of YAML that the reader sees.
type tree struct {
	shape  shape
	scalar ScalarKind // of a scalar
	style  style      // of a scalar
	pos    Pos        // of a scalar, its width as written, quotes included
	text   string     // of a scalar, without quotes
	items  []tree     // of a list; of a mapping key, value, key, value …

	dropped int // how many entries of a mapping are not among its items: their keys are no names, or repeat one
}

// shape is what a tree is. The zero shape is a value that has been reported already, so
// that nothing more is said about it.
type shape uint8

const (
	unreadable shape = iota
	scalar
	list
	mapping
)

// style is how a scalar is written.
type style uint8

const (
	plain style = iota
	quoted
	block // | or >
)

// get returns the value of a mapping's key, nil if it has none.
func (t *tree) get(key string) *tree {
	if t.shape != mapping {
		return nil
	}
	for i := 0; i < len(t.items); i += 2 {
		if t.items[i].text == key {
			return &t.items[i+1]
		}
	}
	return nil
}

// isNull reports whether the tree is an absent value, or null written out.
func (t *tree) isNull() bool { return t.shape == scalar && t.scalar == ScalarNull }

// found names what the author wrote, for a diagnostic.
func (t *tree) found() string {
	switch t.shape {
	case list:
		return "a list"
	case mapping:
		return "a mapping"
	}
	switch t.scalar {
	case ScalarInt, ScalarFloat:
		return "the number " + short(t.text)
	case ScalarBool:
		return "the bool " + t.text
	case ScalarNull:
		return "nothing"
	}
	return "the text " + quote(t.text)
}
