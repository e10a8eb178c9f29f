package durable

import (
	"errors"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/internal/quote"
	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/runtime/engine"
	"github.com/graphgen/graphgen/runtime/versions"
	"github.com/graphgen/graphgen/thread"
)

// An upgrade brings what a thread has of the runs of earlier versions to the versions of the machines. It changes the log
// in memory alone: the store gets a snapshot when the run continues, and has the thread as it was if a run is refused.
type upgrade struct {
	log   *log
	names map[string]map[string]string // of the nodes of each graph, by those that they had
	done  bool                         // a run was brought to another version
	moved bool                         // the author has decided where a run continues
}

// A versioned is a generated run of a graph that has releases.
type versioned interface {
	Versions() *versions.Versions
}

// upgrade brings all runs of a log to the versions of the machines.
func (m *Machine) upgrade(id string, l *log) (*upgrade, error) {
	u := &upgrade{log: l, names: map[string]map[string]string{}}
	if err := u.tree(m, ""); err != nil {
		if v, ok := errors.AsType[*thread.VersionError](err); ok {
			v.Thread = id
		}
		return nil, err
	}
	if u.done {
		u.requests(m)
	}
	return u, nil
}

// tree brings the run at a place, and those within it, to the versions of their machines.
func (u *upgrade) tree(m *Machine, place string) error {
	if s := u.log.runs[place]; s != nil && s.hasSteps() {
		if err := u.run(m, place, s); err != nil {
			saved, _ := s.shape()
			return &thread.VersionError{Graph: m.Graph.Name, Saved: saved, Shape: m.Graph.Shape, Err: err}
		}
	}
	for _, child := range u.log.within(place) {
		machine := m
		if strings.HasSuffix(child, "/") {
			node, err := u.templateOf(m, place, nodeOf(child[len(place)+1:]))
			if machine = m.sub(node); err == nil && machine == nil {
				err = missing("node that runs a graph", node)
			}
			if err != nil {
				return &thread.VersionError{Graph: m.Graph.Name, Shape: m.Graph.Shape, Err: err}
			}
		}
		if err := u.tree(machine, child); err != nil {
			return err
		}
	}
	return nil
}

// templateOf returns the template of a node that the run at a place has added; another node is its own.
func (u *upgrade) templateOf(m *Machine, place, node string) (string, error) {
	s := u.log.runs[place]
	if s == nil || s.cells.Value(overlayCell) == nil {
		return node, nil
	}
	of, err := s.changed(namesOf(m.Graph))
	if err != nil || of == nil {
		return node, err
	}
	for i := range of.Nodes {
		if added := &of.Nodes[i]; added.Name == node && added.Template != engine.End {
			return m.Graph.NodeName(added.Template), nil
		}
	}
	return node, nil
}

// sub returns the machine of the graph that a node runs, nil if it runs none.
func (m *Machine) sub(node string) *Machine {
	if of := m.Subs[node]; of != nil {
		return of()
	}
	return nil
}

// within returns the places of the runs directly within the one at a place: "/node" of a body, "/node.branch" of a branch,
// "/node/" of a run of another graph.
func (l *log) within(place string) (places []string) {
	for p := range l.runs {
		if rest, ok := strings.CutPrefix(p, place+"/"); ok && rest != "" && !strings.Contains(rest[:len(rest)-1], "/") {
			places = append(places, p)
		}
	}
	slices.Sort(places)
	return places
}

// nodeOf returns the node of a part of a place, or of the ID of a request.
func nodeOf(part string) string { return part[:strings.IndexAny(part+".", "./")] }

// shape returns the shape of the graph by which the run was saved.
func (s *saved) shape() (shape string, err error) {
	if text := s.cells.Value(shapeCell); text != nil {
		err = codec.Unmarshal(text, codec.Into(&shape, codec.ReadString))
	}
	return shape, err
}

// run brings one run to the version of its machine.
func (u *upgrade) run(m *Machine, place string, s *saved) error {
	shape, err := s.shape()
	if err != nil || shape == m.Graph.Shape {
		return err
	}
	to := m.New()
	names, err := s.namesIn(m.Graph)
	if err != nil {
		return err
	}
	v, n := &image{n: names}, s
	if of, ok := to.(versioned); ok {
		r, err := of.Versions().Upgrade(shape, s.version())
		if err != nil {
			return err
		}
		v.now = r.Nodes
		if r.Moved {
			v.to = r.Node
		}
		if n, err = s.become(v, r); err != nil {
			return err
		}
		if u.log.seals {
			n.hideAll()
		}
		u.rename(m, place, r)
		u.log.runs[place], u.done = n, true
		if r.Moved {
			u.moved = true
			u.log.drop(place)
			clear(n.effects)
			if err := u.runsIn(m, place, v.Boundary.To); err != nil {
				return err
			}
		}
		v = &image{n: v.n}
	}
	if err := n.loadInto(to, v); err != nil || v.Ended || v.Failed != nil {
		return err
	}
	at := v.At
	if v.Boundary != nil {
		at = v.Boundary.To
	}
	if at == engine.End {
		return nil
	}
	return u.runsIn(m, place, at)
}

