#!/usr/bin/env bash
# Restarts the instances behind nginx one after the other, without failing requests:
#   deploy/rolling-restart.sh 8000 8001 8002
# Marks each instance as down in the upstream block of nginx, restarts it, waits until it is ready, and marks it as up.
# Stops if an instance does not become ready. Environment variables, with their defaults:
#   NGINX_FILE     file with the upstream block (/etc/nginx/conf.d/evenkeel.conf)
#   NGINX_COMMAND  nginx executable and arguments (nginx)
#   RESTART        restart command, to which the port is appended (systemctl restart evenkeel@)
#   PATIENCE       maximum number of seconds until an instance is ready (120)
set -euo pipefail
file=${NGINX_FILE:-/etc/nginx/conf.d/evenkeel.conf}
read -ra nginx <<<"${NGINX_COMMAND:-nginx}"
restart=${RESTART:-systemctl restart evenkeel@}
patience=${PATIENCE:-120}
[ $# -gt 1 ] || { echo "usage: rolling-restart.sh PORT PORT... (at least two instances: one must serve while another restarts)" >&2; exit 2; }

# Sets the suffix of an instance's server line, which is " down" or empty, and reloads nginx.
list() { # port ending
    grep -qE "server 127\.0\.0\.1:$1( down)?;" "$file" || { echo "$file has no line \"server 127.0.0.1:$1;\"" >&2; exit 1; }
    sed -i --follow-symlinks -E "s/server 127\.0\.0\.1:$1( down)?;/server 127.0.0.1:$1$2;/" "$file"
    "${nginx[@]}" -t -q && "${nginx[@]}" -s reload
}

for port in "$@"; do
    list "$port" " down"
    # Old nginx workers may still send requests to this instance, which serves them for DRAIN_SECONDS after SIGTERM.
    eval "$restart$port"
    for ((left = patience; ; left--)); do
        [ "$(curl -s -o /dev/null -w '%{http_code}' "http://127.0.0.1:$port/readyz")" != 200 ] || break
        [ "$left" -gt 0 ] || { echo "the instance on port $port did not become ready and is still marked as down; fix it, then run this script again" >&2; exit 1; }
        sleep 1
    done
    list "$port" ""
    echo "restarted the instance on port $port"
done
