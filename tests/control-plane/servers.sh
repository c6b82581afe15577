# shellcheck shell=bash
# How etcd and kube-apiserver are started and stopped; tests/run reads this file. It is given two
# folders: $assets with the binaries and $cluster for everything that is written. Whoever starts a
# process, the Rust tests included, notes its id in a file of $cluster/pids, and stop_cluster stops
# what is noted there: no process is ever looked for by name.

# A process that nobody has reaped yet answers to its id but is gone.
is_running() {
    kill -0 "$1" 2>/dev/null && [[ $(ps -o stat= -p "$1" 2>/dev/null) != Z* ]]
}

# Stops the processes $@ and comes back when they are gone, by force after 20 seconds.
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

# Stops the processes noted in the files $@; a file that is not there is a process that is not there.
stop_noted() {
    local file pids=()
    for file in "$@"; do
        [[ ! -s $file ]] || pids+=("$(<"$file")")
    done
    stop ${pids[@]+"${pids[@]}"}
    rm -f "$@"
}

# The servers come last: the others take long to end without an API server, and that one without etcd.
stop_cluster() {
    local file others=()
    for file in "$cluster"/pids/*; do
        case ${file##*/} in
        etcd | kube-apiserver) ;;
        *) others+=("$file") ;;
        esac
    done
    stop_noted ${others[@]+"${others[@]}"}
    stop_noted "$cluster/pids/kube-apiserver"
    stop_noted "$cluster/pids/etcd"
}

# Starts a program of $assets in the background: the name it is noted under, the program, its flags.
start() {
    local name=$1 program=$2
    shift 2
    "$assets/$program" "$@" >"$cluster/$name.log" 2>&1 </dev/null &
    echo $! >"$cluster/pids/$name"
    disown # no job of the shell's, which would report its end
}

# Sets $ports to three ports that are free on loopback, as the kernel gives them. `kubectl proxy`
# is the one program surely at hand that asks for a port and says which it got; the three run at
# once, so that the ports differ.
find_ports() {
    local name
    ports=()
    for name in port-1 port-2 port-3; do
        start $name kubectl proxy --port=0 --kubeconfig=/dev/null --server=http://127.0.0.1:1
    done
    for name in port-1 port-2 port-3; do
        for _ in {1..100}; do
            if grep -qs '^Starting to serve' "$cluster/$name.log"; then break; fi
            sleep 0.1
        done
        ports+=("$(sed -n 's/^Starting to serve on 127\.0\.0\.1:\([0-9]*\)$/\1/p' "$cluster/$name.log")")
    done
    stop_noted "$cluster"/pids/port-*
    rm -f "$cluster"/port-*.log
}

# The key pair of service account tokens, without which the API server does not start.
write_keys() {
    if command -v openssl >/dev/null; then
        openssl genrsa -out "$cluster/sa.key" 2048 2>/dev/null &&
            openssl rsa -in "$cluster/sa.key" -pubout -out "$cluster/sa.pub" 2>/dev/null
    elif command -v ssh-keygen >/dev/null; then
        ssh-keygen -q -t rsa -b 2048 -m PEM -N '' -C '' -f "$cluster/sa.key" &&
            ssh-keygen -e -m PKCS8 -f "$cluster/sa.key" >"$cluster/sa.pub"
    else
        echo 'neither openssl nor ssh-keygen is here to make a key pair' >&2
        return 1
    fi
}

# The users: each has its name for a token. Only the administrator may do anything at first; what
# the others may do, tests say with RBAC objects.
write_users() { # port of the API server
    local user
    : >"$cluster/tokens.csv"
    for user in admin developer reader nobody; do
        echo "$user,$user,$user$([[ $user != admin ]] || echo ,system:masters)" >>"$cluster/tokens.csv"
        cat >"$cluster/$user.kubeconfig" <<END
apiVersion: v1
kind: Config
current-context: $user
clusters:
- name: test
  cluster:
    server: https://127.0.0.1:$1
    certificate-authority: $cluster/certs/apiserver.crt
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
    start etcd etcd --data-dir "$cluster/etcd" --unsafe-no-fsync \
        --listen-client-urls "http://127.0.0.1:$1" --advertise-client-urls "http://127.0.0.1:$1" \
        --listen-peer-urls "http://127.0.0.1:$2" --initial-advertise-peer-urls "http://127.0.0.1:$2" \
        --initial-cluster "default=http://127.0.0.1:$2"
}

start_apiserver() { # its port, etcd's client port
    # The last two flags: it looks for an address at which other machines reach it, and does not
    # start without a network; nobody needs that address here.
    start kube-apiserver kube-apiserver --etcd-servers "http://127.0.0.1:$2" \
        --cert-dir "$cluster/certs" --secure-port "$1" --bind-address 127.0.0.1 \
        --service-account-issuer https://localhost --service-account-key-file "$cluster/sa.pub" \
        --service-account-signing-key-file "$cluster/sa.key" --token-auth-file "$cluster/tokens.csv" \
        --authorization-mode RBAC --disable-admission-plugins ServiceAccount \
        --service-cluster-ip-range 10.0.0.0/24 --allow-privileged \
        --advertise-address 127.0.0.1 --endpoint-reconciler-type none
}

# Waits for the API server; fails at once when a server has ended, and after a minute in any case.
await_ready() {
    local deadline=$((SECONDS + 60)) name
    while ((SECONDS < deadline)); do
        for name in etcd kube-apiserver; do
            if ! is_running "$(<"$cluster/pids/$name")"; then
                echo "$name has ended" >&2
                return 1
            fi
        done
        if "$assets/kubectl" --kubeconfig "$cluster/admin.kubeconfig" --request-timeout 5s \
            get --raw /readyz >/dev/null 2>&1; then
            return 0
        fi
        sleep 0.2
    done
    echo 'the API server did not become ready within a minute' >&2
    return 1
}

start_cluster() {
    local ports
    write_keys || return 1
    # Somebody else may take a port between its being free and its being used: then others are tried.
    for _ in 1 2 3; do
        find_ports
        write_users "${ports[0]}"
        start_etcd "${ports[1]}" "${ports[2]}"
        start_apiserver "${ports[0]}" "${ports[1]}"
        if await_ready; then
            echo "$("$assets/kube-apiserver" --version) on https://127.0.0.1:${ports[0]}, its files in $cluster"
            return 0
        fi
        stop_cluster
        grep -qs 'address already in use' "$cluster"/*.log || return 1
        rm -rf "$cluster/etcd" "$cluster/certs"
    done
    return 1
}

show_logs() {
    local log
    for log in "$cluster"/*.log; do
        [[ -e $log ]] || continue
        printf '\n---- the end of %s\n' "${log##*/}"
        tail -n 40 "$log"
    done
}
