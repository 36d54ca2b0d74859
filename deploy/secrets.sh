#!/bin/sh
# Writes the secrets of compose.yaml to .env, once: sh deploy/secrets.sh
set -eu
cd "$(dirname "$0")/.."
[ -e .env ] && exit 0
umask 077
secret() { head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n'; }
cat >.env.new <<END
JWT_SECRET=$(secret)
POSTGRES_PASSWORD=$(secret)
S3_ACCESS_KEY_ID=reelwright
S3_SECRET_ACCESS_KEY=$(secret)
END
mv .env.new .env
echo "Wrote new secrets to .env. Keep them: without them the data of the volumes cannot be used."