// namesIn returns the names of another version of the graph, with what a saved run has added. The error is why that version does not allow it.
func (s *saved) namesIn(g *engine.Graph) (*names, error) {
	n := namesOf(g)
	if s.cells.Value(endedCell) != nil { // the changes are of no use any more
		return n, nil
	}
	of, err := s.changed(n)
	if err != nil || of == nil {
		return n, err
	}
	nodes, transitions := g.Changed()
	nodes, transitions = slices.Clip(nodes), slices.Clip(transitions)
	for i := range of.Nodes {
		added := of.Nodes[i].Node
		if template := of.Nodes[i].Template; template != engine.End {
			added.Template = n.nodes[template]
		}
		if _, refused := g.Fits(&added); refused != "" {
			return nil, errors.New("the run has added node " + quote.Text(added.Name) + ": " + refused)
		}
		nodes = append(nodes, engine.NodeInfo{Name: added.Name})
	}
	for i := range of.Transitions {
		transitions = append(transitions, of.Transitions[i].TransitionInfo)
	}
	return namesWith(g, nodes, transitions), nil
}

// version returns what versions change of a run.
func (s *saved) version() versions.Run {
	r := versions.Run{
		State:   string(s.cells.Object(isField)),
		Outputs: s.texts("~out."), Notes: s.texts("~delta."),
	}
	text := func(name string) (v string) {
		if json := s.cells.Value(name); json != nil {
			_ = codec.Unmarshal(json, codec.Into(&v, codec.ReadString)) // become reports what cannot be read
		}
		return v
	}
	_, to, between := strings.Cut(text(".to"), " ")
	switch {
	case text(endedCell) != "" || text(".failed") != "":
	case between:
		r.Node = to
	default:
		r.Node = text(".at")
	}
	return r
}

// texts returns the cells whose names begin with a prefix, by the rest of their names.
func (s *saved) texts(prefix string) map[string]string {
	texts := map[string]string{}
	for name := range s.cells.Names() {
		if of, ok := strings.CutPrefix(name, prefix); ok {
			texts[of] = string(s.cells.Value(name))
		}
	}
	return texts
}

// become returns what is saved of the run in the version of the machine.
func (s *saved) become(v *image, r versions.Run) (*saved, error) {
	if err := v.load(&s.cells); err != nil {
		return nil, err
	}
	n := &saved{effects: s.effects}
	if changes := s.cells.Value(changesCell); changes != nil && !v.Ended {
		if len(r.Nodes) > 0 {
			return nil, errors.New("the run has changed its graph, in which nodes have other names now")
		}
		n.cells.Set(overlayCell, s.cells.Value(overlayCell))
		n.cells.Set(changesCell, changes)
	}
	if _, _, err := n.cells.Changes(func(c *codec.Cells) {
		own := imageOf(v.Image, v.n)
		own.failed = v.failed
		own.cells(c)
		var path []string
		for _, transition := range v.transitions() {
			path = append(path, v.n.nameOf(transition))
		}
		codec.Grow(c, ".path", path, codec.WriteString)
	}); err != nil {
		return nil, err
	}
	if err := n.cells.Take([]byte(r.State)); err != nil {
		return nil, err
	}
	for node, text := range r.Outputs {
		n.cells.Set("~out."+node, []byte(text))
	}
	for field, text := range r.Notes {
		n.cells.Set("~delta."+field, []byte(text))
	}
	return n, n.keep(s, v)
}

// keep takes over what no version changes except in names of nodes: conversations, pools, results. What the cache has is
// of the handlers of the older version.
func (s *saved) keep(old *saved, v *image) error {
	for name := range old.cells.Names() {
		kind, node, ofNode := strings.Cut(name, ".")
		if !strings.HasPrefix(name, pipelines) || kind == "~out" || kind == "~delta" || kind == "~cache" {
			continue
		}
		text := string(old.cells.Value(name))
		if ofNode {
			node = v.nameNow(node)
			if _, known := v.n.node[node]; !known {
				continue
			}
			name = kind + "." + node
		} else if member := nodeMembers[name]; member != "" && len(v.now) > 0 {
			var err error
			if text, err = versions.Renamed(text, member, v.now); err != nil {
				return err
			}
		}
		s.cells.Set(name, []byte(text))
	}
	return nil
}

