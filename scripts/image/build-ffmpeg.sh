#!/bin/sh
# Builds ffmpeg from Debian's source package, which has Debian's security patches, in one program without libraries of its
# own: build-ffmpeg.sh FILE OPTION…. FILE is a package of the same name and version as Debian's, so that apt installs what
# it is linked with and scanners know it. The options are of ffmpeg's configure: see ffmpeg-options.ts.
set -eu
file=$1
shift
find /etc/apt -name sources.list -o -name '*.sources' | xargs sed -i -e 's/^Types: deb$/& deb-src/' -e '/^deb /{p;s//deb-src /}'
apt-get update
apt-get install -y --no-install-recommends dpkg-dev gcc libc6-dev make nasm pkg-config \
  libbz2-dev libdav1d-dev libmp3lame-dev libopus-dev libvpx-dev libx264-dev libzimg-dev zlib1g-dev
mkdir -p /tmp/ffmpeg && cd /tmp/ffmpeg
apt-get source ffmpeg
cd ffmpeg-*/
version=$(dpkg-parsechangelog -S Version)

# the hardening and the version as Debian's rules set them
./configure --toolchain=hardened --extra-version="${version##*-}" --enable-gpl \
  --disable-autodetect --disable-avdevice --disable-debug --disable-doc --disable-ffplay --disable-ffprobe \
  --disable-network --disable-postproc --disable-protocols --enable-protocol=file --enable-protocol=pipe \
  --enable-bzlib --enable-libdav1d --enable-libmp3lame --enable-libopus --enable-libvpx --enable-libx264 --enable-libzimg --enable-zlib "$@"
make -j"$(nproc)" ffmpeg

root=/tmp/ffmpeg/root
install -D ffmpeg "$root/usr/bin/ffmpeg"
install -D -m 644 debian/copyright "$root/usr/share/doc/ffmpeg/copyright"
mkdir "$root/DEBIAN"
cat >"$root/DEBIAN/control" <<CONTROL
Package: ffmpeg
Version: $version
Architecture: $(dpkg --print-architecture)
Maintainer: $(sed -n 's/^Maintainer: //p' debian/control)
Depends: $(dpkg-shlibdeps -O ffmpeg | sed -n 's/^shlibs:Depends=//p')
Description: ffmpeg of Debian's source package, with what Reelwright uses
CONTROL
dpkg-deb --build --root-owner-group "$root" "$file"
