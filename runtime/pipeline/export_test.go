package pipeline

// DefaultParallel is how many calls of a turn run at once by default.
const DefaultParallel = parallel

// The lengths above which texts are made short by default.
const (
	LongValue  = longValue
	MostOutput = mostOutput
)
