#!/usr/bin/env bash
# Checks one webhook delivery of the Verification Service, and takes each verification once.
# Needs bash 4 and openssl 1.1.1 or later. A shell has no HTTP server: whatever receives the request
# saves the raw body to a file and hands over the value of the X-Service-Signature header.
#
#   verify.sh HEADER BODY_FILE
#
# Settings, from the environment:
#   WEBHOOK_SECRET  the webhook signing secret (required)
#   SEEN_DIR        a directory of its own, which remembers what was accepted (required)
#   TOLERANCE_S     how many seconds old, or ahead, a signature may be (default 300)
#
# Exit codes: 0 accepted, answer 204 (a duplicate too, for which nothing is printed); 1 not valid,
# answer 400; 2 usage or a failure, answer 500, so that the service tries again.
set -Eeuo pipefail
# Bytes, not characters, whatever the machine's language is.
export LC_ALL=C

fail() { printf 'verify.sh: %s\n' "$1" >&2; exit 2; }
refuse() { printf 'refused: %s\n' "$1" >&2; exit 1; }
trap 'fail "something failed in line $LINENO"' ERR

[ $# -eq 2 ] || fail 'give the header and the file of the body'
header=$1
body=$2
# With an empty secret anybody could sign.
[ -n "${WEBHOOK_SECRET:-}" ] || fail 'WEBHOOK_SECRET is not set'
[ -d "${SEEN_DIR:-}" ] || fail 'SEEN_DIR is no directory'
tolerance_s=${TOLERANCE_S:-300}
[[ $tolerance_s =~ ^[1-9][0-9]{0,8}$ ]] || fail 'TOLERANCE_S is no number of seconds'
[ -r "$body" ] || fail 'the body cannot be read'
# The programs that are called need not know it.
export -n WEBHOOK_SECRET

# Bytes from standard input as hex digits, and hex digits as bytes.
to_hex() { od -An -v -tx1 | tr -d ' \n'; }
to_bytes() {
  local escaped='' at
  for ((at = 0; at < ${#1}; at += 2)); do escaped+="\\x${1:at:2}"; done
  printf '%b' "$escaped"
}

# HMAC-SHA256 (RFC 2104) of standard input as hex digits, with a key of hex digits. By hand, since
# openssl takes keys as arguments, which everybody on the machine can read in the list of processes.
# Here no program is given the key: printf is a part of bash.
hmac_sha256() {
  local key=$1 inner='' outer='' at byte
  # A key longer than a block of 64 bytes is hashed first.
  if [ ${#key} -gt 128 ]; then key=$(to_bytes "$key" | openssl dgst -sha256 -binary | to_hex); fi
  for ((at = 0; at < 128; at += 2)); do
    byte=${key:at:2}
    printf -v inner '%s%02x' "$inner" $((16#${byte:-00} ^ 0x36))
    printf -v outer '%s%02x' "$outer" $((16#${byte:-00} ^ 0x5c))
  done
  {
    to_bytes "$outer"
    { to_bytes "$inner"; cat; } | openssl dgst -sha256 -binary
  } | openssl dgst -sha256 -binary | to_hex
}

# Exactly two parts, the time first.
[[ $header =~ ^t=([0-9]{1,12}),v1=([0-9a-f]{64})$ ]] ||
  refuse 'the header is not t=<seconds>,v1=<64 hex digits>'
timestamp=${BASH_REMATCH[1]}
signature=${BASH_REMATCH[2]}

# The raw bytes are signed, so the body goes straight from the file into the hash: a variable would
# lose its last line breaks. The text of the timestamp is signed, not the number.
expected=$({ printf '%s.' "$timestamp"; cat -- "$body"; } |
  hmac_sha256 "$(printf '%s' "$WEBHOOK_SECRET" | to_hex)")

# How long a comparison of texts takes tells how many characters were guessed right, and a shell has
# no other comparison. So both are hashed with a key that is new each time (double HMAC), and the
# hashes are compared: how far those are alike is chance, and tells nothing of what was expected.
once=$(openssl rand -hex 32)
wanted=$(printf '%s' "$expected" | hmac_sha256 "$once")
given=$(printf '%s' "$signature" | hmac_sha256 "$once")
[ "$wanted" = "$given" ] || refuse 'the signature is not that of this body and secret'

# An old signature is a recorded delivery that somebody sends again. 10#: a leading 0 is not octal.
age_s=$(($(date +%s) - 10#$timestamp))
[ "${age_s#-}" -le "$tolerance_s" ] || refuse "the signature is $age_s s old"

# The first member of that name is the envelope's own: it stands before `data`. Within a text it
# can't be found, because there its quotes are escaped. Where jq is at hand: jq -er .verificationId.
member='"verificationId"[[:space:]]*:[[:space:]]*"([^"]*)"'
[[ $(<"$body") =~ $member ]] || refuse 'the body names no verification'
id=${BASH_REMATCH[1]}
# It becomes the name of a directory.
[[ $id =~ ^[0-9A-Za-z_-]{1,128}$ ]] || refuse 'the verification has no id that can be kept'

# Deliveries come at least once: mkdir makes a directory for exactly one of several runs.
claim=$SEEN_DIR/$id
if ! mkdir -- "$claim" 2>/dev/null; then
  if [ -e "$claim/done" ]; then exit 0; fi
  # Another run is at it, and this one must not say that all is done before it is. When that run was
  # killed, nobody can know whether it acted: look, then create `done` or remove the directory.
  fail "$id was begun and not finished"
fi

# Your application's work. When it fails, the claim is given back and the next attempt tries again.
act() { printf 'accepted %s\n' "$id"; }
act || { rmdir -- "$claim"; fail "$id could not be acted on"; }
: >"$claim/done"
