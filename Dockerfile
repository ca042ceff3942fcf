FROM swift:6.3-bookworm AS build
# Debian withdraws a package version when it publishes a fix, so that a pinned version stops building.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends libhiredis-dev libssl-dev pkg-config zlib1g-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY Package.swift ./
COPY Sources Sources
# SwiftPM refuses a manifest whose test folders are absent.
COPY Tests Tests
COPY scripts/build-release scripts/build-release
# Nobody but root can read the binary, so that Linux lets nobody of the service's user look into the process, from its first
# instruction on.
RUN scripts/build-release --product countersign -Xlinker -s \
    && chmod 0711 .build/release/countersign

FROM debian:bookworm-slim AS root
SHELL ["/bin/bash", "-euo", "pipefail", "-c"]
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates libhiredis0.14 libssl3 zlib1g \
    && rm -rf /var/lib/apt/lists/*
# It belongs to root then, with the mode that it has.
COPY --from=build /src/.build/release/countersign /usr/local/bin/countersign
# Of Debian only what the program reads: its libraries, how names are looked up, the authorities by which it knows the vendors where
# OpenSSL looks for them. No shell, and no program but this one. For scanners: which packages these are; with their licences.
RUN mkdir -p /image/etc/ssl/certs /image/usr/lib/ssl /image/var/lib/dpkg \
    && ldd /usr/local/bin/countersign | grep -o '/[^ ]*' | xargs cp --parents --dereference --target-directory=/image \
    && cp --parents --dereference --preserve=mode /etc/nsswitch.conf /etc/os-release /usr/local/bin/countersign /image \
    && cp --dereference /etc/ssl/certs/*.[0-9] /image/etc/ssl/certs \
    && ln -s ../../../etc/ssl/certs /image/usr/lib/ssl/certs \
    && for package in ca-certificates libc6 libhiredis0.14 libssl3 zlib1g; do \
        dpkg --status "$package" >>/image/var/lib/dpkg/status; \
        echo >>/image/var/lib/dpkg/status; \
        cp --parents --dereference "/usr/share/doc/$package/copyright" /image; \
    done

FROM scratch
COPY --from=root /image /
# A trap would print registers, and those may hold bytes of a key.
ENV SWIFT_BACKTRACE=enable=no \
    COUNTERSIGN_CONFIG=/etc/countersign/countersign.json5
# By number: Kubernetes' runAsNonRoot cannot judge a name.
USER 10001:10001
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK CMD ["/usr/local/bin/countersign", "healthcheck"]
ENTRYPOINT ["/usr/local/bin/countersign"]
CMD ["serve"]
