#!/usr/bin/env bash
# Proves the Dockerfile and compose.yaml without a Docker daemon: builds both images with buildah, makes films in a
# container with podman, kills a worker of the composed service, scales it and stops it.
#   scripts/containers.sh [--keep] [images|compose]      --keep leaves the images for the next run
# With `images` the image's own ffmpeg is built and tried, and a hash of what decides it is written to
# scripts/image/ffmpeg.sum. With `compose` alone Debian's package takes its place as long as that hash is the same.
# Needs root, Debian's packages and 6 GB. Settings: CONTAINERS_DIR (/tmp/reelwright-containers), CONTAINERS_PORT (4240).
set -euo pipefail
cd "$(dirname "$0")/.."
dir=${CONTAINERS_DIR:-/tmp/reelwright-containers} port=${CONTAINERS_PORT:-4240} keep='' parts='images compose'
for argument in "$@"; do
  case $argument in
    --keep) keep=--keep ;;
    images | compose) parts=$argument ;;
    *) echo "Usage: scripts/containers.sh [--keep] [images|compose]" >&2 && exit 2 ;;
  esac
done
sum_file=scripts/image/ffmpeg.sum
packages=(buildah podman runc podman-compose netavark aardvark-dns iptables mmdebstrap)

skip() { echo "SKIPPED: $1" && exit 0; }
fail() { echo "FAILED: $1" >&2 && exit 1; }
milliseconds() { echo $(($(date +%s%N) / 1000000)); }
# NAME COMMAND…: runs it, and prints what it took, or its output if it fails
step() {
  local name=$1 started log
  shift
  started=$(milliseconds) log=$(mktemp)
  if ! "$@" >"$log" 2>&1; then
    grep -v systemd "$log" | tail -80 >&2
    fail "$name"
  fi
  grep '^NOTE' "$log" || true
  printf '%-58s %6.1f s\n' "$name" "$(bc <<<"scale=1; ($(milliseconds) - $started) / 1000")"
  rm -f "$log"
}
# SECONDS COMMAND…: repeats it until it succeeds
within() {
  local ends=$(($(milliseconds) + $1 * 1000))
  shift
  until "$@" >/dev/null 2>&1; do
    [ "$(milliseconds)" -lt "$ends" ] || return 1
    sleep 0.1
  done
}
is_ready() { curl -sf "http://127.0.0.1:$1/api/ready"; }
bun() { "$bun_path" "$@"; }
megabytes() { podman image inspect "$1" --format '{{.Size}}' | awk '{ printf "%d MB", $1 / 1e6 }'; }

[ "$(id -u)" = 0 ] || skip "containers need root"
# `command -v` with several names succeeds if there is one of them
has_all() {
  local name
  for name; do command -v "$name" >/dev/null || return 1; done
}
install() {
  has_all buildah podman runc podman-compose mmdebstrap bc curl && return
  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${packages[@]}" bc curl
}
install >/dev/null 2>&1 || skip "Debian's packages cannot be had"
[ "$(df --output=avail -k "$(dirname "$dir")" | tail -1)" -gt 6000000 ] || skip "6 GB of disk are not free"

started=$(milliseconds)
bun_path=$(npx -y -p bun@1.4 sh -c 'readlink -f "$(command -v bun)"' 2>/dev/null)
mkdir -p "$dir"
clean() {
  status=$?
  set +e
  if [ -f "$dir/env" ]; then
    podman rm -f -a -t 5 -v >/dev/null 2>&1
    podman network rm reel_inside reel_outside >/dev/null 2>&1
    podman volume rm reel_database reel_objects >/dev/null 2>&1
    if [ "$keep" != --keep ]; then podman system reset -f >/dev/null 2>&1 && rm -rf "$dir"; fi
  fi
  [ "$status" -eq 0 ] || echo "FAILED: scripts/containers.sh" >&2
  exit "$status"
}
trap clean EXIT

# the films of an earlier run are of other code
rm -rf "$dir/latest" "$dir/bundled" "$dir/compose"
step "base images" scripts/containers/base.sh "$dir"
# shellcheck source=/dev/null
. "$dir/env"
podman network create reel_probe >/dev/null 2>&1 && podman run --rm --network reel_probe debian:bookworm-slim true >/dev/null 2>&1 ||
  { podman network rm -f reel_probe >/dev/null 2>&1; skip "this machine allows no networks of containers"; }
podman network rm -f reel_probe >/dev/null

