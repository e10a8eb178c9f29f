// Package temporal runs the graphs of graphgen as workflows of Temporal, with the SDK of Temporal for Go.
//
// A spec with drivers: [temporal] has a file x_temporal.go beside its machine, with a constructor such as NewReviewTemporal. It takes the handlers,
// the tools and the model of the machine, and returns a Graph: a workflow and its activities, which Register gives to a worker. The workflow executes
// the generated machine as it is. Each call of a handler, a guard, a tool or a model is an activity, each branch a coroutine of the workflow, each
// time limit a timer. What has no effects costs no event: conditions, routers, and nodes of kind set, pass and say.
//
// A run that waits for people is answered by updates, which are refused if the answer is not valid; a timer of the workflow takes the transition for
// a late answer. Queries return the status, the state, the requests and the report of a run; a signal stops it.
package temporal
