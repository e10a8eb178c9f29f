// Package dashes lets the parser of command lines accept flags in the style of Go's tools.
package dashes

// Two rewrites flags in the style of Go's tools, such as -diff or -o=FILE, to the form that
// the parser accepts.
func Two(args []string) []string {
	out := make([]string, 0, len(args))
	for i, a := range args {
		if a == "--" {
			return append(out, args[i:]...)
		}
		if len(a) > 2 && a[0] == '-' && 'a' <= a[1] && a[1] <= 'z' {
			if a[2] == '=' {
				a = a[:2] + a[3:]
			} else {
				a = "-" + a
			}
		}
		out = append(out, a)
	}
	return out
}
