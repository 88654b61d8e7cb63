#!/bin/sh
# Installs the system packages that Assay lacks on Debian or Ubuntu: `install.sh run`, `test`, `docker` or `fresh`.
# Where neither root nor password-less sudo is there, says in one line what to install, and ends with 2.
set -eu

missing=""
need() { # need COMMAND PACKAGE
    command -v "$1" >/dev/null 2>&1 || [ -x "/usr/bin/$1" ] || [ -x "/usr/sbin/$1" ] || missing="$missing $2"
}

need git git
need bwrap bubblewrap
need slirp4netns slirp4netns
need unshare util-linux
need chromium chromium
[ -x /usr/bin/python3 ] || missing="$missing python3"
/usr/bin/python3 -c 'import ensurepip' >/dev/null 2>&1 || missing="$missing python3-venv"
# Playwright's driver needs it; a bare system does not have it.
ls /usr/lib/*/libatomic.so.1 >/dev/null 2>&1 || missing="$missing libatomic1"
fc-list 2>/dev/null | grep -qi dejavu || missing="$missing fonts-dejavu-core"
[ -e /etc/ssl/certs/ca-certificates.crt ] || missing="$missing ca-certificates"
if [ "${1:-run}" = test ]; then
    ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || missing="$missing postgresql"
    need node nodejs
    need npm npm
    command -v gcc >/dev/null 2>&1 || missing="$missing gcc"
    command -v pdftotext >/dev/null 2>&1 || missing="$missing poppler-utils"
    need bats bats
    /usr/bin/python3 -c 'import PIL' >/dev/null 2>&1 || missing="$missing python3-pil"
    need cppcheck cppcheck
    need tidy tidy
fi
if [ "${1:-run}" = fresh ]; then
    missing=""
    need debootstrap debootstrap
fi
if [ "${1:-run}" = docker ]; then
    missing=""
    need dockerd docker.io
    need iptables iptables
    need debootstrap debootstrap
fi

[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ]; then
    as_root=""
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
    as_root="sudo"
else
    echo "Assay needs these packages; please run: sudo apt-get install$missing" >&2
    exit 2
fi
echo "Installing system packages:$missing"
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086  # the words are ours
{ $as_root apt-get update -qq && $as_root apt-get install -y -qq --no-install-recommends $missing; } >/tmp/assay-apt.$$ 2>&1 || {
    cat /tmp/assay-apt.$$ >&2
    echo "Installing failed; please run: sudo apt-get install$missing" >&2
    exit 2
}
rm -f /tmp/assay-apt.$$
