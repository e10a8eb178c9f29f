package engine

// NameOf returns the name of a value of a generated enum, which counts the names from 1. A value
// that is not set, or is not one of the enum, has no name.
func NameOf[E ~uint8 | ~uint16](value E, names ...string) string {
	if value == 0 || int(value) > len(names) {
		return ""
	}
	return names[value-1]
}
