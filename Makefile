# make demo     see it work, in half a minute
# make test     every test, under the race detector
# make build    ./bin/progmon, one static file
# make bench    what a step, a look and a wrapper cost, beside C, the sqlite3 shell and env
# make lint     gofmt, vet, staticcheck
# make cross    the other platforms compile

GO      ?= go
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null)
BIN      = bin/progmon

# A static binary without the Markdown renderer that cli would bring along
# starts in 2.4 ms where a plain go build starts in 3.3 ms, and step done pays
# that at every step.
TAGS     = urfave_cli_no_docs
BUILD    = CGO_ENABLED=0 $(GO) build -trimpath -tags $(TAGS)
LDFLAGS  = -s -w $(if $(VERSION),-X main.version=$(VERSION))

# The version comes from git describe, so Go need not ask git, which refuses
# to look into a directory of another user.
export GOFLAGS := $(GOFLAGS) -buildvcs=false

.PHONY: demo test build bench lint cross clean

# The worker in Go is looked for beside the program.
demo: build
	$(BUILD) -o bin/goworker ./testdata/workers/goworker
	./$(BIN) demo

test:
	$(GO) test -race -shuffle=on -timeout 30m ./...
	cd testdata/alertmanager && $(GO) test ./...

build:
	$(BUILD) -ldflags '$(LDFLAGS)' -o $(BIN) ./cmd/progmon

# The looks are bounded: a trail of ten million rows is laid out for them.
bench: build
	$(GO) test -run '^$$' -bench . -benchmem -timeout 60m $$($(GO) list ./... | grep -v internal/watch)
	$(GO) test -run '^$$' -bench Look -benchtime 100x -timeout 30m ./internal/watch
	testdata/bench/step.sh $(BIN)
	testdata/bench/start.sh $(BIN)

lint:
	@unformatted="$$(gofmt -l .)"; if [ -n "$$unformatted" ]; then echo "gofmt would change:"; echo "$$unformatted"; exit 1; fi
	$(GO) vet ./... ./testdata/workers/goworker
	$(GO) tool staticcheck ./... ./testdata/workers/goworker

cross:
	GOOS=linux   GOARCH=arm64 $(BUILD) -o /dev/null ./cmd/progmon
	GOOS=darwin  GOARCH=arm64 $(BUILD) -o /dev/null ./cmd/progmon
	GOOS=windows GOARCH=amd64 $(BUILD) -o /dev/null ./cmd/progmon

clean:
	rm -rf bin
