# make demo     see it work, under a minute
# make test     every test, with the race detector
# make build    ./bin/progmon, one static file

GO      ?= go
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null)
LDFLAGS  = -s -w $(if $(VERSION),-X main.version=$(VERSION))
BIN      = bin/progmon

.PHONY: demo test build bench lint cross clean

demo: build
	./$(BIN) demo

test:
	$(GO) test -race -shuffle=on ./...

build:
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o $(BIN) ./cmd/progmon

bench:
	$(GO) test -run '^$$' -bench . -benchmem ./...

# gofmt prints what it would change; anything printed is a failure.
lint:
	@out="$$(gofmt -l .)"; if [ -n "$$out" ]; then echo "gofmt would change:"; echo "$$out"; exit 1; fi
	$(GO) vet ./...
	$(GO) tool staticcheck ./...

cross:
	CGO_ENABLED=0 GOOS=linux   GOARCH=arm64 $(GO) build -o /dev/null ./cmd/progmon
	CGO_ENABLED=0 GOOS=darwin  GOARCH=arm64 $(GO) build -o /dev/null ./cmd/progmon
	CGO_ENABLED=0 GOOS=windows GOARCH=amd64 $(GO) build -o /dev/null ./cmd/progmon

clean:
	rm -rf bin
