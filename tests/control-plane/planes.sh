# shellcheck shell=bash
# The cluster suite on several control planes side by side; tests/run reads this file. Each plane has
# an etcd of its own and runs one test at a time, each as a process of its own, so that a test has
# the whole plane and may act on all objects in it. Idle planes take the next test of one list, the
# longest of the last run first. How a plane is started and stopped is in servers.sh.
# $suite is the folder for everything that is written, $assets has the binaries of the control plane.

here=$(dirname "${BASH_SOURCE[0]}")
# shellcheck source=tests/control-plane/servers.sh
source "$here/servers.sh"

# A test that hangs is ended, so that the others are still reported. In the foreground: a group of its
# own would not be stopped with the step.
guard=()
! command -v timeout >/dev/null || guard=(timeout --foreground 1800)

# One test on $plane. Leaves its output, and a line "status wall cpu name" for the summary.
run_test() { # number in the list, name
    local output=$suite/output/$1 status=0 wall user system cpu TIMEFORMAT='%R %U %S'
    {
        time KUBECTL_PV_TEST_CLUSTER=$plane KUBECONFIG=$plane/admin.kubeconfig \
            KUBECACHEDIR=$plane/cache ${guard[@]+"${guard[@]}"} \
            "$test_binary" --ignored --exact "$2" --nocapture >"$output" 2>&1 </dev/null
    } 2>"$output.time" || status=$?
    # A name that fits no test would otherwise pass.
    grep -q '^test result: ok\. 1 passed;' "$output" || ((status)) || status=1
    read -r wall user system <"$output.time"
    cpu=$(awk "BEGIN { printf \"%.1f\", $user + $system }")
    echo "$status $wall $cpu $2" >"$suite/results/$1"
    if ((status == 0)); then
        printf 'ok     %6.1f s  %6.1f CPU s  %s\n' "$wall" "$cpu" "$2"
        figures "$output"
    else
        printf 'FAILED %6.1f s  %6.1f CPU s  %s (%s)\n' "$wall" "$cpu" "$2" "${plane##*/}"
    fi
    return $status
}

# What a test has counted, for notes: its own lines, without those of the test harness.
figures() { # its output
    [[ $with_figures == yes ]] || return 0
    grep -vE '^(|running 1 test|test .* \.\.\. ?|test result: .*|ok)$' "$1" | sed -E 's/^test [^ ]+ \.\.\. //; s/^/         /' | head -n 40
}

restart_plane() {
    stop_plane
    rm -rf "$plane/etcd" "$plane/certs"
    start_plane "$suite" >>"$plane/start.log" 2>&1
}

# A plane from its start to its end. Its processor time, servers included, goes into a file.
work_on_plane() { # number of the plane
    local number=0 name is_started
    plane=$suite/plane-$1
    mkdir -p "$plane"
    start_plane "$suite" >"$plane/start.log" 2>&1
    is_started=$?
    if ((is_started == 0)); then
        while read -r name <&4; do
            number=$((number + 1))
            # Only one plane can create this folder, so only one runs the test.
            mkdir "$suite/taken/$number" 2>/dev/null || continue
            # A test that fails leaves objects behind: the next one gets a new plane.
            run_test "$number" "$name" || restart_plane
        done 4<"$suite/tests"
    else
        cat "$plane/start.log"
        show_logs
    fi
    stop_plane
    # Servers count as children only once they are reaped.
    wait
    return $is_started
}

# Longest first, as the last run measured them; tests without a figure first of all.
in_order() { # list of names, file of figures
    if [[ ! -e $2 ]]; then
        cat "$1"
        return
    fi
    awk 'NR == FNR { seconds[$2] = $1; next } { print (($1 in seconds) ? seconds[$1] : 9999), $1 }' "$2" "$1" |
        sort -s -k1,1nr | cut -d' ' -f2
}

# Runs the tests of the list $1 on $2 planes; $3 keeps the figures of each test for the next run.
run_on_planes() {
    local count plane_number pids=() pid planes=$2 failed_planes=0
    mkdir -p "$suite/taken" "$suite/results" "$suite/output"
    in_order "$1" "$3" >"$suite/tests"
    count=$(wc -l <"$suite/tests")
    ((planes <= count)) || planes=$count
    write_keys "$suite" || return 1
    echo "$count tests on $planes control planes"
    for ((plane_number = 1; plane_number <= planes; plane_number++)); do
        work_on_plane "$plane_number" &
        pids+=($!)
    done
    for pid in "${pids[@]}"; do
        wait "$pid" || failed_planes=$((failed_planes + 1))
    done
    cat "$suite"/results/* >"$suite/all-results" 2>/dev/null
    keep_figures "$3"
    judge "$count" "$failed_planes"
}

keep_figures() {
    local kept=$1.new
    mkdir -p "$(dirname "$1")"
    {
        awk '{ print $2, $4 }' "$suite/all-results"
        [[ ! -e $1 ]] || cat "$1"
    } | awk '!seen[$2]++' >"$kept" && mv "$kept" "$1"
}

judge() { # number of tests, number of planes that did not start
    local passed broken
    passed=$(grep -c '^0 ' "$suite/all-results")
    broken=$(($1 - passed))
    printf '\n%d passed, %d failed\n' "$passed" "$broken"
    if (($2 > 0)); then
        echo "$2 control planes did not start"
    fi
    ((broken == 0 && $2 == 0))
}

# Once more at the end, for readers of the last lines: what differed, and why tests failed.
show_failures() {
    local file number status rest
    for file in "$suite"/results/*; do
        read -r status _ _ rest <"$file"
        ((status != 0)) || continue
        number=${file##*/}
        printf '\n---- %s\n' "$rest"
        grep -m 1 -A 150 '^DISAGREEMENT' "$suite/output/$number"
        tail -n 100 "$suite/output/$number"
    done
}

stop_planes() {
    for plane in "$suite"/plane-*; do
        [[ ! -d $plane/pids ]] || stop_plane
    done
}
