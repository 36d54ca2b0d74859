#!/bin/bash
# Runs nginx in front of all containers that have the name API_HOST, and follows them as they come and go: nginx itself
# resolves a name only when it reads its configuration.
set -eu
name=${API_HOST:-api} port=${API_PORT:-3000} folder=/tmp

servers() {
  { getent ahostsv4 "$name" || true; } | awk -v port="$port" '$2 == "STREAM" { print $1 }' | sort -u |
    sed "s/.*/server &:$port max_fails=3 fail_timeout=2s;/"
}

write() {
  printf '%s\n' "$1" >"$folder/upstream.new" && mv "$folder/upstream.new" "$folder/upstream.conf"
}

known=$(servers)
# the port of no one: responds with 503 until there is a process
write "${known:-server 127.0.0.1:9;}"
ln -sf /dev/stdout "$folder/access.log"
ln -sf /dev/stderr "$folder/error.log"
nginx -p "$folder" -c /etc/nginx/nginx.conf -g 'daemon off;' &
nginx=$!
# QUIT finishes running requests, and TERM ends those that last longer than 8 s
stop() {
  kill -QUIT "$nginx"
  { sleep 8 && kill -TERM "$nginx"; } 2>/dev/null &
  wait "$nginx" || true
  exit 0
}
trap stop TERM INT

while kill -0 "$nginx" 2>/dev/null; do
  sleep 2 &
  wait $! || true
  now=$(servers)
  # an empty answer is a failure of the name server more often than the loss of all processes
  if [ -n "$now" ] && [ "$now" != "$known" ]; then
    known=$now
    write "$now"
    kill -HUP "$nginx"
  fi
done
wait "$nginx"
