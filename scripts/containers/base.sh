#!/usr/bin/env bash
# Prepares buildah and podman without a daemon, with their own storage in a folder: base.sh DIR. Images that no registry
# delivers are made from Debian's packages, under the names that Dockerfile and compose.yaml use.
set -euo pipefail
dir=$(mkdir -p "${1:?base.sh DIR}" && cd "$1" && pwd) repository=$(cd "$(dirname "$0")/../.." && pwd)

cat >"$dir/env" <<ENV
export CONTAINERS_STORAGE_CONF=$dir/storage.conf CONTAINERS_CONF=$dir/containers.conf CONTAINERS_REGISTRIES_CONF=$dir/registries.conf BUILDAH_ISOLATION=chroot
ENV
printf '[storage]\ndriver = "overlay"\ngraphroot = "%s/images"\nrunroot = "%s/run"\n' "$dir" "$dir" >"$dir/storage.conf"
# runc also runs where cgroups are of both versions; the limits stay below those of the machine itself; as with Docker,
# names have no suffix, which would be asked for first, at each name server
printf '[containers]\ndefault_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]\ndns_searches = ["."]\n[engine]\nruntime = "runc"\ncgroup_manager = "cgroupfs"\nevents_logger = "none"\n[network]\nnetwork_backend = "netavark"\nnetwork_config_dir = "%s/net"\n' "$dir" >"$dir/containers.conf"
printf 'unqualified-search-registries = ["docker.io"]\n' >"$dir/registries.conf"
# shellcheck source=/dev/null
. "$dir/env" && cd "$dir"

# one answer for all images: a registry that cannot be reached takes long to say so
has_registry() { timeout 5 bash -c 'exec 3<>/dev/tcp/registry-1.docker.io/443' 2>/dev/null; }
# NAME: true if the image is there, or a registry has it
have() { podman image exists "$1" || { has_registry && podman pull -q "$1" >/dev/null 2>&1; }; }
# NAME: builds the image of the Dockerfile on the standard input
build() { buildah bud -q --pull-never --format docker -t "$1" -f - . >/dev/null; }

bun=$(npx -y -p bun@1.4 sh -c 'readlink -f "$(command -v bun)"' 2>/dev/null)

have docker.io/library/debian:bookworm-slim || {
  mmdebstrap --quiet --variant=minbase --include=ca-certificates --dpkgopt='path-exclude=/usr/share/doc/*' \
    --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' bookworm debian.tar
  cp /etc/ssl/certs/ca-certificates.crt ca.crt
  # the certificates of this machine, for a network behind a gateway: the true image has neither line
  build docker.io/library/debian:bookworm-slim <<'DEBIAN'
FROM scratch
ADD debian.tar /
COPY ca.crt /etc/ssl/certs/ca-certificates.crt
ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt
RUN echo 'DPkg::Post-Invoke { "rm -f /var/cache/apt/archives/*.deb"; };' >/etc/apt/apt.conf.d/docker-clean
CMD ["bash"]
DEBIAN
}

have docker.io/oven/bun:1.4-debian || {
  cp -L "$bun" bun
  build docker.io/oven/bun:1.4-debian <<'BUN'
FROM debian:bookworm-slim
COPY bun /usr/local/bin/bun
RUN useradd --create-home --uid 1000 bun && ln -s bun /usr/local/bin/bunx && mkdir /home/bun/app
WORKDIR /home/bun/app
ENTRYPOINT []
CMD ["bun"]
BUN
}

have docker.io/library/postgres:17 || {
  cat >start-postgres <<'START'
#!/bin/bash
set -eu
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  initdb -U "$POSTGRES_USER" --pwfile <(echo "$POSTGRES_PASSWORD") -A scram-sha-256 >/dev/null
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
  echo "create database $POSTGRES_DB" | postgres --single -D "$PGDATA" postgres >/dev/null
fi
exec postgres -c listen_addresses='*'
START
  build docker.io/library/postgres:17 <<'POSTGRES'
FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends postgresql-15 >/dev/null && rm -rf /var/lib/apt/lists/*
ENV PATH=/usr/lib/postgresql/15/bin:$PATH PGDATA=/var/lib/postgresql/data
COPY --chmod=755 start-postgres /usr/local/bin/
RUN install -d -o postgres -g postgres -m 0700 $PGDATA && chmod 755 /usr/local/bin/start-postgres
USER postgres
STOPSIGNAL SIGINT
CMD ["start-postgres"]
POSTGRES
}

have ghcr.io/versity/versitygw:v1.8.0 || {
  "$bun" build --target=bun --outfile=s3.js "$repository/scripts/containers/s3-stand-in.ts" >/dev/null
  build ghcr.io/versity/versitygw:v1.8.0 <<'STORE'
FROM oven/bun:1.4-debian
RUN printf '#!/bin/sh\nexec bun -e "process.exit((await fetch(\\"http://127.0.0.1:7070\\")).status < 500 ? 0 : 1)"\n' >/usr/local/bin/wget && chmod 755 /usr/local/bin/wget
COPY s3.js /
CMD ["bun", "/s3.js"]
STORE
}
