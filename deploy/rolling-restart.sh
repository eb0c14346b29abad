#!/usr/bin/env bash
# Restarts instances behind nginx one after the other, so that no request fails:
#   deploy/rolling-restart.sh 8000 8001 8002
# Takes each out of nginx' list, restarts it, waits until it is ready, and puts it back. Stops where one does not get ready.
#   NGINX_FILE     the file with the list (/etc/nginx/conf.d/evenkeel.conf)
#   NGINX_COMMAND  nginx, perhaps with arguments (nginx)
#   RESTART        what restarts an instance; the port comes after it (systemctl restart evenkeel@)
#   PATIENCE       seconds for an instance to get ready (120)
set -euo pipefail
file=${NGINX_FILE:-/etc/nginx/conf.d/evenkeel.conf}
read -ra nginx <<<"${NGINX_COMMAND:-nginx}"
restart=${RESTART:-systemctl restart evenkeel@}
patience=${PATIENCE:-120}
[ $# -gt 1 ] || { echo "name the ports of at least two instances: while one restarts, another one answers" >&2; exit 2; }

# Changes how the line of an instance in the list ends, and has nginx read it. One that was left out before counts, too.
list() { # port ending
    grep -qE "server 127\.0\.0\.1:$1( down)?;" "$file" || { echo "$file has no line \"server 127.0.0.1:$1;\"" >&2; exit 1; }
    sed -i --follow-symlinks -E "s/server 127\.0\.0\.1:$1( down)?;/server 127.0.0.1:$1$2;/" "$file"
    "${nginx[@]}" -t -q && "${nginx[@]}" -s reload
}

for port in "$@"; do
    list "$port" " down"
    # Requests that old workers of nginx send yet are answered: the instance goes on for DRAIN_SECONDS.
    eval "$restart$port"
    for ((left = patience; ; left--)); do
        [ "$(curl -s -o /dev/null -w '%{http_code}' "http://127.0.0.1:$port/readyz")" != 200 ] || break
        [ "$left" -gt 0 ] || { echo "the instance on port $port does not get ready; it is out of the list. Once it is mended, do this again" >&2; exit 1; }
        sleep 1
    done
    list "$port" ""
    echo "restarted the instance on port $port"
done
