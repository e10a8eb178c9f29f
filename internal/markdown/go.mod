module github.com/graphgen/graphgen/internal/markdown

go 1.26

require (
	github.com/graphgen/graphgen v0.0.0
	github.com/yuin/goldmark v1.8.7
)

require go.yaml.in/yaml/v3 v3.0.6 // indirect

replace github.com/graphgen/graphgen => ../..