# what decides the image's own ffmpeg: its list of components, its script, the Dockerfile's lines about it
ffmpeg_sum() { { bun scripts/image/ffmpeg-options.ts && cat scripts/image/build-ffmpeg.sh && sed -n '/ AS ffmpeg$/,/^$/p' Dockerfile; } | sha256sum | cut -d' ' -f1; }
sum=$(ffmpeg_sum) ffmpeg=debian
if [ "$parts" = compose ] && [ "$sum" = "$(cat "$sum_file" 2>/dev/null)" ]; then
  ffmpeg=package
  echo "The image's own ffmpeg is as it was tried last ($sum_file): Debian's package takes its place."
fi

build() { buildah bud -q --pull-never --layers --format docker "$@"; }
step "image with ffmpeg: $ffmpeg" build --build-arg FFMPEG=$ffmpeg -t localhost/reelwright:latest .
case $parts in *images*) step "image with the bundled ffmpeg" build --build-arg FFMPEG=bundled -t localhost/reelwright:bundled . ;; esac
step "image of the front" build -t localhost/reelwright-front:latest -f deploy/front/Dockerfile deploy
for name in reelwright:latest reelwright:bundled reelwright-front:latest debian:bookworm-slim; do
  ! podman image exists "$name" || echo "  $name: $(megabytes "$name")"
done

# IMAGE: one container, as docs/containers.md runs it
one_container() {
  podman run -d --name reel_one --read-only --tmpfs /tmp --cap-drop all --security-opt no-new-privileges --memory 3g \
    -p "127.0.0.1:$port:3000" "$1" >/dev/null
  within 180 is_ready "$port" || { podman logs reel_one && return 1; }
  echo "  CPU time until ready: $(cpu_of reel_one) s, memory: $(memory_of reel_one) MB" >"$dir/cost"
}
# of the largest process, at its most
memory_of() { podman exec "$1" sh -c 'cat /proc/[0-9]*/status' | awk '/^VmHWM/ && $2 > most { most = $2 } END { print int(most / 1024) }'; }
# in seconds, of the processes that live
cpu_of() { podman exec "$1" sh -c "cat /proc/[0-9]*/stat" | awk '{ sum += $14 + $15 + $16 + $17 } END { printf "%.1f", sum / 100 }'; }
# CONTAINER…: within 10 s, with exit code 0
stops_cleanly() {
  local stopped
  for container in "$@"; do
    stopped=$(milliseconds)
    podman stop -t 15 "$container"
    [ $(($(milliseconds) - stopped)) -lt 10000 ] || { echo "$container took longer than 10 s" && return 1; }
    [ "$(podman inspect "$container" --format '{{.State.ExitCode}}')" = 0 ] || { podman logs "$container" && return 1; }
  done
}
film() { bun scripts/containers/film.ts --url "http://127.0.0.1:$port" --out "$dir/$1"; }
# CONTAINER…: their last log lines, and the last of warnings and errors, to see why a step failed
with_logs() {
  for container in "$@"; do
    echo "== $container" && podman logs --tail 5 "$container" 2>&1 | cut -c1-300
    podman logs "$container" 2>&1 | grep -v '"level":30' | tail -10 | cut -c1-1000
  done
}
composed_film() { film compose || { with_logs reel_api_1 reel_api_2 reel_database_1 && return 1; }; }

prove_image() {
  local image=$1
  step "$image: start with an empty volume until ready" one_container "localhost/reelwright:$image"
  cat "$dir/cost"
  step "$image: health check" podman healthcheck run reel_one
  step "$image: uploads, films, frames, generation" film "$image"
  step "$image: clean stop" stops_cleanly reel_one
  step "$image: start with the volume until ready" sh -c "podman start reel_one && until curl -sf http://127.0.0.1:$port/api/ready; do sleep 0.05; done"
  podman rm -f -t 5 -v reel_one >/dev/null 2>&1
}

