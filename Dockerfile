# Build: docker build --build-arg VERSION="$(git describe --always --dirty)" -t fingerpost .
# Run:   docs/administration.md

FROM golang:1.26-bookworm AS build
WORKDIR /src

# Modules change less often than sources: Docker reuses this layer.
COPY go.mod go.sum ./
RUN go mod download

COPY . .
# What "fingerpost version" prints: the Git repository is not part of the build.
ARG VERSION=
# SQLite is C, so the binary needs the C library that the final image has.
# Names and users are looked up in Go, and SQLite loads no extensions.
RUN CGO_ENABLED=1 go build -trimpath -tags sqlite_omit_load_extension,netgo,osusergo \
        -ldflags "-s -w -X main.release=$VERSION" -o /out/fingerpost ./cmd/fingerpost \
    && mkdir -p /out/data

FROM gcr.io/distroless/base-debian12:nonroot
COPY --from=build /out/fingerpost /usr/local/bin/fingerpost
# A new volume takes its owner from here: 65532 is nonroot.
COPY --from=build --chown=65532:65532 /out/data /data

ENV FINGERPOST_LISTEN=0.0.0.0:8080 \
    FINGERPOST_DATA=/data \
    SQLITE_TMPDIR=/data
USER 65532:65532
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s CMD ["fingerpost", "healthcheck"]
ENTRYPOINT ["fingerpost"]
CMD ["serve"]
