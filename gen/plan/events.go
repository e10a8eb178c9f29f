package plan

// What acts of a run add to the history of a workflow.
const (
	eventsOfCall   = 6 // an activity is scheduled, started and ended, and the task of the workflow that continues likewise
	eventsOfTimer  = 5 // it is started and fires, and the task that continues
	eventsOfChild  = 9 // a child workflow is initiated, has started and has ended, with the tasks after these
	eventsOfTold   = 5 // it is signalled or cancelled: that is initiated and done, and the task after it
	eventsOfAnswer = 9 // an update is accepted and completed, with its task and that after it, and search attributes change
)

// StepEvents returns how many events of a history one step of the run adds at most; 0: no bound is known, as where a model calls tools, where data decide
// how many branches there are, where a run of another graph is made in the workflow itself, and where one in a child workflow waits for people.
func (m *Machine) StepEvents() int {
	most := 0
	if m.Mutations != nil {
		return 0
	}
	for _, n := range m.Flow.Nodes {
		if n.Parent != nil {
			continue
		}
		events, ok := n.events()
		if !ok {
			return 0
		}
		most = max(most, events)
	}
	return most
}

// events returns how many events an execution of the node adds at most, with its attempts.
func (n *Node) events() (events int, ok bool) {
	switch w := n.Work.(type) {
	case *Each, *Pool:
		return 0, false
	case *Sub:
		if !w.Apart || w.Pauses {
			return 0, false
		}
		events += eventsOfChild + 2*eventsOfTold
	case *Prompt:
		if len(w.Tools)+len(w.Others) > 0 || w.Loop {
			return 0, false
		}
		events += eventsOfCall * (1 + w.Repair + len(w.Before) + len(w.After))
	case *Handler:
		if !n.Kind.Pure {
			events += eventsOfCall
		}
	case *Call:
		events += eventsOfCall
	case Runner:
		for _, r := range w.Runs().Regions {
			for _, child := range r.Nodes {
				inner, ok := child.events()
				if !ok {
					return 0, false
				}
				events += inner * max(1, n.Iterations())
			}
		}
	}
	events += eventsOfCall * len(n.Checks.Guards)
	for _, e := range n.Checks.Evals {
		if e.Judge != "" {
			events += eventsOfCall
		}
	}
	if n.Policy.Timeout > 0 {
		events += eventsOfTimer
	}
	if attempts := max(1, n.Policy.Attempts) + n.Policy.GuardRetries; attempts > 1 {
		events = attempts * (events + eventsOfTimer)
	}
	if n.Asked() != nil || n.Pauses.Before || n.Pauses.After {
		events += eventsOfAnswer + eventsOfTimer
	}
	return events, true
}
