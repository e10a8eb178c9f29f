module github.com/graphgen/graphgen/examples/wasm

go 1.26

require (
	github.com/go-json-experiment/json v0.0.0-20260820222146-c27c302e5fc3
	github.com/graphgen/graphgen v0.0.0
	github.com/tetratelabs/wazero v1.12.0
)

require (
	github.com/alecthomas/kong v1.17.0 // indirect
	github.com/dave/jennifer v1.7.1 // indirect
	github.com/fsnotify/fsnotify v1.10.1 // indirect
	go.yaml.in/yaml/v3 v3.0.6 // indirect
	golang.org/x/mod v0.38.0 // indirect
	golang.org/x/sys v0.47.0 // indirect
)

replace github.com/graphgen/graphgen => ../../

tool github.com/graphgen/graphgen/cmd/graphgen
