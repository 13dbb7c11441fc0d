#!/bin/sh
# enter.sh ROOT MIB CONFINE PROCESSES OUTSIDE=INSIDE... -- COMMAND...: runs a command in namespaces of its own as
# Lambda would: as a user with no rights, in a file system that is read-only but for MIB of /tmp.
set -eu
root=$1 mib=$2 confine=$3 processes=$4 here=$PWD path=$PATH
shift 4
PATH=/usr/sbin:/usr/bin:/sbin:/bin

lay() {
  [ -e "$1" ] || return 0
  if [ -d "$1" ]; then
    mkdir -p "$root$2"
  elif [ ! -e "$root$2" ]; then
    mkdir -p "$(dirname "$root$2")"
    : >"$root$2"
  fi
  mount --rbind "$1" "$root$2"
}

mount -t tmpfs -o mode=755 cage "$root"
mkdir "$root/tmp" "$root/proc" "$root/dev"
mount -t tmpfs -o "size=${mib}m,mode=1777,nosuid,nodev" tmp "$root/tmp"
for name in bin sbin lib lib64; do
  if [ -L "/$name" ]; then cp -P "/$name" "$root/"; else lay "/$name" "/$name"; fi
done
lay /usr /usr
lay /etc /etc
while [ "$1" != -- ]; do
  lay "${1%%=*}" "${1#*=}"
  shift
done
shift
for name in null zero full random urandom; do lay "/dev/$name" "/dev/$name"; done
ln -s /proc/self/fd "$root/dev/fd"
for name in stdin:0 stdout:1 stderr:2; do ln -s "/proc/self/fd/${name#*:}" "$root/dev/${name%:*}"; done
while read -r _ _ _ _ place _; do
  case $place in
    "$root/tmp" | "$root/dev/"*) ;;
    "$root" | "$root/"*) mount -o remount,bind,ro "$place" ;;
  esac
done </proc/self/mountinfo
mount -t proc -o nosuid,nodev,noexec proc "$root/proc"
mount -o remount,bind,ro "$root"

cd "$root"
pivot_root . .
umount -l .
cd "$here" 2>/dev/null || cd /
unset HOME TMPDIR
set -- env "PATH=$path" "$@"
set -- setpriv --reuid=993 --regid=990 --clear-groups --inh-caps=-all --bounding-set=-all "$@"
set -- prlimit --nofile=1024:1024 ${processes:+"--nproc=$processes:$processes"} "$@"
if [ -n "$confine" ]; then exec "$confine" "$@"; fi
setsid "$@"
exit
