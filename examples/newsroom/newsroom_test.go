package newsroom

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/graphgen/graphgen"
)

// The machine runs with its real handlers here; the scenarios beside the graph tell every
// way it can go.
func TestArticles(t *testing.T) {
	staff := Staff{Facts: map[string][]string{"otters": {"They dive", "They hold hands", "They use tools"}}}
	m, err := NewNewsroom(staff)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, topic string
		last        string
		praise      int
	}{
		{"three facts take three drafts", "otters", "publish", 4},
		{"without facts there is no article", "badgers", "spike", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			var report graphgen.Report
			out, err := m.Run(t.Context(), NewsroomInput{Topic: test.topic}, graphgen.WithReport(&report))
			if err != nil || out.Praise != test.praise {
				t.Errorf("praise %d, error %v", out.Praise, err)
			}
			if last := report.Path[len(report.Path)-1].Node; last != test.last {
				t.Errorf("it ends at %s", last)
			}
		})
	}
}

// The codecs of the package's own types are generated beside them.
func TestPackageTypes(t *testing.T) {
	desk := Desk{Topic: "otters", Verdicts: []Verdict{{Score: 3, Severity: Major, Issues: []string{"thin"}}}}
	var text strings.Builder
	if err := desk.MarshalJSONTo(jsontext.NewEncoder(&text)); err != nil {
		t.Fatal(err)
	}
	want := `{"topic":"otters","article":"","praise":0,"verdicts":[{"score":3,"severity":"major","issues":["thin"]}]}`
	if got := strings.TrimSpace(text.String()); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	var back Desk
	if err := back.UnmarshalJSONFrom(jsontext.NewDecoder(strings.NewReader(want))); err != nil || back.Verdicts[0].Severity != Major {
		t.Errorf("%+v, error %v", back, err)
	}
	wrong := strings.Replace(want, "major", "mayor", 1)
	if err := back.UnmarshalJSONFrom(jsontext.NewDecoder(strings.NewReader(wrong))); err == nil {
		t.Error("a severity that there is not is read")
	}
}
