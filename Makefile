# Commands for developers. .ci/run is what must pass before a merge.

.PHONY: run test lint golden bench screenshots

# Fake repositories and their gateway, without any set-up.
run:
	go run ./cmd/fingerpost demo

test:
	go test ./...

lint:
	@test -z "$$(gofmt -l . | tee /dev/stderr)"
	go vet ./... ./testdata
	go tool staticcheck ./... ./testdata

# Updates what the tests expect. Read the difference before you commit it.
golden:
	go test $$(grep -rl --include='*_test.go' 'flag.Bool("update"' . | xargs -n 1 dirname | sort -u) -update

bench:
	go test -run '^$$' -bench . -benchmem ./...

# Pictures of every page with the demo's repositories, in screenshots/. Needs chromium.
screenshots:
	mkdir -p screenshots
	FINGERPOST_SCREENSHOTS=$(CURDIR)/screenshots go test -count=1 -run TestPagesInBrowser ./cmd/fingerpost
