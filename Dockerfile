# debian: built from Debian's source package, which gets security updates. package: Debian's own package, with 213 libraries.
# bundled: the static one of the lock file, of 2018.
ARG FFMPEG=debian

FROM oven/bun:1.4-debian AS modules
WORKDIR /app
COPY package.json bun.lock bunfig.toml ./
RUN bun install --frozen-lockfile --production
COPY scripts/image/prune.ts scripts/image/
COPY src/engine/text/fonts/files.ts src/engine/text/fonts/
ARG FFMPEG
RUN bun scripts/image/prune.ts "$FFMPEG"

# an initialized embedded database: the first start copies it instead of creating one, which takes five seconds
FROM modules AS template
COPY drizzle drizzle
COPY scripts/image scripts/image
COPY src src
COPY studio studio
RUN bun scripts/image/database-template.ts /template
# the page of the studio, bundled
COPY tsconfig.json ./
COPY client client
RUN bun studio/build.ts

# a package of ffmpeg with what the service uses; none for the bundled one
FROM debian:bookworm-slim AS ffmpeg
COPY --from=modules /usr/local/bin/bun /usr/local/bin/bun
WORKDIR /build
COPY scripts/image/build-ffmpeg.sh scripts/image/ffmpeg-options.ts scripts/image/
COPY src/engine/ffmpeg/components.ts src/engine/ffmpeg/
ARG FFMPEG
RUN mkdir packages \
  && if [ "$FFMPEG" = debian ]; then sh scripts/image/build-ffmpeg.sh "$PWD/packages/ffmpeg.deb" $(bun scripts/image/ffmpeg-options.ts); fi

FROM debian:bookworm-slim AS system
ARG FFMPEG
COPY --from=ffmpeg /build/packages /tmp/packages
RUN printf 'path-exclude=%s\n' '/usr/share/locale/*' '/usr/share/man/*' >/etc/dpkg/dpkg.cfg.d/reelwright \
  && apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates tini $(find /tmp/packages -name '*.deb') \
    $([ "$FFMPEG" != package ] || echo ffmpeg) \
  && useradd --uid 1000 --no-create-home --home-dir /app reelwright \
  && install -d -o reelwright -g reelwright -m 0700 /data
COPY --from=modules /usr/local/bin/bun /usr/local/bin/bun
WORKDIR /app
COPY --from=modules /app/node_modules node_modules
COPY --from=template --chown=reelwright:reelwright /template template
COPY package.json LICENSE ./
COPY docs docs
COPY drizzle drizzle
COPY scripts/image scripts/image
COPY src src
COPY studio/build.ts studio/
COPY --from=template /app/studio/dist studio/dist
RUN if [ "$FFMPEG" = bundled ]; then ln -s "$(bun -p 'require("@ffmpeg-installer/ffmpeg").path')" /usr/local/bin/ffmpeg; fi
# Nothing in the image installs packages, changes users or runs Perl. The record of the packages stays, for scanners.
RUN find / -xdev -type f -perm /6000 -exec chmod a-s {} + \
  && rm -rf /usr/bin/apt* /usr/lib/apt /usr/lib/*/libapt-* /etc/apt /var/lib/apt /usr/lib/*/perl* /usr/share/perl* \
      /usr/bin/perl* /usr/lib/*/gconv /var/lib/dpkg/info/*.list /var/cache/* /var/log/* /tmp/packages

# one layer, so that what was removed is not in the image
FROM scratch
COPY --from=system / /
WORKDIR /app
ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
# a name server that does not answer is given up before the 3 s that a connection to the database may take
ENV RES_OPTIONS=timeout:1
ENV HOST=0.0.0.0 \
  PORT=3000 \
  DATA_DIR=/data \
  FFMPEG_PATH=ffmpeg \
  DATABASE_TEMPLATE=/app/template \
  HEALTH_SOCKET=/tmp/health.sock \
  NODE_ENV=production
USER reelwright
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=10s --start-period=20s CMD ["bun", "scripts/image/health-check.ts"]
# reaps the processes that ffmpeg's sandbox leaves
ENTRYPOINT ["tini", "--"]
CMD ["bun", "src/main.ts"]

ARG VERSION=0.1.0
ARG REVISION=
LABEL org.opencontainers.image.title="Reelwright" \
  org.opencontainers.image.description="A back end for short marketing videos" \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.version="$VERSION" \
  org.opencontainers.image.revision="$REVISION"
