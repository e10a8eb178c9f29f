package optiontable_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/internal/testing/tempmodule"
)

// uses are how code gives an option to the places: %s is the option.
var uses = map[string][]string{
	"C": {`optiontable.NewJourney(nil, nil, %s)`},
	"N": {`review.NewReview(nil, %s)`},
	"R": {`m.Run(ctx, in, %s)`, `m.Stream(ctx, in, %s)`},
	"S": {`m.Thread("t").Start(ctx, in, %s)`},
	"V": {`m.Thread("t").Recover(ctx, %s)`},
	"A": {`m.Resume(ctx, p, a, %s)`},
	"T": {`m.Thread("t").Resume(ctx, a, %s)`},
}

const header = `package uses

import (
	"context"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat/record"
	graphslog "github.com/graphgen/graphgen/contrib/slog"
	"github.com/graphgen/graphgen/golden/review"
	"github.com/graphgen/graphgen/hooks"
	"github.com/graphgen/graphgen/internal/testing/optiontable"
	"github.com/graphgen/graphgen/runtime/driver"
	"github.com/graphgen/graphgen/thread"
)

func _(ctx context.Context, m *optiontable.Journey, in optiontable.JourneyInput, p *graphgen.Pause, a graphgen.Answer[optiontable.Journey]) {
`

var problem = regexp.MustCompile(`uses\.go:(\d+):\d+: (.*)`)

// TestTypesOfOptions compiles a use of every option at every place: where the place does not take the option, that is an error of the compiler, and
// nowhere else.
func TestTypesOfOptions(t *testing.T) {
	module := tempmodule.New(t, tempmodule.Internal, "../../..")
	tempmodule.Watch(t, ".", "../../../contrib/slog")
	lines := strings.Split(strings.TrimSuffix(header, "\n"), "\n")
	refused := map[int]string{} // uses that do not compile, by line
	want := map[int]bool{}
	for _, r := range rows {
		for _, letter := range slices.Sorted(maps.Keys(uses)) {
			for _, use := range uses[letter] {
				lines = append(lines, fmt.Sprintf("\t"+use, r.code))
				want[len(lines)] = !strings.Contains(r.of, letter)
			}
		}
	}
	module.Write("uses.go", strings.Join(lines, "\n")+"\n}\n")
	out, err := module.Go("build", "-gcflags=-e", ".")
	if err == nil {
		t.Fatal("all uses compile")
	}
	for _, found := range problem.FindAllStringSubmatch(out, -1) {
		line, _ := strconv.Atoi(found[1])
		if refused[line] = found[2]; !strings.Contains(found[2], "does not implement") {
			t.Errorf("%s: %s", strings.TrimSpace(lines[line-1]), found[2])
		}
	}
	for line, wrong := range want {
		use := strings.TrimSpace(lines[line-1])
		switch problem := refused[line]; {
		case wrong && problem == "":
			t.Errorf("%s compiles", use)
		case !wrong && problem != "":
			t.Errorf("%s: %s", use, problem)
		}
	}
	t.Logf("%d uses, of which %d do not compile", len(want), len(refused))
}
