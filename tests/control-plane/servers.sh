# shellcheck shell=bash
# How one control plane is started and stopped; tests/control-plane/planes.sh reads this file. It is
# given two folders: $assets with the binaries and $plane for everything that is written. Every
# process, also one that a test starts, has its id in a file of $plane/pids, and stop_plane stops
# what is noted there: no process is ever searched by name.
# Controller and scheduler are left to the tests, which need them at some times and not at others.

# A process that is not yet reaped answers to its id although it has ended.
is_running() {
    kill -0 "$1" 2>/dev/null && [[ $(ps -o stat= -p "$1" 2>/dev/null) != Z* ]]
}

# Stops the processes $@ and returns when they have ended, by force after 20 seconds.
stop() {
    local pid deadline=$((SECONDS + 20))
    for pid in "$@"; do
        kill -TERM "$pid" 2>/dev/null
    done
    for pid in "$@"; do
        while is_running "$pid"; do
            if ((SECONDS >= deadline)); then
                kill -KILL "$pid" 2>/dev/null
                ((SECONDS < deadline + 5)) || break
            fi
            sleep 0.1
        done
    done
}

# Stops everything of the plane. The servers come last and by force: their data is thrown away, and
# an API server with open watches takes seconds to end by itself.
stop_plane() {
    local file others=() servers=()
    for file in "$plane"/pids/*; do
        [[ -s $file ]] || continue
        case ${file##*/} in
        etcd | kube-apiserver | kubectl-proxy) servers+=("$(<"$file")") ;;
        *) others+=("$(<"$file")") ;;
        esac
    done
    stop ${others[@]+"${others[@]}"}
    [[ ${#servers[@]} == 0 ]] || kill -KILL "${servers[@]}" 2>/dev/null
    stop ${servers[@]+"${servers[@]}"}
    rm -f "$plane"/pids/*
}

# Starts a program of $assets in the background: the name it is noted under, the program, its flags.
start() {
    local name=$1 program=$2
    shift 2
    # Memory is cheaper than processors here: without garbage collection up to the limit.
    GOGC=off GOMEMLIMIT=1GiB "$assets/$program" "$@" >"$plane/$name.log" 2>&1 </dev/null &
    echo $! >"$plane/pids/$name"
    disown # not a job of the shell, which would report its end
}

# Sets $ports to ports on which no process listens. They are below the range that the kernel uses
# for outgoing connections: a port of that range can be taken before a server has bound it.
find_ports() { # how many
    local port
    ports=()
    while ((${#ports[@]} < $1)); do
        port=$((10000 + (RANDOM * 32768 + RANDOM) % 20000))
        if ! (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
            ports+=("$port")
        fi
    done
}

# The key pair of service account tokens, without which the API server does not start.
write_keys() { # folder
    if command -v openssl >/dev/null; then
        openssl genrsa -out "$1/sa.key" 2048 2>/dev/null &&
            openssl rsa -in "$1/sa.key" -pubout -out "$1/sa.pub" 2>/dev/null
    elif command -v ssh-keygen >/dev/null; then
        ssh-keygen -q -t rsa -b 2048 -m PEM -N '' -C '' -f "$1/sa.key" &&
            ssh-keygen -e -m PKCS8 -f "$1/sa.key" >"$1/sa.pub"
    else
        echo 'neither openssl nor ssh-keygen is installed to create a key pair' >&2
        return 1
    fi
}

# The users: each has its name for a token. Only the administrator has rights at first; tests give
# the others theirs with RBAC objects.
write_users() { # port of the API server
    local user
    : >"$plane/tokens.csv"
    for user in admin developer reader nobody; do
        echo "$user,$user,$user$([[ $user != admin ]] || echo ,system:masters)" >>"$plane/tokens.csv"
        cat >"$plane/$user.kubeconfig" <<END
apiVersion: v1
kind: Config
current-context: $user
clusters:
- name: test
  cluster:
    server: https://127.0.0.1:$1
    certificate-authority: $plane/certs/apiserver.crt
users:
- name: $user
  user:
    token: $user
contexts:
- name: $user
  context:
    cluster: test
    user: $user
END
    done
}

start_etcd() { # client port, peer port
    start etcd etcd --data-dir "$plane/etcd" --unsafe-no-fsync --log-level warn \
        --heartbeat-interval 1000 --election-timeout 10000 \
        --listen-client-urls "http://127.0.0.1:$1" --advertise-client-urls "http://127.0.0.1:$1" \
        --listen-peer-urls "http://127.0.0.1:$2" --initial-advertise-peer-urls "http://127.0.0.1:$2" \
        --initial-cluster "default=http://127.0.0.1:$2"
}

start_apiserver() { # its port, etcd's client port
    # The last two flags: it searches an address at which other machines reach it, and does not
    # start without a network; that address is not needed here.
    start kube-apiserver kube-apiserver --etcd-servers "http://127.0.0.1:$2" \
        --cert-dir "$plane/certs" --secure-port "$1" --bind-address 127.0.0.1 \
        --service-account-issuer https://localhost --service-account-key-file "$plane/sa.pub" \
        --service-account-signing-key-file "$plane/sa.key" --token-auth-file "$plane/tokens.csv" \
        --authorization-mode RBAC --disable-admission-plugins ServiceAccount \
        --service-cluster-ip-range 10.0.0.0/24 --allow-privileged \
        --advertise-address 127.0.0.1 --endpoint-reconciler-type none \
        --enable-priority-and-fairness=false --profiling=false
}

# The API server as plain HTTP on loopback, with an administrator's rights: one for all tests of the
# plane. It needs the certificate that the API server writes at its start.
start_proxy() { # port
    KUBERC=off start kubectl-proxy kubectl proxy \
        --kubeconfig "$plane/admin.kubeconfig" --port "$1"
    echo "$1" >"$plane/proxy-port"
}

# Does http://127.0.0.1:$1/readyz answer 200?
answers_ready() {
    local line=''
    {
        exec 3<>"/dev/tcp/127.0.0.1/$1" || return 1
        printf 'GET /readyz HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n' >&3
        read -r -t 5 line <&3
        exec 3>&-
    } 2>/dev/null
    [[ $line == *' 200 '* ]]
}

# Waits for the API server; fails at once when a server has ended, and after two minutes in any case.
await_ready() { # port of the proxy
    local deadline=$((SECONDS + 120)) file is_proxied=no
    while ((SECONDS < deadline)); do
        for file in "$plane"/pids/*; do
            if ! is_running "$(<"$file")"; then
                echo "${file##*/} has ended" >&2
                return 1
            fi
        done
        if [[ $is_proxied == no && -s $plane/certs/apiserver.crt ]]; then
            start_proxy "$1"
            is_proxied=yes
        elif [[ $is_proxied == yes ]] && answers_ready "$1"; then
            return 0
        fi
        sleep 0.2
    done
    echo 'the API server did not become ready within two minutes' >&2
    return 1
}

# Starts one control plane in the new folder $plane, with the keys of the folder $1.
start_plane() {
    local ports
    mkdir -p "$plane/pids" || return 1
    cp "$1/sa.key" "$1/sa.pub" "$plane/" || return 1
    # Another process may take a port between the check and its use: then others are tried.
    for _ in 1 2 3; do
        find_ports 4
        write_users "${ports[0]}"
        start_etcd "${ports[1]}" "${ports[2]}"
        start_apiserver "${ports[0]}" "${ports[1]}"
        if await_ready "${ports[3]}"; then
            echo "API server on https://127.0.0.1:${ports[0]}, its files in $plane"
            return 0
        fi
        stop_plane
        grep -qs 'address already in use' "$plane"/*.log || return 1
        rm -rf "$plane/etcd" "$plane/certs"
    done
    return 1
}

show_logs() {
    local log
    for log in "$plane"/*.log; do
        [[ -e $log ]] || continue
        printf '\n---- the end of %s\n' "${log#"${plane%/*}"/}"
        tail -n 25 "$log"
    done
}
