package pipeline

// DefaultParallel is how many calls of a turn run at once by default.
const DefaultParallel = parallel