# the composed service runs in a copy, because it has secrets
project=$dir/project
compose() { (cd "$project" && podman-compose -p reel "$@"); }
all=(reel_front_1 reel_api_1 reel_api_2 reel_worker_1 reel_worker_2 reel_database_1 reel_objects_1)
healthy() { for container in "$@"; do within 180 podman healthcheck run "$container" || { podman logs "$container" && return 1; }; done; }
finds() { timeout 20 podman exec "$1" getent ahosts "$2"; }
find_each_other() { finds reel_front_1 api && finds reel_api_1 database && finds reel_api_2 database && finds reel_worker_1 database && finds reel_worker_2 database; }
# podman's name server of Debian 12 is silent in one network now and then, after it has read the names of a new container
renew_names() {
  local names=/run/containers/networks/aardvark-dns
  echo "NOTE: the name server is silent, and is started anew"
  kill -9 "$(cat "$names/aardvark.pid")" && sleep 1
  /usr/lib/podman/aardvark-dns --config "$names" -p 53 run
}
start_all() { compose up -d && { within 20 find_each_other || { renew_names && within 60 find_each_other; }; } && healthy "${all[@]}"; }
reaches_nothing() { ! podman exec "$1" bash -c 'timeout 3 bash -c "exec 3<>/dev/tcp/1.1.1.1/443"'; }
no_way_out() { reaches_nothing reel_worker_1 && podman exec reel_worker_1 sh -c '! grep -Eq "^[a-z0-9]+[[:space:]]00000000[[:space:]]" /proc/net/route'; }
# CONTAINER: finds the database in less than the 3 s that a connection may take while its first name server is silent
finds_database() {
  local netns server started
  netns=(nsenter --net --target "$(podman inspect "$1" --format '{{.State.Pid}}')")
  server=$(podman exec "$1" sed -n 's/^nameserver //p' /etc/resolv.conf | head -1)
  "${netns[@]}" iptables -I INPUT -p udp --sport 53 -s "$server" -j DROP
  started=$(milliseconds)
  podman exec "$1" getent ahosts database
  started=$(($(milliseconds) - started))
  "${netns[@]}" iptables -D INPUT -p udp --sport 53 -s "$server" -j DROP
  [ "$started" -ge 1000 ] && [ "$started" -lt 2500 ] || { echo "The name was found after $started ms." && return 1; }
}
renders() { podman exec "$1" sh -c 'grep -qs ffmpeg /proc/[0-9]*/comm'; }
either_renders() { for worker in reel_worker_1 reel_worker_2; do renders "$worker" && echo "$worker" >"$dir/rendering" && return; done; return 1; }
killed_worker() {
  bun scripts/containers/export.ts --url "http://127.0.0.1:$port" >"$dir/export.log" 2>&1 &
  local export=$!
  # it ends by itself, if only with an error
  until grep -q rendering "$dir/export.log" && either_renders; do
    sleep 0.2
    kill -0 "$export" 2>/dev/null || { cat "$dir/export.log" && return 1; }
  done
  kill -9 "$(podman inspect "$(cat "$dir/rendering")" --format '{{.State.Pid}}')"
  echo "killed $(cat "$dir/rendering")"
  wait "$export" || { cat "$dir/export.log" && return 1; }
}
has_servers() { [ "$(podman exec reel_front_1 grep -c '^server' /tmp/upstream.conf)" = "$1" ]; }
scale() { API_REPLICAS=3 compose up -d && healthy reel_api_3 && within 120 has_servers 3; }

prove_compose() {
  rm -rf "$project" && mkdir "$project" && cp -r compose.yaml Dockerfile deploy "$project"
  [ "$(cd "$project" && podman-compose -p reel up 2>&1 | grep -c 'secrets.sh first')" -gt 0 ] || fail "compose starts without secrets"
  sh "$project/deploy/secrets.sh" >/dev/null
  printf 'LISTEN=127.0.0.1:%s\nPUBLIC_URL=http://127.0.0.1:%s\n' "$port" "$port" >>"$project/.env"
  step "compose: start until every health check passes" start_all
  step "compose: a worker has no way out" no_way_out
  step "compose: a silent name server costs one second" finds_database reel_api_1
  step "compose: uploads, films, frames, generation" composed_film
  [ ! -e "$dir/latest/film.mp4" ] || cmp -s "$dir/latest/film.mp4" "$dir/compose/film.mp4" || fail "the composed service makes another film than one container"
  step "compose: a killed worker, its export ends" killed_worker
  step "compose: the killed worker is back" healthy "$(cat "$dir/rendering")"
  step "compose: a third process joins the front" scale
  step "compose: clean stop" stops_cleanly reel_front_1 reel_api_3 reel_api_2 reel_api_1 reel_worker_2 reel_worker_1 reel_objects_1 reel_database_1
}

for part in $parts; do
  case $part in
    images) prove_image latest && echo "$sum" >"$sum_file" && prove_image bundled ;;
    compose) prove_compose ;;
  esac
done
[ "$sum" = "$(cat "$sum_file" 2>/dev/null)" ] || fail "$sum_file is of another ffmpeg: scripts/containers.sh images tries this one and renews it"
printf 'All in %d s.\n' $((($(milliseconds) - started) / 1000))
