package golden_test

import (
	"context"
	"strings"
	"testing"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/golden/namedends"
)

// An assessor looks at claims.
type assessor struct{ risk namedends.ClaimLookOutRisk }

func (c assessor) Look(context.Context, namedends.ClaimLookIn) (namedends.ClaimLookOut, error) {
	return namedends.ClaimLookOut{Risk: c.risk}, nil
}
func (assessor) Sort(context.Context, namedends.ClaimSortIn) (namedends.ClaimSortGoto, error) {
	return namedends.ClaimSortGotoRefused, nil
}
func (assessor) Pay(context.Context, namedends.ClaimPayIn) (namedends.ClaimPayOut, error) {
	return namedends.ClaimPayOut{Note: "paid"}, nil
}
func (assessor) HandOver(context.Context) (namedends.ClaimHandOverOut, error) {
	return namedends.ClaimHandOverOut{}, nil
}

// TestNamedEnds holds that reports and the last event of a run name the end that it has reached, with the constant of its graph.
func TestNamedEnds(t *testing.T) {
	for risk, want := range map[namedends.ClaimLookOutRisk]namedends.ClaimEnding{
		namedends.ClaimLookOutRiskLow:  namedends.ClaimEndingPaid,
		namedends.ClaimLookOutRiskHigh: namedends.ClaimEndingRefused, namedends.ClaimLookOutRiskFraud: namedends.ClaimEndingRefused,
	} {
		m, err := namedends.NewClaim(assessor{risk})
		if err != nil {
			t.Fatal(err)
		}
		var report graphgen.Report
		var last graphgen.Event
		_, err = m.Run(t.Context(), namedends.ClaimInput{Amount: 3}, graphgen.WithReport(&report), graphgen.WithObserver(func(e graphgen.Event) { last = e }))
		if got := namedends.ClaimEnding(report.Ending); err != nil || got != want {
			t.Errorf("of the risk %v a run ends at %q with %v, want %q", risk, got, err, want)
		}
		text, err := last.AppendJSON(nil)
		if want := `"ending":"` + string(want) + `"`; err != nil || !strings.Contains(string(text), want) {
			t.Errorf("the last event is %s, %v, want %s in it", text, err, want)
		}
	}
}
