package prompttext

import (
	"slices"
	"strings"
	"testing"
)

// pieces are those of Cut, by Next.
func pieces(text string) []string {
	list := []string{""}
	for text != "" {
		var before, name string
		before, name, text = Next(text)
		list[len(list)-1] += before
		if name != "" {
			list = append(list, name, "")
		}
	}
	return list
}

func TestNext(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"", []string{""}},
		{"as it is", []string{"as it is"}},
		{"{{topic}}", []string{"", "topic", ""}},
		{"on {{topic}}, {{depth}}deep", []string{"on ", "topic", ", ", "depth", "deep"}},
		{"{{{{topic}} and {{topic}}", []string{"{{topic}} and ", "topic", ""}},
		{"the end {{{{", []string{"the end {{"}},
		{"}} {", []string{"}} {"}},
	} {
		if got := pieces(c.text); !slices.Equal(got, c.want) {
			t.Errorf("the pieces of %q are %q, want %q", c.text, got, c.want)
		}
	}
}

// FuzzNext holds that Next finds in a text what Cut finds in it.
func FuzzNext(f *testing.F) {
	f.Add("on {{topic}}, {{{{ {{depth}}")
	f.Fuzz(func(t *testing.T, text string) {
		want, ok := Cut(text)
		for i := 1; i < len(want); i += 2 {
			ok = ok && want[i] != "" && !strings.Contains(want[i], "}") // which is the name of no field
		}
		if !ok {
			return
		}
		set := "" // as the compiler sets it
		for i, piece := range want {
			if i%2 == 0 {
				set += Escape(piece)
			} else {
				set += Placeholder(piece)
			}
		}
		if got := pieces(set); !slices.Equal(got, want) {
			t.Errorf("the pieces of %q are %q, want %q", set, got, want)
		}
	})
}
