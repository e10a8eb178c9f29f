package inquiry

import (
	"slices"
	"strings"
	"testing"
)

func TestSearch(t *testing.T) {
	l := Library{Files: Shelf()}
	found, err := l.Search(t.Context(), InquirySearchArgs{Word: "HANNA"})
	if want := []Match{{Name: "rats.md", Line: 3,
		Text: "Rats came ashore from the wreck of the Hanna in 2011. In 2017 every second burrow of the north side that we watched had been"}}; err !=
		nil || !slices.Equal(found, want) {
		t.Errorf("found %+v and %v", found, err)
	}
	if found, err := l.Search(t.Context(), InquirySearchArgs{Word: "lights"}); err != nil || found == nil || len(found) > 0 {
		t.Errorf("a word that there is not was found as %#v and %v", found, err)
	}
}

func TestMissingText(t *testing.T) {
	for _, name := range []string{"lights.md", "../secret"} {
		_, err := Library{Files: Shelf()}.ReadText(t.Context(), InquiryReadTextArgs{Name: name})
		if err == nil || !strings.Contains(err.Error(), "search says") {
			t.Errorf("%s gave %v", name, err)
		}
	}
}

func TestUnreadTexts(t *testing.T) {
	out, err := Library{Files: Shelf()}.Compare(t.Context(), InquiryCompareIn{Findings: []Finding{
		{Sources: []string{"counts.txt", "rats.md"}}, {Sources: []string{"rats.md", "sandeels.md"}},
	}})
	if want := []string{"counting.md", "visitors.md"}; err != nil || !slices.Equal(out.Unread, want) {
		t.Errorf("unread are %v and %v, want %v", out.Unread, err, want)
	}
}

func TestSources(t *testing.T) {
	l := Library{Files: Shelf()}
	for sources, want := range map[string]string{
		"rats.md":           "",
		"rats.md lights.md": "the source lights.md is not a text",
		"":                  "it names no source",
	} {
		err := l.SourcesExist(t.Context(), Finding{Sources: strings.Fields(sources)})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("sources %q gave %v, want %q", sources, err, want)
		}
	}
}
