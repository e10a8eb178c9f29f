package check

var coverPasses []Pass
