# debian: Debian's ffmpeg, which gets security updates. bundled: the static one of the lock file, a smaller image.
ARG FFMPEG=debian

FROM oven/bun:1.4-debian AS modules
WORKDIR /app
COPY package.json bun.lock bunfig.toml ./
RUN bun install --frozen-lockfile --production
COPY scripts/image/prune.ts scripts/image/
COPY src/media/text/fonts/files.ts src/media/text/fonts/
ARG FFMPEG
RUN bun scripts/image/prune.ts "$FFMPEG"

# an initialized embedded database: the first start copies it instead of creating one, which takes five seconds
FROM modules AS template
COPY drizzle drizzle
COPY scripts/image scripts/image
COPY src src
RUN bun scripts/image/database-template.ts /template

FROM debian:bookworm-slim
ARG FFMPEG
# Drivers of graphics cards come with ffmpeg's windows and take 150 MB; nothing here opens a window.
RUN printf 'path-exclude=%s\n' '/usr/lib/*/libLLVM*' '/usr/lib/*/dri/*' '/usr/lib/*/libz3*' '/usr/share/icons/*' \
      '/usr/share/locale/*' '/usr/share/man/*' >/etc/dpkg/dpkg.cfg.d/reelwright \
  && apt-get update \
  && case $FFMPEG in debian) packages=ffmpeg ;; bundled) packages= ;; esac \
  && apt-get install -y --no-install-recommends ca-certificates tini $packages \
  && rm -rf /var/lib/apt/lists/* /var/cache/* /var/log/* \
  && useradd --uid 1000 --no-create-home --home-dir /app reelwright \
  && install -d -o reelwright -g reelwright -m 0700 /data
COPY --from=modules /usr/local/bin/bun /usr/local/bin/bun
WORKDIR /app
COPY --from=modules /app/node_modules node_modules
COPY --from=template --chown=reelwright:reelwright /template template
COPY package.json LICENSE ./
COPY drizzle drizzle
COPY scripts/image scripts/image
COPY src src

RUN if [ "$FFMPEG" = bundled ]; then ln -s "$(bun -p 'require("@ffmpeg-installer/ffmpeg").path')" /usr/local/bin/ffmpeg; fi

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
