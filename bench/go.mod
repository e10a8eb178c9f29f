module github.com/graphgen/graphgen/bench

go 1.26

require github.com/graphgen/graphgen v0.0.0

replace github.com/graphgen/graphgen => ../
