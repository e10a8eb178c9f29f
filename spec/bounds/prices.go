package bounds

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/explore"
	"github.com/graphgen/graphgen/spec/resolve"
)

// Names of prices that belong to no model.
const (
	DefaultPrice = "default" // of nodes and judges where neither a node nor its graph names a model
	LightPrice   = "light"   // for nodes with the flag lightweight, and summaries
)

// A Price is the cost of a model in US dollars per million tokens, and the most tokens of a call.
type Price struct {
	Input, Output float64
	Window        int // most tokens that a call reads
	MaxOutput     int // most tokens that a call writes; 0: Window
}

// Prices are the prices of models, by name.
type Prices struct{ rows map[string]Price }

// ParsePrices parses a table of prices. Each line has the name of a model, its prices of input and
// output, its window, and optionally the most tokens that it writes. A # begins a comment. An error
// names the line.
func ParsePrices(text string) (*Prices, error) {
	p := &Prices{map[string]Price{}}
	for i, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		if _, twice := p.rows[words[0]]; twice {
			return nil, fmt.Errorf("line %d: %q has a price already", i+1, words[0])
		}
		row, err := parsePrice(words[1:])
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		p.rows[words[0]] = row
	}
	return p, nil
}

// maxWindow exceeds the window of any model.
const maxWindow = 1 << 40

func parsePrice(words []string) (Price, error) {
	if len(words) < 3 || len(words) > 4 {
		return Price{}, fmt.Errorf("%d columns: expected model, input, output, window and max_output, which may be left out", len(words)+1)
	}
	var row Price
	for i, to := range []*float64{&row.Input, &row.Output} {
		n, err := strconv.ParseFloat(words[i], 64)
		if err != nil || !(n >= 0) || n > 1e6 {
			return Price{}, fmt.Errorf("%q is not a price in US dollars per million tokens", words[i])
		}
		*to = n
	}
	for i, word := range words[2:] {
		n, err := strconv.Atoi(word)
		if err != nil || n <= 0 || n > maxWindow {
			return Price{}, fmt.Errorf("%q is not a number of tokens", word)
		}
		if i == 0 {
			row.Window = n
		} else {
			row.MaxOutput = n
		}
	}
	return row, nil
}

// call returns the most that a call costs, in millionths of a dollar, with at most the given tokens
// in its answer. 0 tokens: the node sets no bound.
func (p Price) call(tokens int) int {
	written := p.Window
	for _, most := range []int{p.MaxOutput, tokens} {
		if most > 0 {
			written = min(written, most)
		}
	}
	return int(math.Ceil(min(float64(p.Window)*p.Input+float64(written)*p.Output, explore.Unbounded)))
}

// A money is the cost of models, in millionths of a US dollar.
type money struct {
	most     int
	worst    int      // of one call
	rate     float64  // of one token
	width    int      // concurrent calls
	unpriced []string // nodes without a price; the other fields do not include them
}

// A Cost is the most that the models of a run cost.
type Cost struct{ money }

// Dollars returns the cost in US dollars. It returns false if a price is missing, or without a
// bound.
func (c *Cost) Dollars() (float64, bool) {
	return float64(c.most) / 1e6, len(c.unpriced) == 0 && c.most < explore.Unbounded
}

// Unpriced returns the nodes whose models have no price. The name of a node of a subgraph follows
// the name of the node that runs it.
func (c *Cost) Unpriced() []string { return c.unpriced }

// price returns the most that a call of a node's model costs; for a nil node, a call of a judge.
func (m *money) price(w *costEstimator, n *resolve.Node, who string) int {
	name, tokens := w.from.Spec.Model.V, 0
	if n != nil {
		if name = w.from.ModelOf(n); name == "" && n.Has(spec.Lightweight) {
			name = LightPrice
		}
		tokens = n.Spec.Prompt.MaxTokens.V
	}
	return m.of(w, cmp.Or(name, DefaultPrice), tokens, who)
}

// of returns the most that a call costs by a price. who asks the model; 0 tokens: it sets no bound of the answer.
func (m *money) of(w *costEstimator, name string, tokens int, who string) int {
	row, ok := w.prices.rows[name]
	if !ok {
		if who += " (" + name + ")"; !slices.Contains(m.unpriced, who) {
			m.unpriced = append(m.unpriced, who)
		}
		return 0
	}
	call := row.call(tokens)
	m.worst, m.rate = max(m.worst, call), max(m.rate, row.Input, row.Output)
	return call
}