// nodeMembers are the members that have the name of a node, by cell.
var nodeMembers = map[string]string{"~spoken": "node", "~results": "node", "~turn": "of", "~left": "of"}

// rename renames the nodes in the places of the runs within one.
func (u *upgrade) rename(m *Machine, place string, r versions.Run) {
	if len(r.Nodes) == 0 {
		return
	}
	u.names[m.Graph.Name] = r.Nodes
	runs := make(map[string]*saved, len(u.log.runs))
	for p, s := range u.log.runs {
		if rest, ok := strings.CutPrefix(p, place+"/"); ok && rest != "" {
			node := nodeOf(rest)
			if now, other := r.Nodes[node]; other {
				p = place + "/" + now + rest[len(node):]
			}
		}
		runs[p] = s
	}
	u.log.runs = runs
}

// runsIn returns an error if the run at a place does not run a node: the graph has it elsewhere, or the author has decided that
// the run continues there.
func (u *upgrade) runsIn(m *Machine, place string, n engine.NodeID) error {
	if int(n) >= len(m.Graph.Nodes) { // the run has added it
		return nil
	}
	info, parent, what := &m.Graph.Nodes[n], "", "outermost node"
	if info.Parent != engine.End {
		parent = m.Graph.NodeName(info.Parent)
	}
	around := ""
	if at := strings.LastIndexByte(place, '/'); at >= 0 && at < len(place)-1 {
		around = place[at+1:]
		what = "node in " + around
		node := nodeOf(around)
		template, err := u.templateOf(m, place[:at], node)
		if err != nil {
			return err
		}
		around = template + around[len(node):]
	}
	if info.Branch != "" {
		parent += "." + info.Branch
	} else {
		around = nodeOf(around)
	}
	if parent != around {
		return missing(what, info.Name)
	}
	return nil
}

// loadInto finds out whether a run can be loaded.
func (s *saved) loadInto(to Record, v *image) error {
	if err := v.load(&s.cells); err != nil {
		return err
	}
	return s.loadState(to)
}

// requests renames the nodes in the IDs of requests.
func (u *upgrade) requests(m *Machine) {
	verdicts, open := map[string]verdict{}, map[string]openRequest{}
	for id, v := range u.log.verdicts {
		v.id = u.request(m, id)
		verdicts[v.id] = v
	}
	for id, q := range u.log.open {
		q.id = u.request(m, id)
		open[q.id] = q
	}
	u.log.verdicts, u.log.open = verdicts, open
}

// request returns the ID that a request has: the nodes in it have their visit after a dot, branches do not.
func (u *upgrade) request(m *Machine, id string) string {
	parts := strings.Split(id, "/")
	for i, part := range parts {
		node := nodeOf(part)
		if node == part || m == nil {
			continue
		}
		if now, other := u.names[m.Graph.Name][node]; other {
			parts[i] = now + part[len(node):]
			node = now
		}
		m = m.sub(node)
	}
	return strings.Join(parts, "/")
}

// A Sample is a state of a run of another version at one of its nodes. Generated tests have samples of released versions.
type Sample struct {
	Release int
	Shape   string
	Hosts   []string // the places around the node: composite nodes, with the branch after a dot
	Node    string
	State   string // as JSON
}

// Reads returns an error if a thread that waits with the state of a sample is refused. It needs neither a store nor handlers.
func (m *Machine) Reads(s Sample) error {
	l := newLog(sealing{})
	place := ""
	for _, parent := range append(slices.Clip(s.Hosts), s.Node) {
		if err := l.of(place).take(s, nodeOf(parent)); err != nil {
			return err
		}
		place += "/" + parent
	}
	_, err := m.upgrade("", l)
	if v, ok := errors.AsType[*thread.VersionError](err); ok {
		return v.Err
	}
	return err
}

// take makes the run one that a thread has saved within a node.
func (s *saved) take(sample Sample, node string) error {
	quoted := func(text string) []byte {
		json, _ := codec.Marshal(codec.Of(text, codec.WriteString)) // a text of the spec
		return json
	}
	s.cells.Set(shapeCell, quoted(sample.Shape))
	s.cells.Set(".at", quoted(node))
	s.cells.Set(".run", []byte("{}"))
	return s.cells.Take([]byte(sample.State))
}
