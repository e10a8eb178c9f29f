# What there is to do with this repository. Every target needs Go and nothing else; with Postgres and Redis, the
# stores of threads are tested with them.

STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
FUZZTIME    ?= 30s

# Tests build modules in temporary folders, and programs as they ship. With trimmed paths their packages are
# the same in every folder and every run, so that the build cache has them.
export GOFLAGS := $(filter-out -trimpath,$(shell go env GOFLAGS)) -trimpath

# Compilers and tests have small heaps. Collecting garbage at five times of what is live, not at twice, spares a fifth of the time.
export GOGC ?= 400

gofmt    := $(shell go env GOROOT)/bin/gofmt
modules  := $(shell go list -m -f '{{.Dir}}')
packages := $(modules:%=%/...)

# Runs the tests of a tier.
tier := go run ./internal/cmd/run

# Where one of these is set, the demo asks a model.
keys := OPENAI_API_KEY OPENAI_BASE_URL ANTHROPIC_API_KEY GEMINI_API_KEY

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*##/ {printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: demo
demo: ## run the examples: path, result and report of each; with a key, ask a live model too
	@cd examples && for main in $$(go list -f '{{if eq .Name "main"}}{{.ImportPath}}{{end}}' ./...); do \
		echo; echo "== $${main##*/graphgen/}"; go run "$$main" || exit 1; \
	done
	@echo; if [ -n "$$(printf %s $(keys:%="$$%"))" ]; then \
		echo "== examples/live"; cd examples/live && go run . && go run . -graph chat; \
	else \
		echo "The librarian was played from its recording. It asks a model where one of these is set:"; \
		echo "$(keys). LIBRARIAN_MODEL names the model."; \
	fi

.PHONY: short
short: ## test this module with the smallest samples
	@$(tier) short

# What tests need besides Go is what Debian's packages have: servers for the stores, a browser for the studio.
.PHONY: servers
servers: ## install Postgres, Redis and chromium where they are missing, for the tests of the stores and of the studio
	@missing=; ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 || command -v postgres >/dev/null || missing="postgresql"; \
	command -v redis-server >/dev/null || missing="$$missing redis-server"; \
	command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null || missing="$$missing chromium fonts-liberation"; \
	if [ -z "$$missing" ]; then exit 0; fi; \
	if ! command -v apt-get >/dev/null || [ "$$(id -u)" != 0 ]; then \
		echo "== $$missing: install them to run the tests that need them; they are skipped"; exit 0; \
	fi; \
	echo "== apt-get install $$missing"; \
	apt-get install -y --no-install-recommends $$missing >/dev/null || { apt-get update >/dev/null && apt-get install -y --no-install-recommends $$missing >/dev/null; } || \
		echo "== they cannot be installed: the tests that need them are skipped"

.PHONY: soak
soak: servers ## kill and start the servers of the stores at random while writers go on, kill runs at every point; each for SOAK, 5m without it
	@$(tier) soak

# Lint has run every analysis of go vet: the tests need not run some of them again.
.PHONY: test
test: lint servers ## lint, and test what a change can break, in every module; SEED=20260131 has the random tests of that day
	@$(tier) test
	@cd examples && echo "== graphgen test examples" && go tool graphgen test ./...
	@env $(keys:%=-u %) $(MAKE) --no-print-directory demo

.PHONY: full
full: lint servers ## as test, with samples of full size, data races in every module, and soak of SOAK, 1m without it
	@$(tier) full
	@cd examples && echo "== graphgen test examples" && go tool graphgen test ./...
	@env $(keys:%=-u %) $(MAKE) --no-print-directory demo

.PHONY: judges
judges: ## with node and npm, run others' clients of contrib/serve and graphgen lsp, and axe-core on the studio; JUDGEFLAGS=-update writes transcripts
	@JUDGES=1 go test -count=1 -timeout 30m -v -run "TestJudges|TestClient" ./contrib/serve/judges $(JUDGEFLAGS)
	@JUDGES=1 go test -count=1 -v ./editors/judges
	@cd contrib/studio && JUDGES=1 go test -count=1 -v -run TestAxe .
	@cd bench && JUDGES=1 go test -count=1 -v -run TestNode ./report

.PHONY: lint
lint: ## gofmt, vet, staticcheck, and whether generated files are up to date
	@rm -rf contrib/temporal/testdata/changed contrib/temporal/testdata/golden contrib/river/testdata/golden # a test that was killed has left them
	@unformatted=$$($(gofmt) -l .); [ -z "$$unformatted" ] || { echo "gofmt -w these files:"; echo "$$unformatted"; exit 1; }
	@echo "== go vet, staticcheck" && go vet $(packages) && go run $(STATICCHECK) $(packages)
	@echo "== graphgen check -diff" && go run ./cmd/graphgen check -diff ./bench/... ./contrib/... ./internal/... && cd examples && go tool graphgen check -diff ./...

.PHONY: generate
generate: ## generate again what is generated, in every module
	@for dir in $(modules); do (cd $$dir && go generate ./...) || exit 1; done

.PHONY: docs
docs: ## write again the pages of docs that come from tables and from what graphgen says
	go test ./spec -run TestReference -update
	go test ./gen/schema -run TestLanguageSchema -update
	go test ./spec/gotag -run TestMarkers -update
	go test ./cmd/graphgen -run 'TestEveryCheckHasAPage|TestEveryVerbIsDocumented|TestImportsAreDocumented|TestWhatOthersAcceptIsRefused|TestPreludePage' -update
	go test ./golden -run 'Behaviour|TestReadme' -update
	go test ./internal/repo -run TestFieldTables -update

.PHONY: fuzz
fuzz: ## run every fuzz test of every module for FUZZTIME
	@for dir in $(modules); do cd $$dir || exit 1; for pkg in $$(go list ./...); do \
		for f in $$(go test -list '^Fuzz' $$pkg | grep '^Fuzz'); do \
			echo "== $$pkg $$f" && go test -run '^$$' -fuzz "^$$f\$$" -fuzztime $(FUZZTIME) $$pkg || exit 1; \
		done; \
	done; done

.PHONY: same
same: ## compare all that graphgen says and writes with what that of revision OLD does (default: the merge base with main); FLAGS='-n 60 -only diff'
	go run ./internal/cmd/compare -old=$(OLD) $(FLAGS)

.PHONY: release
release: ## tag every module with the version of VERSION, and write a module proxy, programs, checksums, licenses and a bill of materials to dist
	go run ./internal/cmd/release

.PHONY: bench
bench: ## measure runs of machines beside hand-written code and other libraries, and print docs/reference/performance.md; FLAGS='-quick -only step'
	@cd bench && go run ./report $(FLAGS)

.PHONY: micro
micro: ## measure codecs, changes of a graph, and the compiler
	cd bench && go test -run '^$$' -bench . -benchmem ./codec ./mutation
	go test -run '^$$' -bench . -benchmem ./...
