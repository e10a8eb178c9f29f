package spec

import "time"

// Defaults of the bounds, SEMANTICS section 6. The kernel has copies of some, as it imports nothing of the
// compiler; TestDefaults of its packages holds them equal.
const (
	DefaultMaxSteps       = 50
	DefaultMaxVisits      = 25
	DefaultLoopIterations = 5
	DefaultBodyIterations = 10
	DefaultPoolSteps      = 15
	DefaultMutations      = 10
	DefaultMaxParallel    = 8
	DefaultRepair         = 1
	LoopExitPriority      = 10
	DefaultConfidence     = 0.7
	DefaultLongValue      = 2000
	DefaultMostOutput     = 4000
)

// Defaults of what is tried again: of the flag retryable, and of a retry.
const (
	DefaultAttempts = 3
	DefaultWait     = 500 * time.Millisecond
	DefaultFactor   = 2
	DefaultMaxWait  = 8 * time.Second
)
