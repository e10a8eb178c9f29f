package fixloop

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Drafts by what becomes of them.
const (
	// ThreeMistakes can be repaired within the bound.
	ThreeMistakes = `package main

import "os"

func main() {
 fmt.Printf("%d otters\n", "three")
}
`
	// FourMistakes has one more than the loop has turns.
	FourMistakes = `package main

import "os"

func main() {
	unused := 1
	fmt.Printf("%d otters\n", "three")
}
`
	// UnknownMistake is one that no repair is known for.
	UnknownMistake = `package main

import "os"

func main() {
	return 1
}
`
)

// A repair matches one complaint of go vet and corrects its cause. The complaint's first group is
// the line.
type repair struct {
	name      string
	complaint *regexp.Regexp
	mend      func(source string, found []string) string
}

var repairs = []repair{
	{"removed an import", regexp.MustCompile(`main.go:(\d+):\d+: "\w+" imported and not used`), removeLine},
	{"added an import", regexp.MustCompile(`main.go:(\d+):\d+: undefined: (\w+)`), addImport},
	{"removed a variable", regexp.MustCompile(`main.go:(\d+):\d+: declared and not used`), removeLine},
	{"corrected a format", regexp.MustCompile(`main.go:(\d+):\d+: .* format (%\w) has arg .* of wrong type (string)`), correctFormat},
}

func removeLine(source string, found []string) string {
	lines, at := split(source, found)
	return strings.Join(slices.Delete(lines, at, at+1), "\n")
}

func addImport(source string, found []string) string {
	clause, rest, _ := strings.Cut(source, "\n")
	return clause + "\n\nimport " + strconv.Quote(found[2]) + "\n" + rest
}

func correctFormat(source string, found []string) string {
	lines, at := split(source, found)
	lines[at] = strings.Replace(lines[at], found[2], "%s", 1)
	return strings.Join(lines, "\n")
}

// split returns the lines of a source, and the index of the one complained about.
func split(source string, found []string) ([]string, int) {
	lines := strings.Split(source, "\n")
	line, err := strconv.Atoi(found[1])
	if err != nil || line < 1 || line > len(lines) {
		return append(lines, ""), len(lines)
	}
	return lines, line - 1
}
