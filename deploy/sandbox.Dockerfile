# What a pull request runs in under the docker driver: system tools and toolchains, nothing of Assay.
# Build: docker build -f deploy/sandbox.Dockerfile -t assay-sandbox deploy
# Without an image registry: debootstrap --variant=minbase bookworm root && tar -C root -c . | docker import - base,
# then add --build-arg BASE=base.
ARG BASE=debian:12-slim
FROM ${BASE}

RUN apt-get update \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
        ca-certificates g++ git libc6-dev make mount nodejs npm procps \
        python3 python3-dev python3-pil python3-pip python3-venv chromium fonts-dejavu-core libatomic1 \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/archives/*.deb \
    && useradd --uid 10001 --create-home assay

# What Go, Rust, Java, CMake and bats projects are built and tested with; a shorter list, or an empty one,
# makes a smaller image, and what is then missing is told as `needs`. Further linters are "cppcheck tidy
# rust-clippy"; ruff, yamllint, shellcheck, hadolint and sqlfluff are mounted from Assay's installation.
ARG TOOLCHAINS="bats cargo cmake default-jdk-headless golang-go junit4 junit5"
RUN [ -z "${TOOLCHAINS}" ] || { apt-get update \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends ${TOOLCHAINS} \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/archives/*.deb; }

# Every command sets its own user, folders and environment; this is for those who start the image by hand.
USER assay
WORKDIR /tmp
CMD ["/bin/sh"]
