# What a developer types. .ci/run holds what must pass before a change is taken.

.PHONY: run test lint golden bench

# A fake repository and its gateway, with nothing to set up.
run:
	go run ./cmd/fingerpost demo

test:
	go test ./...

lint:
	@test -z "$$(gofmt -l . | tee /dev/stderr)"
	go vet ./...
	go tool staticcheck ./...

# Writes what the tests expect anew. Read the difference before you keep it.
golden:
	go test $$(grep -rl --include='*_test.go' 'flag.Bool("update"' . | xargs -n 1 dirname | sort -u) -update

bench:
	go test -run '^$$' -bench . -benchmem ./...