// money returns the most that a run costs.
func (t *tracer) money(w *costEstimator) *Cost {
	b, m := t.bounds, t.model
	c, sum := w.cost(spec.Value[int]{}), &Cost{}
	calls := w.modelCalls()
	for _, n := range w.graph.Running {
		i := n.Index
		name := n.Name()
		if run, ok := w.nested[n]; ok {
			c.Visit[i] = times(executions(n), run.dollars.most)
			sum.worst, sum.rate = max(sum.worst, run.dollars.worst), max(sum.rate, run.dollars.rate)
			for _, inner := range run.dollars.unpriced {
				if who := name + "." + inner; !slices.Contains(sum.unpriced, who) && strings.Count(inner, ".") < 3 {
					sum.unpriced = append(sum.unpriced, who)
				}
			}
		}
		if own := asks(n.Spec); own > 0 {
			c.Visit[i] = times(times(executions(n), own), sum.price(w, n.Spec, name))
		}
		if judged := gatesBefore(n); judged > 0 {
			c.Visit[i] += times(judged, sum.price(w, nil, name+", where it is judged"))
		}
		if calls.Pick[i] > 0 {
			c.Pick[i] = times(calls.Pick[i], sum.price(w, n.Spec, name))
		}
		short := summariesOf(n)
		if judged := calls.Finish[i] - short.finish; judged > 0 {
			c.Finish[i] = times(judged, sum.price(w, nil, name+", where it is judged"))
		}
		if short != (summaries{}) {
			each := sum.of(w, LightPrice, 0, name+", where texts are made short")
			c.Visit[i] += times(short.shown+short.before, each)
			c.Finish[i] += times(short.finish, each)
		}
		if calls.Judge[i] > 0 {
			c.Judge[i] = times(calls.Judge[i], sum.price(w, nil, name+", where it is judged"))
		}
	}
	c.added = w.worstAdded(func(n *resolve.Node) int {
		if n.Kind.By == spec.ByGraph {
			return times(w.addedRun(n).dollars.most, cfg.Executions(n))
		}
		calls := w.addedCalls(n)
		if calls == 0 {
			return 0
		}
		worst := max(sum.price(w, n, "what mutations add"), sum.price(w, nil, "what mutations add"))
		if shown, answer := n.Summaries(); shown+answer > 0 {
			worst = max(worst, sum.of(w, LightPrice, 0, "what mutations add"))
		}
		return times(calls, worst)
	})
	sum.width = w.width()
	worth := c.most(b)
	m.net.drain()
	m.limitVisits(func(n int) int { return b.Visits[n].Most })
	m.setCosts(newWeights(b.Graph, c.CostModel, maxOf).upTo(worth))
	_, carried := newLongestFlow(&m.net, m.target(b.Graph.Entry), worth)
	m.net.drain()
	m.resetVisits()
	m.setCosts(fewestSteps(b.Graph))
	if b.Mutable {
		carried = worth
	}
	sum.most = min(carried, times(b.ModelCalls.Most, sum.worst))
	sum.budget(w.from.Spec.Limits)
	return sum
}

// budget applies the limits on cost and tokens. The kernel checks them before a call, so that
// concurrent calls may exceed them.
func (m *money) budget(limits spec.Limits) {
	over := times(m.width, m.worst)
	if limits.MaxCost.IsSet() {
		m.most = min(m.most, int(math.Ceil(min(limits.MaxCost.V*1e6, explore.Unbounded)))+over)
	}
	if limits.MaxTokens.IsSet() {
		m.most = min(m.most, int(math.Ceil(min(float64(limits.MaxTokens.V)*m.rate, explore.Unbounded)))+over)
	}
}

// width returns the most concurrent model calls.
func (w *costEstimator) width() int {
	widest := 1
	for _, n := range w.graph.Running {
		if n.Region == nil {
			widest = max(widest, w.widthOf(n))
		}
	}
	return widest
}

func (w *costEstimator) widthOf(n *cfg.Node) int {
	if !n.Composite() {
		return max(1, w.nested[n].dollars.width)
	}
	var each []int
	for _, r := range n.Regions {
		widest := 1
		for _, c := range r.Nodes {
			widest = max(widest, w.widthOf(c))
		}
		each = append(each, widest)
	}
	slices.SortFunc(each, func(a, b int) int { return b - a })
	switch {
	case len(each) == 0:
		return 1
	case !n.Spec.Kind.Forks():
		return each[0]
	}
	in := n.Fork()
	if in.Each {
		return times(min(in.Width, max(1, in.Most)), each[0])
	}
	sum := 0
	for _, widest := range each[:min(in.Width, len(each))] {
		sum += widest
	}
	return sum
}
