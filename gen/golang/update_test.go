package golang

import "flag"

// update rewrites the golden files.
var update = flag.Bool("update", false, "rewrite the golden files")
