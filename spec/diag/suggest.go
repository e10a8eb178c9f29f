package diag

import (
	"strings"
	"unicode/utf8"
)

// longestName bounds the names that Suggest compares.
const longestName = 64

// Suggest returns the candidate that is most similar to name: the smallest edit distance (letters
// added, dropped, changed or swapped, case ignored), and among equals the first in alphabetical
// order. It returns false if none is similar enough to be a misspelling: one edit in three letters,
// at most three.
func Suggest(name string, candidates []string) (string, bool) {
	from := []rune(strings.ToLower(name))
	if len(from) == 0 || len(from) > longestName {
		return "", false
	}
	best, found := "", false
	limit := min(len(from)/3, 3)
	for _, c := range candidates {
		if c == name || abs(utf8.RuneCountInString(c)-len(from)) > limit {
			continue
		}
		d := distance(from, []rune(strings.ToLower(c)))
		if d < limit || d == limit && (!found || c < best) {
			best, limit, found = c, d, true
		}
	}
	return best, found
}

// distance returns the number of edits from a to b, where a swap of neighbours is one (optimal
// string alignment).
func distance(a, b []rune) int {
	before, above, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range above {
		above[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			row[j] = min(above[j]+1, row[j-1]+1, above[j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, above, row = above, row, before
	}
	return above[len(b)]
}

func abs(n int) int { return max(n, -n) }
