package graphgen

// A Result is the metadata of a step that the spec's conditions can use besides the output.
type Result struct {
	Step       int   // counts from 1 over the run
	Visit      int   // counts from 1 over the visits of the node
	Attempts   int   // executions the step took
	Iterations int   // of a loop: how often its body ran in this visit
	Err        error // the failure of a fail_soft node
	Cached     bool  // the output is from the cache
	Skipped    bool  // the node was skipped

	// Of a node with a model, since its prompt was written:
	ToolCalls    int
	ToolFailures int
	Tokens       int     // in and out
	Confidence   float64 // how sure the answer sounds, of the processor confidence_scorer; 0 without it
}
