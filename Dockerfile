# syntax=docker/dockerfile:1

# --- Build: one binary with Swift's own libraries inside
FROM swift:6.3-bookworm AS build
RUN apt-get update \
    && apt-get install -y --no-install-recommends pkg-config libevent-dev libssl-dev libpq-dev libargon2-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /build
COPY Package.swift ./
COPY Migrations Migrations
COPY Sources Sources
# A link among the sources leads to it.
COPY Docs/openapi.yaml Docs/openapi.yaml
# The manifest names the test targets, so their folders must be there.
COPY Tests Tests
RUN swift build -c release --product seleid --static-swift-stdlib \
    && install -D -m 0755 "$(swift build -c release --show-bin-path)/seleid" /out/seleid \
    && strip --strip-unneeded /out/seleid

# --- Run
FROM debian:bookworm-slim
RUN apt-get update \
    && apt-get install -y --no-install-recommends libevent-core-2.1-7 libssl3 libpq5 libargon2-1 ca-certificates \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin seleid
COPY --from=build /out/seleid /usr/local/bin/seleid
USER 10001:10001
ENV SELEID_LISTEN=0.0.0.0:8080
EXPOSE 8080
# Bash's own TCP, so that the image needs no HTTP client. For a server without TLS of its own.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --start-interval=1s \
    CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/8080 && printf 'GET /readyz HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n' >&3 && read -r -t 2 line <&3 && [[ $line == *' 200 '* ]]"]
ENTRYPOINT ["seleid"]
CMD ["serve"]
