module github.com/graphgen/graphgen/bench

go 1.26.0

require (
	github.com/go-faster/jx v1.2.0
	github.com/go-json-experiment/json v0.0.0-20260820222146-c27c302e5fc3
	github.com/graphgen/graphgen v0.0.0
	github.com/mailru/easyjson v0.9.2
)

require (
	github.com/go-faster/errors v0.7.1 // indirect
	github.com/josharian/intern v1.0.0 // indirect
	github.com/segmentio/asm v1.2.1 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/sys v0.47.0 // indirect
)

replace github.com/graphgen/graphgen => ../
