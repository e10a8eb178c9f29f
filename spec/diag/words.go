package diag

import "strings"

// MostListed is how many names a help line lists.
const MostListed = 8

// Listed is a help line with a few names, empty where there are none.
func Listed(intro string, names []string) string {
	switch {
	case len(names) == 0:
		return ""
	case len(names) > MostListed:
		return intro + " " + strings.Join(names[:MostListed], ", ") + ", …"
	}
	return intro + " " + strings.Join(names, ", ")
}

// Article returns the name of a type with a or an before it.
func Article(name string) string {
	if name == "bytes" {
		return name
	}
	if name != "" && strings.ContainsRune("aeiouAEIOU", rune(name[0])) {
		return "an " + name
	}
	return "a " + name
}
