# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_kubectl_pv_global_optspecs
    string join \n n/namespace= context= kubeconfig= cluster= user= s/server= token= as= as-uid= as-group= as-user-extra= certificate-authority= client-certificate= client-key= insecure-skip-tls-verify= tls-server-name= request-timeout= disable-compression= cache-dir= h/help V/version
end

function __fish_kubectl_pv_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_kubectl_pv_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_kubectl_pv_using_subcommand
    set -l cmd (__fish_kubectl_pv_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c kubectl-pv -n "__fish_kubectl_pv_needs_command" -s n -l namespace -d 'Work in this namespace [default: the context\'s, else `default`]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_needs_command" -l context -d 'Use the kubeconfig entry of this name' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_needs_command" -l kubeconfig -d 'Read this kubeconfig file [default: those of $KUBECONFIG, else ~/.kube/config]' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_needs_command" -l cluster -d 'Talk to this cluster of the kubeconfig' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_needs_command" -l user -d 'Log in as this user of the kubeconfig' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_needs_command" -s s -l server -d 'Talk to the API server at this address' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_needs_command" -l token -d 'Authenticate with this bearer token' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_needs_command" -l as -d 'Act as this user or service account' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_needs_command" -l as-uid -d 'Act with this uid; needs --as' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_needs_command" -l as-group -d 'Act as a member of this group; may be repeated, needs --as' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_needs_command" -l as-user-extra -d 'Act with this extra attribute; may be repeated, needs --as' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_needs_command" -l certificate-authority -d 'Trust servers whose certificate is signed by the authority in this PEM file' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_needs_command" -l client-certificate -d 'Authenticate with the certificate in this PEM file' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_needs_command" -l client-key -d 'Use the key in this PEM file for the client certificate' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_needs_command" -l insecure-skip-tls-verify -d 'Trust any server certificate, which lets anyone in between listen' -r -f -a "true\t''
false\t''"
complete -c kubectl-pv -n "__fish_kubectl_pv_needs_command" -l tls-server-name -d 'Expect this name in the server\'s certificate [default: the host in its address]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_needs_command" -l request-timeout -d 'Give up on a request after this time: seconds, or such as 30s or 1m30s; 0 waits for ever [default: 0]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_needs_command" -l disable-compression -d 'Ask the server not to compress its answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-pv -n "__fish_kubectl_pv_needs_command" -l cache-dir -d 'Accepted for the sake of kubectl\'s users; nothing is cached' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_needs_command" -s h -l help -d 'Print help'
complete -c kubectl-pv -n "__fish_kubectl_pv_needs_command" -s V -l version -d 'Print version'
complete -c kubectl-pv -n "__fish_kubectl_pv_needs_command" -f -a "explain" -d 'Explain which volume a claim gets, or why it gets none; or whose a volume is'
complete -c kubectl-pv -n "__fish_kubectl_pv_needs_command" -f -a "plan" -d 'Foresee what every unbound claim ends with, and who competes for what'
complete -c kubectl-pv -n "__fish_kubectl_pv_needs_command" -f -a "status" -d 'Show volumes and claims at a glance: what there is, what is stuck and why, what needs attention'
complete -c kubectl-pv -n "__fish_kubectl_pv_needs_command" -f -a "describe-class" -d 'Describe storage classes: what a claim may choose, who makes the volumes, what becomes of them'
complete -c kubectl-pv -n "__fish_kubectl_pv_needs_command" -f -a "validate" -d 'Find what is wrong with manifests, classes, options, claims and volumes, before anything is created'
complete -c kubectl-pv -n "__fish_kubectl_pv_needs_command" -f -a "convert" -d 'Rewrite manifests in the spellings of the storage design documents into what today\'s API server keeps'
complete -c kubectl-pv -n "__fish_kubectl_pv_needs_command" -f -a "bind" -d 'Bind claims to volumes, once, exactly as the controller would'
complete -c kubectl-pv -n "__fish_kubectl_pv_needs_command" -f -a "provision" -d 'Have volumes made for claims, once'
complete -c kubectl-pv -n "__fish_kubectl_pv_needs_command" -f -a "reclaim" -d 'Delete, empty or give back volumes that nobody owns any more'
complete -c kubectl-pv -n "__fish_kubectl_pv_needs_command" -f -a "cleanup" -d 'Find volumes, claims, attachments and storage assets that are no longer used'
complete -c kubectl-pv -n "__fish_kubectl_pv_needs_command" -f -a "set" -d 'Keep pools of volumes ready for claims: PersistentVolumeSets'
complete -c kubectl-pv -n "__fish_kubectl_pv_needs_command" -f -a "completion" -d 'Print a completion script, or set completion up for kubectl'
complete -c kubectl-pv -n "__fish_kubectl_pv_needs_command" -f -a "version" -d 'Print the version, and the rules it answers by'
complete -c kubectl-pv -n "__fish_kubectl_pv_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand explain" -s l -l selector -d 'Leave out what has other labels' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand explain" -l class -d 'Leave out what is of another class; the class is the one that counts, a default included' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand explain" -l node -d 'Judge this node only; for pods' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand explain" -l rules -d 'Answer by the rules of this Kubernetes: v1.36 or v1.4 (the design documents\' algorithm) [default: v1.36]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand explain" -s f -l filename -d 'Read the state from files instead of the cluster: a file, a folder, or - for standard input; may be repeated' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand explain" -l with -d 'Answer as if this had been applied: a file, a folder, or - for standard input; may be repeated. What is there already changes only as far as the API server lets it' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand explain" -l without -d 'Answer as if this were gone: pvc/NAME, pvc/NAMESPACE/NAME, pv/NAME, sc/NAME, pod/NAME, node/NAME …; may be repeated. Together with --with it is made anew' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand explain" -l backend -d 'Serve this provisioner name from this machine: KIND:TARGET is hostpath:/DIR, nfs:SERVER:/EXPORT@/MOUNTED or exec:/PROGRAM; may be repeated' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand explain" -l backends -d 'Serve what this file lists as well: a YAML map of PROVISIONER: KIND:TARGET [default: $KUBECTL_PV_BACKENDS]' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand explain" -s o -l output -d 'Print as table, wide, json, yaml or name [default: table]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand explain" -l color -d 'Colour the output: auto, always or never [default: auto]' -r -f -a "auto\t'On a terminal that can, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand explain" -s n -l namespace -d 'Work in this namespace [default: the context\'s, else `default`]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand explain" -l context -d 'Use the kubeconfig entry of this name' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand explain" -l kubeconfig -d 'Read this kubeconfig file [default: those of $KUBECONFIG, else ~/.kube/config]' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand explain" -l cluster -d 'Talk to this cluster of the kubeconfig' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand explain" -l user -d 'Log in as this user of the kubeconfig' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand explain" -s s -l server -d 'Talk to the API server at this address' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand explain" -l token -d 'Authenticate with this bearer token' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand explain" -l as -d 'Act as this user or service account' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand explain" -l as-uid -d 'Act with this uid; needs --as' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand explain" -l as-group -d 'Act as a member of this group; may be repeated, needs --as' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand explain" -l as-user-extra -d 'Act with this extra attribute; may be repeated, needs --as' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand explain" -l certificate-authority -d 'Trust servers whose certificate is signed by the authority in this PEM file' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand explain" -l client-certificate -d 'Authenticate with the certificate in this PEM file' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand explain" -l client-key -d 'Use the key in this PEM file for the client certificate' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand explain" -l insecure-skip-tls-verify -d 'Trust any server certificate, which lets anyone in between listen' -r -f -a "true\t''
false\t''"
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand explain" -l tls-server-name -d 'Expect this name in the server\'s certificate [default: the host in its address]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand explain" -l request-timeout -d 'Give up on a request after this time: seconds, or such as 30s or 1m30s; 0 waits for ever [default: 0]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand explain" -l disable-compression -d 'Ask the server not to compress its answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand explain" -l cache-dir -d 'Accepted for the sake of kubectl\'s users; nothing is cached' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand explain" -s A -l all-namespaces -d 'Look at the claims of all namespaces'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand explain" -l pending -d 'Leave out what is bound'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand explain" -l all -d 'List every volume of a claim, and every claim of a volume, however far off'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand explain" -s R -l recursive -d 'Read folders to the bottom'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand explain" -l shared-base -d 'Accept a base directory that other users of this machine can write to, if it has the sticky bit'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand explain" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand plan" -l rules -d 'Answer by the rules of this Kubernetes: v1.36 or v1.4 (the design documents\' algorithm) [default: v1.36]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand plan" -s f -l filename -d 'Read the state from files instead of the cluster: a file, a folder, or - for standard input; may be repeated' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand plan" -l with -d 'Answer as if this had been applied: a file, a folder, or - for standard input; may be repeated. What is there already changes only as far as the API server lets it' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand plan" -l without -d 'Answer as if this were gone: pvc/NAME, pvc/NAMESPACE/NAME, pv/NAME, sc/NAME, pod/NAME, node/NAME …; may be repeated. Together with --with it is made anew' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand plan" -s o -l output -d 'Print as table, wide, json, yaml or name [default: table]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand plan" -l color -d 'Colour the output: auto, always or never [default: auto]' -r -f -a "auto\t'On a terminal that can, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand plan" -s n -l namespace -d 'Work in this namespace [default: the context\'s, else `default`]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand plan" -l context -d 'Use the kubeconfig entry of this name' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand plan" -l kubeconfig -d 'Read this kubeconfig file [default: those of $KUBECONFIG, else ~/.kube/config]' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand plan" -l cluster -d 'Talk to this cluster of the kubeconfig' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand plan" -l user -d 'Log in as this user of the kubeconfig' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand plan" -s s -l server -d 'Talk to the API server at this address' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand plan" -l token -d 'Authenticate with this bearer token' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand plan" -l as -d 'Act as this user or service account' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand plan" -l as-uid -d 'Act with this uid; needs --as' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand plan" -l as-group -d 'Act as a member of this group; may be repeated, needs --as' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand plan" -l as-user-extra -d 'Act with this extra attribute; may be repeated, needs --as' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand plan" -l certificate-authority -d 'Trust servers whose certificate is signed by the authority in this PEM file' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand plan" -l client-certificate -d 'Authenticate with the certificate in this PEM file' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand plan" -l client-key -d 'Use the key in this PEM file for the client certificate' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand plan" -l insecure-skip-tls-verify -d 'Trust any server certificate, which lets anyone in between listen' -r -f -a "true\t''
false\t''"
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand plan" -l tls-server-name -d 'Expect this name in the server\'s certificate [default: the host in its address]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand plan" -l request-timeout -d 'Give up on a request after this time: seconds, or such as 30s or 1m30s; 0 waits for ever [default: 0]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand plan" -l disable-compression -d 'Ask the server not to compress its answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand plan" -l cache-dir -d 'Accepted for the sake of kubectl\'s users; nothing is cached' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand plan" -s A -l all-namespaces -d 'Show the claims of all namespaces; all of them are settled either way'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand plan" -l diff -d 'Show only what --with and --without change'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand plan" -l all -d 'Leave nothing out of long lists'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand plan" -s R -l recursive -d 'Read folders to the bottom'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand plan" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand status" -l rules -d 'Answer by the rules of this Kubernetes: v1.36 or v1.4 (the design documents\' algorithm) [default: v1.36]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand status" -s f -l filename -d 'Read the state from files instead of the cluster: a file, a folder, or - for standard input; may be repeated' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand status" -l with -d 'Answer as if this had been applied: a file, a folder, or - for standard input; may be repeated. What is there already changes only as far as the API server lets it' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand status" -l without -d 'Answer as if this were gone: pvc/NAME, pvc/NAMESPACE/NAME, pv/NAME, sc/NAME, pod/NAME, node/NAME …; may be repeated. Together with --with it is made anew' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand status" -s o -l output -d 'Print as table, wide, json, yaml or name [default: table]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand status" -l color -d 'Colour the output: auto, always or never [default: auto]' -r -f -a "auto\t'On a terminal that can, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand status" -s n -l namespace -d 'Work in this namespace [default: the context\'s, else `default`]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand status" -l context -d 'Use the kubeconfig entry of this name' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand status" -l kubeconfig -d 'Read this kubeconfig file [default: those of $KUBECONFIG, else ~/.kube/config]' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand status" -l cluster -d 'Talk to this cluster of the kubeconfig' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand status" -l user -d 'Log in as this user of the kubeconfig' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand status" -s s -l server -d 'Talk to the API server at this address' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand status" -l token -d 'Authenticate with this bearer token' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand status" -l as -d 'Act as this user or service account' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand status" -l as-uid -d 'Act with this uid; needs --as' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand status" -l as-group -d 'Act as a member of this group; may be repeated, needs --as' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand status" -l as-user-extra -d 'Act with this extra attribute; may be repeated, needs --as' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand status" -l certificate-authority -d 'Trust servers whose certificate is signed by the authority in this PEM file' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand status" -l client-certificate -d 'Authenticate with the certificate in this PEM file' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand status" -l client-key -d 'Use the key in this PEM file for the client certificate' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand status" -l insecure-skip-tls-verify -d 'Trust any server certificate, which lets anyone in between listen' -r -f -a "true\t''
false\t''"
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand status" -l tls-server-name -d 'Expect this name in the server\'s certificate [default: the host in its address]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand status" -l request-timeout -d 'Give up on a request after this time: seconds, or such as 30s or 1m30s; 0 waits for ever [default: 0]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand status" -l disable-compression -d 'Ask the server not to compress its answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand status" -l cache-dir -d 'Accepted for the sake of kubectl\'s users; nothing is cached' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand status" -s A -l all-namespaces -d 'Look at all namespaces, which is what it does without -n'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand status" -l labels -d 'Show the labels of the volumes instead: what is free under each value, who asks for it, and what nobody offers'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand status" -l all -d 'List everything, however long'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand status" -s R -l recursive -d 'Read folders to the bottom'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand status" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand describe-class" -l name -d 'Name the claim of --template or --interactive [default: my-claim]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand describe-class" -s f -l filename -d 'Read the state from files instead of the cluster: a file, a folder, or - for standard input; may be repeated' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand describe-class" -l with -d 'Answer as if this had been applied: a file, a folder, or - for standard input; may be repeated. What is there already changes only as far as the API server lets it' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand describe-class" -l without -d 'Answer as if this were gone: pvc/NAME, pvc/NAMESPACE/NAME, pv/NAME, sc/NAME, pod/NAME, node/NAME …; may be repeated. Together with --with it is made anew' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand describe-class" -l backend -d 'Serve this provisioner name from this machine: KIND:TARGET is hostpath:/DIR, nfs:SERVER:/EXPORT@/MOUNTED or exec:/PROGRAM; may be repeated' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand describe-class" -l backends -d 'Serve what this file lists as well: a YAML map of PROVISIONER: KIND:TARGET [default: $KUBECTL_PV_BACKENDS]' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand describe-class" -s o -l output -d 'Print as table, wide, json, yaml or name [default: table]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand describe-class" -l color -d 'Colour the output: auto, always or never [default: auto]' -r -f -a "auto\t'On a terminal that can, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand describe-class" -s n -l namespace -d 'Work in this namespace [default: the context\'s, else `default`]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand describe-class" -l context -d 'Use the kubeconfig entry of this name' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand describe-class" -l kubeconfig -d 'Read this kubeconfig file [default: those of $KUBECONFIG, else ~/.kube/config]' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand describe-class" -l cluster -d 'Talk to this cluster of the kubeconfig' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand describe-class" -l user -d 'Log in as this user of the kubeconfig' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand describe-class" -s s -l server -d 'Talk to the API server at this address' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand describe-class" -l token -d 'Authenticate with this bearer token' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand describe-class" -l as -d 'Act as this user or service account' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand describe-class" -l as-uid -d 'Act with this uid; needs --as' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand describe-class" -l as-group -d 'Act as a member of this group; may be repeated, needs --as' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand describe-class" -l as-user-extra -d 'Act with this extra attribute; may be repeated, needs --as' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand describe-class" -l certificate-authority -d 'Trust servers whose certificate is signed by the authority in this PEM file' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand describe-class" -l client-certificate -d 'Authenticate with the certificate in this PEM file' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand describe-class" -l client-key -d 'Use the key in this PEM file for the client certificate' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand describe-class" -l insecure-skip-tls-verify -d 'Trust any server certificate, which lets anyone in between listen' -r -f -a "true\t''
false\t''"
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand describe-class" -l tls-server-name -d 'Expect this name in the server\'s certificate [default: the host in its address]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand describe-class" -l request-timeout -d 'Give up on a request after this time: seconds, or such as 30s or 1m30s; 0 waits for ever [default: 0]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand describe-class" -l disable-compression -d 'Ask the server not to compress its answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand describe-class" -l cache-dir -d 'Accepted for the sake of kubectl\'s users; nothing is cached' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand describe-class" -l template -d 'Print a ConfigMap and a claim to start from, as YAML, with every option explained'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand describe-class" -l interactive -d 'Ask option by option, and print the ConfigMap and the claim as YAML; needs a terminal'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand describe-class" -s R -l recursive -d 'Read folders to the bottom'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand describe-class" -l shared-base -d 'Accept a base directory that other users of this machine can write to, if it has the sticky bit'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand describe-class" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand validate" -l class -d 'Hold the ConfigMaps against the options of this class' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand validate" -s f -l filename -d 'Read these manifests: a file, a folder, or - for standard input; may be repeated' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand validate" -l backend -d 'Serve this provisioner name from this machine: KIND:TARGET is hostpath:/DIR, nfs:SERVER:/EXPORT@/MOUNTED or exec:/PROGRAM; may be repeated' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand validate" -l backends -d 'Serve what this file lists as well: a YAML map of PROVISIONER: KIND:TARGET [default: $KUBECTL_PV_BACKENDS]' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand validate" -s o -l output -d 'Print as table, json, yaml, or sarif for code hosts [default: table]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand validate" -l color -d 'Colour the output: auto, always or never [default: auto]' -r -f -a "auto\t'On a terminal that can, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand validate" -s n -l namespace -d 'Work in this namespace [default: the context\'s, else `default`]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand validate" -l context -d 'Use the kubeconfig entry of this name' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand validate" -l kubeconfig -d 'Read this kubeconfig file [default: those of $KUBECONFIG, else ~/.kube/config]' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand validate" -l cluster -d 'Talk to this cluster of the kubeconfig' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand validate" -l user -d 'Log in as this user of the kubeconfig' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand validate" -s s -l server -d 'Talk to the API server at this address' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand validate" -l token -d 'Authenticate with this bearer token' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand validate" -l as -d 'Act as this user or service account' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand validate" -l as-uid -d 'Act with this uid; needs --as' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand validate" -l as-group -d 'Act as a member of this group; may be repeated, needs --as' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand validate" -l as-user-extra -d 'Act with this extra attribute; may be repeated, needs --as' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand validate" -l certificate-authority -d 'Trust servers whose certificate is signed by the authority in this PEM file' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand validate" -l client-certificate -d 'Authenticate with the certificate in this PEM file' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand validate" -l client-key -d 'Use the key in this PEM file for the client certificate' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand validate" -l insecure-skip-tls-verify -d 'Trust any server certificate, which lets anyone in between listen' -r -f -a "true\t''
false\t''"
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand validate" -l tls-server-name -d 'Expect this name in the server\'s certificate [default: the host in its address]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand validate" -l request-timeout -d 'Give up on a request after this time: seconds, or such as 30s or 1m30s; 0 waits for ever [default: 0]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand validate" -l disable-compression -d 'Ask the server not to compress its answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand validate" -l cache-dir -d 'Accepted for the sake of kubectl\'s users; nothing is cached' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand validate" -l offline -d 'Look at the files alone, and at no cluster'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand validate" -l strict -d 'Take warnings for errors'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand validate" -l all -d 'Leave nothing out of long lists'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand validate" -s R -l recursive -d 'Read folders to the bottom'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand validate" -l shared-base -d 'Accept a base directory that other users of this machine can write to, if it has the sticky bit'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand validate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand convert" -s f -l filename -d 'Read these manifests: a file, a folder, or - for standard input; may be repeated' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand convert" -s o -l output -d 'Print as yaml or json; json is one List [default: yaml]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand convert" -s n -l namespace -d 'Work in this namespace [default: the context\'s, else `default`]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand convert" -l context -d 'Use the kubeconfig entry of this name' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand convert" -l kubeconfig -d 'Read this kubeconfig file [default: those of $KUBECONFIG, else ~/.kube/config]' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand convert" -l cluster -d 'Talk to this cluster of the kubeconfig' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand convert" -l user -d 'Log in as this user of the kubeconfig' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand convert" -s s -l server -d 'Talk to the API server at this address' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand convert" -l token -d 'Authenticate with this bearer token' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand convert" -l as -d 'Act as this user or service account' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand convert" -l as-uid -d 'Act with this uid; needs --as' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand convert" -l as-group -d 'Act as a member of this group; may be repeated, needs --as' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand convert" -l as-user-extra -d 'Act with this extra attribute; may be repeated, needs --as' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand convert" -l certificate-authority -d 'Trust servers whose certificate is signed by the authority in this PEM file' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand convert" -l client-certificate -d 'Authenticate with the certificate in this PEM file' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand convert" -l client-key -d 'Use the key in this PEM file for the client certificate' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand convert" -l insecure-skip-tls-verify -d 'Trust any server certificate, which lets anyone in between listen' -r -f -a "true\t''
false\t''"
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand convert" -l tls-server-name -d 'Expect this name in the server\'s certificate [default: the host in its address]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand convert" -l request-timeout -d 'Give up on a request after this time: seconds, or such as 30s or 1m30s; 0 waits for ever [default: 0]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand convert" -l disable-compression -d 'Ask the server not to compress its answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand convert" -l cache-dir -d 'Accepted for the sake of kubectl\'s users; nothing is cached' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand convert" -s R -l recursive -d 'Read folders to the bottom'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand convert" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand bind" -l volume -d 'Bind the claim to this volume' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand bind" -l dry-run -d 'Only show what would be done: client sends nothing, server lets the API server check each first write; none does it [default: none; alone: client]' -r -f -a "none\t'It is'
client\t'Nothing is sent'
server\t'The server checks, and changes nothing'"
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand bind" -l timeout -d 'Wait no longer than this for anything: seconds, or such as 30s or 1m30s [default: 1m]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand bind" -l save -d 'Save every object that is changed or deleted in this new or empty directory, so that it can be created again' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand bind" -s f -l filename -d 'Read these manifests: a file, a folder, or - for standard input; may be repeated' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand bind" -s o -l output -d 'Print as table, wide, json, yaml or name [default: table]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand bind" -l color -d 'Colour the output: auto, always or never [default: auto]' -r -f -a "auto\t'On a terminal that can, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand bind" -s n -l namespace -d 'Work in this namespace [default: the context\'s, else `default`]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand bind" -l context -d 'Use the kubeconfig entry of this name' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand bind" -l kubeconfig -d 'Read this kubeconfig file [default: those of $KUBECONFIG, else ~/.kube/config]' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand bind" -l cluster -d 'Talk to this cluster of the kubeconfig' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand bind" -l user -d 'Log in as this user of the kubeconfig' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand bind" -s s -l server -d 'Talk to the API server at this address' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand bind" -l token -d 'Authenticate with this bearer token' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand bind" -l as -d 'Act as this user or service account' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand bind" -l as-uid -d 'Act with this uid; needs --as' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand bind" -l as-group -d 'Act as a member of this group; may be repeated, needs --as' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand bind" -l as-user-extra -d 'Act with this extra attribute; may be repeated, needs --as' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand bind" -l certificate-authority -d 'Trust servers whose certificate is signed by the authority in this PEM file' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand bind" -l client-certificate -d 'Authenticate with the certificate in this PEM file' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand bind" -l client-key -d 'Use the key in this PEM file for the client certificate' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand bind" -l insecure-skip-tls-verify -d 'Trust any server certificate, which lets anyone in between listen' -r -f -a "true\t''
false\t''"
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand bind" -l tls-server-name -d 'Expect this name in the server\'s certificate [default: the host in its address]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand bind" -l request-timeout -d 'Give up on a request after this time: seconds, or such as 30s or 1m30s; 0 waits for ever [default: 0]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand bind" -l disable-compression -d 'Ask the server not to compress its answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand bind" -l cache-dir -d 'Accepted for the sake of kubectl\'s users; nothing is cached' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand bind" -s A -l all-namespaces -d 'Bind the claims of all namespaces'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand bind" -l force -d 'Bind the volume although its labels, its node or the scheduler\'s say are against it; never against size, modes or another claim'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand bind" -l wait -d 'Come back only when everything asked for is bound, or the time is over'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand bind" -s y -l yes -d 'Do not ask'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand bind" -l show-skipped -d 'List the skipped objects, and why each is skipped; named objects are always listed'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand bind" -s R -l recursive -d 'Read folders to the bottom'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand bind" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand provision" -l node -d 'Make the volume for this node' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand provision" -l wait -d 'Wait until volumes that others make are there, or the time is over' -r -f -a "true\t''
false\t''"
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand provision" -l backend -d 'Serve this provisioner name from this machine: KIND:TARGET is hostpath:/DIR, nfs:SERVER:/EXPORT@/MOUNTED or exec:/PROGRAM; may be repeated' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand provision" -l backends -d 'Serve what this file lists as well: a YAML map of PROVISIONER: KIND:TARGET [default: $KUBECTL_PV_BACKENDS]' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand provision" -l dry-run -d 'Only show what would be done: client sends nothing, server lets the API server check each first write; none does it [default: none; alone: client]' -r -f -a "none\t'It is'
client\t'Nothing is sent'
server\t'The server checks, and changes nothing'"
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand provision" -l timeout -d 'Wait no longer than this for anything: seconds, or such as 30s or 1m30s [default: 1m]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand provision" -l save -d 'Save every object that is changed or deleted in this new or empty directory, so that it can be created again' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand provision" -l take-over-directory -d 'Give this base directory of a backend to this cluster, with all data in it, and do nothing else; asks for the uid of the present owner unless DIR=OLD-UID names it' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand provision" -s f -l filename -d 'Read these manifests: a file, a folder, or - for standard input; may be repeated' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand provision" -s o -l output -d 'Print as table, wide, json, yaml or name [default: table]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand provision" -l color -d 'Colour the output: auto, always or never [default: auto]' -r -f -a "auto\t'On a terminal that can, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand provision" -s n -l namespace -d 'Work in this namespace [default: the context\'s, else `default`]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand provision" -l context -d 'Use the kubeconfig entry of this name' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand provision" -l kubeconfig -d 'Read this kubeconfig file [default: those of $KUBECONFIG, else ~/.kube/config]' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand provision" -l cluster -d 'Talk to this cluster of the kubeconfig' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand provision" -l user -d 'Log in as this user of the kubeconfig' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand provision" -s s -l server -d 'Talk to the API server at this address' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand provision" -l token -d 'Authenticate with this bearer token' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand provision" -l as -d 'Act as this user or service account' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand provision" -l as-uid -d 'Act with this uid; needs --as' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand provision" -l as-group -d 'Act as a member of this group; may be repeated, needs --as' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand provision" -l as-user-extra -d 'Act with this extra attribute; may be repeated, needs --as' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand provision" -l certificate-authority -d 'Trust servers whose certificate is signed by the authority in this PEM file' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand provision" -l client-certificate -d 'Authenticate with the certificate in this PEM file' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand provision" -l client-key -d 'Use the key in this PEM file for the client certificate' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand provision" -l insecure-skip-tls-verify -d 'Trust any server certificate, which lets anyone in between listen' -r -f -a "true\t''
false\t''"
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand provision" -l tls-server-name -d 'Expect this name in the server\'s certificate [default: the host in its address]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand provision" -l request-timeout -d 'Give up on a request after this time: seconds, or such as 30s or 1m30s; 0 waits for ever [default: 0]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand provision" -l disable-compression -d 'Ask the server not to compress its answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand provision" -l cache-dir -d 'Accepted for the sake of kubectl\'s users; nothing is cached' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand provision" -s A -l all-namespaces -d 'Serve the claims of all namespaces'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand provision" -l shared-base -d 'Accept a base directory that other users of this machine can write to, if it has the sticky bit'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand provision" -s y -l yes -d 'Do not ask'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand provision" -l show-skipped -d 'List the skipped objects, and why each is skipped; named objects are always listed'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand provision" -s R -l recursive -d 'Read folders to the bottom'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand provision" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand reclaim" -l for -d 'Keep the volume for this claim, there or to come, instead of offering it to all' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand reclaim" -l set-policy -d 'Give them this policy, and do nothing else: Retain or Delete' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand reclaim" -l recycler-image -d 'Empty hostPath and nfs volumes that no backend here serves by a pod with this image; it needs sh and find (busybox has both)' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand reclaim" -l recycler-namespace -d 'Run that pod in this namespace [default: kube-system]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand reclaim" -l node -d 'Run that pod on this node: where a hostPath volume has its directory, if nothing says so' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand reclaim" -s l -l selector -d 'Only what has these labels, as in kubectl; may be repeated, all of them count' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand reclaim" -l class -d 'Only what has this class; may be repeated, any of them counts' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand reclaim" -l exclude-namespace -d 'Not what belongs to this namespace; may be repeated' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand reclaim" -l backend -d 'Serve this provisioner name from this machine: KIND:TARGET is hostpath:/DIR, nfs:SERVER:/EXPORT@/MOUNTED or exec:/PROGRAM; may be repeated' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand reclaim" -l backends -d 'Serve what this file lists as well: a YAML map of PROVISIONER: KIND:TARGET [default: $KUBECTL_PV_BACKENDS]' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand reclaim" -l dry-run -d 'Only show what would be done: client sends nothing, server lets the API server check each first write; none does it [default: none; alone: client]' -r -f -a "none\t'It is'
client\t'Nothing is sent'
server\t'The server checks, and changes nothing'"
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand reclaim" -l timeout -d 'Wait no longer than this for anything: seconds, or such as 30s or 1m30s [default: 1m]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand reclaim" -l save -d 'Save every object that is changed or deleted in this new or empty directory, so that it can be created again' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand reclaim" -l take-over-directory -d 'Give this base directory of a backend to this cluster, with all data in it, and do nothing else; asks for the uid of the present owner unless DIR=OLD-UID names it' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand reclaim" -s f -l filename -d 'Read these manifests: a file, a folder, or - for standard input; may be repeated' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand reclaim" -s o -l output -d 'Print as table, wide, json, yaml or name [default: table]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand reclaim" -l color -d 'Colour the output: auto, always or never [default: auto]' -r -f -a "auto\t'On a terminal that can, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand reclaim" -s n -l namespace -d 'Work in this namespace [default: the context\'s, else `default`]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand reclaim" -l context -d 'Use the kubeconfig entry of this name' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand reclaim" -l kubeconfig -d 'Read this kubeconfig file [default: those of $KUBECONFIG, else ~/.kube/config]' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand reclaim" -l cluster -d 'Talk to this cluster of the kubeconfig' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand reclaim" -l user -d 'Log in as this user of the kubeconfig' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand reclaim" -s s -l server -d 'Talk to the API server at this address' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand reclaim" -l token -d 'Authenticate with this bearer token' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand reclaim" -l as -d 'Act as this user or service account' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand reclaim" -l as-uid -d 'Act with this uid; needs --as' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand reclaim" -l as-group -d 'Act as a member of this group; may be repeated, needs --as' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand reclaim" -l as-user-extra -d 'Act with this extra attribute; may be repeated, needs --as' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand reclaim" -l certificate-authority -d 'Trust servers whose certificate is signed by the authority in this PEM file' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand reclaim" -l client-certificate -d 'Authenticate with the certificate in this PEM file' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand reclaim" -l client-key -d 'Use the key in this PEM file for the client certificate' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand reclaim" -l insecure-skip-tls-verify -d 'Trust any server certificate, which lets anyone in between listen' -r -f -a "true\t''
false\t''"
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand reclaim" -l tls-server-name -d 'Expect this name in the server\'s certificate [default: the host in its address]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand reclaim" -l request-timeout -d 'Give up on a request after this time: seconds, or such as 30s or 1m30s; 0 waits for ever [default: 0]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand reclaim" -l disable-compression -d 'Ask the server not to compress its answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand reclaim" -l cache-dir -d 'Accepted for the sake of kubectl\'s users; nothing is cached' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand reclaim" -l all-released -d 'Only volumes that are Released or Failed'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand reclaim" -l reuse -d 'Offer them again with the data that is in them, whatever their policy'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand reclaim" -l shared-base -d 'Accept a base directory that other users of this machine can write to, if it has the sticky bit'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand reclaim" -s y -l yes -d 'Do not ask'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand reclaim" -l show-skipped -d 'List the skipped objects, and why each is skipped; named objects are always listed'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand reclaim" -s R -l recursive -d 'Read folders to the bottom'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand reclaim" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand cleanup" -l category -d 'Find only this: released, failed, lost-claims, unused-claims, unreachable, leftover-attachments, duplicate-volumes or leaked-assets; may be repeated [default: all]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand cleanup" -l older-than -d 'Show only findings of at least this age: such as 30d, 2w or 12h. A finding of unknown age is listed if its object is old enough, and acted on only with --include-likely' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand cleanup" -s l -l selector -d 'Only what has these labels, as in kubectl; may be repeated, all of them count' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand cleanup" -l class -d 'Only what has this class; may be repeated, any of them counts' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand cleanup" -l exclude-namespace -d 'Not what belongs to this namespace; may be repeated' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand cleanup" -l asset -d 'Delete this leaked asset with its data, whatever policy its volume had; may be repeated. Needs --category leaked-assets' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand cleanup" -l dry-run -d 'Only show what --yes would do: client sends nothing, server lets the API server check each first write; none does it [default: none; alone: client]' -r -f -a "none\t'It is'
client\t'Nothing is sent'
server\t'The server checks, and changes nothing'"
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand cleanup" -l timeout -d 'Wait no longer than this for anything: seconds, or such as 30s or 1m30s [default: 1m]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand cleanup" -l save -d 'Save every object that is changed or deleted in this new or empty directory, so that it can be created again' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand cleanup" -l take-over-directory -d 'Give this base directory of a backend to this cluster, with all data in it, and do nothing else; asks for the uid of the present owner unless DIR=OLD-UID names it' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand cleanup" -l backend -d 'Serve this provisioner name from this machine: KIND:TARGET is hostpath:/DIR, nfs:SERVER:/EXPORT@/MOUNTED or exec:/PROGRAM; may be repeated' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand cleanup" -l backends -d 'Serve what this file lists as well: a YAML map of PROVISIONER: KIND:TARGET [default: $KUBECTL_PV_BACKENDS]' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand cleanup" -s f -l filename -d 'Read the state from files instead of the cluster: a file, a folder, or - for standard input; may be repeated' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand cleanup" -l with -d 'Answer as if this had been applied: a file, a folder, or - for standard input; may be repeated. What is there already changes only as far as the API server lets it' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand cleanup" -l without -d 'Answer as if this were gone: pvc/NAME, pvc/NAMESPACE/NAME, pv/NAME, sc/NAME, pod/NAME, node/NAME …; may be repeated. Together with --with it is made anew' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand cleanup" -s o -l output -d 'Print as table, wide, json, yaml or name [default: table]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand cleanup" -l color -d 'Colour the output: auto, always or never [default: auto]' -r -f -a "auto\t'On a terminal that can, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand cleanup" -s n -l namespace -d 'Work in this namespace [default: the context\'s, else `default`]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand cleanup" -l context -d 'Use the kubeconfig entry of this name' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand cleanup" -l kubeconfig -d 'Read this kubeconfig file [default: those of $KUBECONFIG, else ~/.kube/config]' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand cleanup" -l cluster -d 'Talk to this cluster of the kubeconfig' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand cleanup" -l user -d 'Log in as this user of the kubeconfig' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand cleanup" -s s -l server -d 'Talk to the API server at this address' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand cleanup" -l token -d 'Authenticate with this bearer token' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand cleanup" -l as -d 'Act as this user or service account' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand cleanup" -l as-uid -d 'Act with this uid; needs --as' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand cleanup" -l as-group -d 'Act as a member of this group; may be repeated, needs --as' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand cleanup" -l as-user-extra -d 'Act with this extra attribute; may be repeated, needs --as' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand cleanup" -l certificate-authority -d 'Trust servers whose certificate is signed by the authority in this PEM file' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand cleanup" -l client-certificate -d 'Authenticate with the certificate in this PEM file' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand cleanup" -l client-key -d 'Use the key in this PEM file for the client certificate' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand cleanup" -l insecure-skip-tls-verify -d 'Trust any server certificate, which lets anyone in between listen' -r -f -a "true\t''
false\t''"
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand cleanup" -l tls-server-name -d 'Expect this name in the server\'s certificate [default: the host in its address]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand cleanup" -l request-timeout -d 'Give up on a request after this time: seconds, or such as 30s or 1m30s; 0 waits for ever [default: 0]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand cleanup" -l disable-compression -d 'Ask the server not to compress its answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand cleanup" -l cache-dir -d 'Accepted for the sake of kubectl\'s users; nothing is cached' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand cleanup" -s A -l all-namespaces -d 'All namespaces, which is the default without -n'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand cleanup" -l show-kept -d 'List objects that only look like leftovers, and why'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand cleanup" -l fail-on-findings -d 'End with status 1 if there are findings; with --yes, if any of them is left'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand cleanup" -s y -l yes -d 'Act on what was found'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand cleanup" -l include-likely -d 'Act also on likely findings of a named category'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand cleanup" -l show-skipped -d 'List the skipped objects, and why each is skipped; named objects are always listed'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand cleanup" -l shared-base -d 'Accept a base directory that other users of this machine can write to, if it has the sticky bit'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand cleanup" -s R -l recursive -d 'Read folders to the bottom'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand cleanup" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and not __fish_seen_subcommand_from status reconcile crd help" -s n -l namespace -d 'Work in this namespace [default: the context\'s, else `default`]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and not __fish_seen_subcommand_from status reconcile crd help" -l context -d 'Use the kubeconfig entry of this name' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and not __fish_seen_subcommand_from status reconcile crd help" -l kubeconfig -d 'Read this kubeconfig file [default: those of $KUBECONFIG, else ~/.kube/config]' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and not __fish_seen_subcommand_from status reconcile crd help" -l cluster -d 'Talk to this cluster of the kubeconfig' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and not __fish_seen_subcommand_from status reconcile crd help" -l user -d 'Log in as this user of the kubeconfig' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and not __fish_seen_subcommand_from status reconcile crd help" -s s -l server -d 'Talk to the API server at this address' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and not __fish_seen_subcommand_from status reconcile crd help" -l token -d 'Authenticate with this bearer token' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and not __fish_seen_subcommand_from status reconcile crd help" -l as -d 'Act as this user or service account' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and not __fish_seen_subcommand_from status reconcile crd help" -l as-uid -d 'Act with this uid; needs --as' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and not __fish_seen_subcommand_from status reconcile crd help" -l as-group -d 'Act as a member of this group; may be repeated, needs --as' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and not __fish_seen_subcommand_from status reconcile crd help" -l as-user-extra -d 'Act with this extra attribute; may be repeated, needs --as' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and not __fish_seen_subcommand_from status reconcile crd help" -l certificate-authority -d 'Trust servers whose certificate is signed by the authority in this PEM file' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and not __fish_seen_subcommand_from status reconcile crd help" -l client-certificate -d 'Authenticate with the certificate in this PEM file' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and not __fish_seen_subcommand_from status reconcile crd help" -l client-key -d 'Use the key in this PEM file for the client certificate' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and not __fish_seen_subcommand_from status reconcile crd help" -l insecure-skip-tls-verify -d 'Trust any server certificate, which lets anyone in between listen' -r -f -a "true\t''
false\t''"
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and not __fish_seen_subcommand_from status reconcile crd help" -l tls-server-name -d 'Expect this name in the server\'s certificate [default: the host in its address]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and not __fish_seen_subcommand_from status reconcile crd help" -l request-timeout -d 'Give up on a request after this time: seconds, or such as 30s or 1m30s; 0 waits for ever [default: 0]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and not __fish_seen_subcommand_from status reconcile crd help" -l disable-compression -d 'Ask the server not to compress its answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and not __fish_seen_subcommand_from status reconcile crd help" -l cache-dir -d 'Accepted for the sake of kubectl\'s users; nothing is cached' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and not __fish_seen_subcommand_from status reconcile crd help" -s h -l help -d 'Print help'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and not __fish_seen_subcommand_from status reconcile crd help" -f -a "status" -d 'Show pools of volumes: what they have, what they lack, and what the next reconcile would do'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and not __fish_seen_subcommand_from status reconcile crd help" -f -a "reconcile" -d 'Bring pools of volumes to what they ask for: make what is missing, delete what is too much'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and not __fish_seen_subcommand_from status reconcile crd help" -f -a "crd" -d 'Print the CustomResourceDefinition that makes the API server know PersistentVolumeSets'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and not __fish_seen_subcommand_from status reconcile crd help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from status" -l node -d 'The node that directories made on this machine are of [default: the node that is this machine]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from status" -l backend -d 'Serve this provisioner name from this machine: KIND:TARGET is hostpath:/DIR, nfs:SERVER:/EXPORT@/MOUNTED or exec:/PROGRAM; may be repeated' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from status" -l backends -d 'Serve what this file lists as well: a YAML map of PROVISIONER: KIND:TARGET [default: $KUBECTL_PV_BACKENDS]' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from status" -s f -l filename -d 'Read the state from files instead of the cluster: a file, a folder, or - for standard input; may be repeated' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from status" -l with -d 'Answer as if this had been applied: a file, a folder, or - for standard input; may be repeated. What is there already changes only as far as the API server lets it' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from status" -l without -d 'Answer as if this were gone: pvc/NAME, pvc/NAMESPACE/NAME, pv/NAME, sc/NAME, pod/NAME, node/NAME …; may be repeated. Together with --with it is made anew' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from status" -s o -l output -d 'Print as table, wide, json, yaml or name [default: table]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from status" -l color -d 'Colour the output: auto, always or never [default: auto]' -r -f -a "auto\t'On a terminal that can, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from status" -s n -l namespace -d 'Work in this namespace [default: the context\'s, else `default`]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from status" -l context -d 'Use the kubeconfig entry of this name' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from status" -l kubeconfig -d 'Read this kubeconfig file [default: those of $KUBECONFIG, else ~/.kube/config]' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from status" -l cluster -d 'Talk to this cluster of the kubeconfig' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from status" -l user -d 'Log in as this user of the kubeconfig' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from status" -s s -l server -d 'Talk to the API server at this address' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from status" -l token -d 'Authenticate with this bearer token' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from status" -l as -d 'Act as this user or service account' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from status" -l as-uid -d 'Act with this uid; needs --as' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from status" -l as-group -d 'Act as a member of this group; may be repeated, needs --as' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from status" -l as-user-extra -d 'Act with this extra attribute; may be repeated, needs --as' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from status" -l certificate-authority -d 'Trust servers whose certificate is signed by the authority in this PEM file' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from status" -l client-certificate -d 'Authenticate with the certificate in this PEM file' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from status" -l client-key -d 'Use the key in this PEM file for the client certificate' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from status" -l insecure-skip-tls-verify -d 'Trust any server certificate, which lets anyone in between listen' -r -f -a "true\t''
false\t''"
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from status" -l tls-server-name -d 'Expect this name in the server\'s certificate [default: the host in its address]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from status" -l request-timeout -d 'Give up on a request after this time: seconds, or such as 30s or 1m30s; 0 waits for ever [default: 0]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from status" -l disable-compression -d 'Ask the server not to compress its answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from status" -l cache-dir -d 'Accepted for the sake of kubectl\'s users; nothing is cached' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from status" -l all -d 'List everything, however long'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from status" -l shared-base -d 'Accept a base directory that other users of this machine can write to, if it has the sticky bit'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from status" -s R -l recursive -d 'Read folders to the bottom'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from status" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from reconcile" -l lease-namespace -d 'Where watchers meet, so that only one works at a time' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from reconcile" -l node -d 'The node that directories made on this machine are of [default: the node that is this machine]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from reconcile" -l backend -d 'Serve this provisioner name from this machine: KIND:TARGET is hostpath:/DIR, nfs:SERVER:/EXPORT@/MOUNTED or exec:/PROGRAM; may be repeated' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from reconcile" -l backends -d 'Serve what this file lists as well: a YAML map of PROVISIONER: KIND:TARGET [default: $KUBECTL_PV_BACKENDS]' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from reconcile" -l dry-run -d 'Only show what would be done: client sends nothing, server lets the API server check each first write; none does it [default: none; alone: client]' -r -f -a "none\t'It is'
client\t'Nothing is sent'
server\t'The server checks, and changes nothing'"
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from reconcile" -l timeout -d 'Wait no longer than this for anything: seconds, or such as 30s or 1m30s [default: 1m]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from reconcile" -l save -d 'Save every object that is changed or deleted in this new or empty directory, so that it can be created again' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from reconcile" -l take-over-directory -d 'Give this base directory of a backend to this cluster, with all data in it, and do nothing else; asks for the uid of the present owner unless DIR=OLD-UID names it' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from reconcile" -s f -l filename -d 'Read these manifests: a file, a folder, or - for standard input; may be repeated' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from reconcile" -s o -l output -d 'Print as table, wide, json, yaml or name [default: table]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from reconcile" -l color -d 'Colour the output: auto, always or never [default: auto]' -r -f -a "auto\t'On a terminal that can, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from reconcile" -s n -l namespace -d 'Work in this namespace [default: the context\'s, else `default`]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from reconcile" -l context -d 'Use the kubeconfig entry of this name' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from reconcile" -l kubeconfig -d 'Read this kubeconfig file [default: those of $KUBECONFIG, else ~/.kube/config]' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from reconcile" -l cluster -d 'Talk to this cluster of the kubeconfig' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from reconcile" -l user -d 'Log in as this user of the kubeconfig' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from reconcile" -s s -l server -d 'Talk to the API server at this address' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from reconcile" -l token -d 'Authenticate with this bearer token' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from reconcile" -l as -d 'Act as this user or service account' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from reconcile" -l as-uid -d 'Act with this uid; needs --as' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from reconcile" -l as-group -d 'Act as a member of this group; may be repeated, needs --as' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from reconcile" -l as-user-extra -d 'Act with this extra attribute; may be repeated, needs --as' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from reconcile" -l certificate-authority -d 'Trust servers whose certificate is signed by the authority in this PEM file' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from reconcile" -l client-certificate -d 'Authenticate with the certificate in this PEM file' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from reconcile" -l client-key -d 'Use the key in this PEM file for the client certificate' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from reconcile" -l insecure-skip-tls-verify -d 'Trust any server certificate, which lets anyone in between listen' -r -f -a "true\t''
false\t''"
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from reconcile" -l tls-server-name -d 'Expect this name in the server\'s certificate [default: the host in its address]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from reconcile" -l request-timeout -d 'Give up on a request after this time: seconds, or such as 30s or 1m30s; 0 waits for ever [default: 0]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from reconcile" -l disable-compression -d 'Ask the server not to compress its answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from reconcile" -l cache-dir -d 'Accepted for the sake of kubectl\'s users; nothing is cached' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from reconcile" -l watch -d 'Go on for ever, whenever something changes; makes volumes without asking, and deletes only with --yes'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from reconcile" -l shared-base -d 'Accept a base directory that other users of this machine can write to, if it has the sticky bit'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from reconcile" -s y -l yes -d 'Do not ask'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from reconcile" -l show-skipped -d 'List the skipped objects, and why each is skipped; named objects are always listed'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from reconcile" -s R -l recursive -d 'Read folders to the bottom'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from reconcile" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from crd" -s o -l output -d 'Print as yaml or json [default: yaml]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from crd" -s n -l namespace -d 'Work in this namespace [default: the context\'s, else `default`]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from crd" -l context -d 'Use the kubeconfig entry of this name' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from crd" -l kubeconfig -d 'Read this kubeconfig file [default: those of $KUBECONFIG, else ~/.kube/config]' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from crd" -l cluster -d 'Talk to this cluster of the kubeconfig' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from crd" -l user -d 'Log in as this user of the kubeconfig' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from crd" -s s -l server -d 'Talk to the API server at this address' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from crd" -l token -d 'Authenticate with this bearer token' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from crd" -l as -d 'Act as this user or service account' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from crd" -l as-uid -d 'Act with this uid; needs --as' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from crd" -l as-group -d 'Act as a member of this group; may be repeated, needs --as' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from crd" -l as-user-extra -d 'Act with this extra attribute; may be repeated, needs --as' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from crd" -l certificate-authority -d 'Trust servers whose certificate is signed by the authority in this PEM file' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from crd" -l client-certificate -d 'Authenticate with the certificate in this PEM file' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from crd" -l client-key -d 'Use the key in this PEM file for the client certificate' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from crd" -l insecure-skip-tls-verify -d 'Trust any server certificate, which lets anyone in between listen' -r -f -a "true\t''
false\t''"
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from crd" -l tls-server-name -d 'Expect this name in the server\'s certificate [default: the host in its address]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from crd" -l request-timeout -d 'Give up on a request after this time: seconds, or such as 30s or 1m30s; 0 waits for ever [default: 0]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from crd" -l disable-compression -d 'Ask the server not to compress its answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from crd" -l cache-dir -d 'Accepted for the sake of kubectl\'s users; nothing is cached' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from crd" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from help" -f -a "status" -d 'Show pools of volumes: what they have, what they lack, and what the next reconcile would do'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from help" -f -a "reconcile" -d 'Bring pools of volumes to what they ask for: make what is missing, delete what is too much'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from help" -f -a "crd" -d 'Print the CustomResourceDefinition that makes the API server know PersistentVolumeSets'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand set; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand completion" -s n -l namespace -d 'Work in this namespace [default: the context\'s, else `default`]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand completion" -l context -d 'Use the kubeconfig entry of this name' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand completion" -l kubeconfig -d 'Read this kubeconfig file [default: those of $KUBECONFIG, else ~/.kube/config]' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand completion" -l cluster -d 'Talk to this cluster of the kubeconfig' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand completion" -l user -d 'Log in as this user of the kubeconfig' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand completion" -s s -l server -d 'Talk to the API server at this address' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand completion" -l token -d 'Authenticate with this bearer token' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand completion" -l as -d 'Act as this user or service account' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand completion" -l as-uid -d 'Act with this uid; needs --as' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand completion" -l as-group -d 'Act as a member of this group; may be repeated, needs --as' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand completion" -l as-user-extra -d 'Act with this extra attribute; may be repeated, needs --as' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand completion" -l certificate-authority -d 'Trust servers whose certificate is signed by the authority in this PEM file' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand completion" -l client-certificate -d 'Authenticate with the certificate in this PEM file' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand completion" -l client-key -d 'Use the key in this PEM file for the client certificate' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand completion" -l insecure-skip-tls-verify -d 'Trust any server certificate, which lets anyone in between listen' -r -f -a "true\t''
false\t''"
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand completion" -l tls-server-name -d 'Expect this name in the server\'s certificate [default: the host in its address]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand completion" -l request-timeout -d 'Give up on a request after this time: seconds, or such as 30s or 1m30s; 0 waits for ever [default: 0]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand completion" -l disable-compression -d 'Ask the server not to compress its answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand completion" -l cache-dir -d 'Accepted for the sake of kubectl\'s users; nothing is cached' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand completion" -s y -l yes -d 'Do not ask'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand completion" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand version" -s n -l namespace -d 'Work in this namespace [default: the context\'s, else `default`]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand version" -l context -d 'Use the kubeconfig entry of this name' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand version" -l kubeconfig -d 'Read this kubeconfig file [default: those of $KUBECONFIG, else ~/.kube/config]' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand version" -l cluster -d 'Talk to this cluster of the kubeconfig' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand version" -l user -d 'Log in as this user of the kubeconfig' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand version" -s s -l server -d 'Talk to the API server at this address' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand version" -l token -d 'Authenticate with this bearer token' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand version" -l as -d 'Act as this user or service account' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand version" -l as-uid -d 'Act with this uid; needs --as' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand version" -l as-group -d 'Act as a member of this group; may be repeated, needs --as' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand version" -l as-user-extra -d 'Act with this extra attribute; may be repeated, needs --as' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand version" -l certificate-authority -d 'Trust servers whose certificate is signed by the authority in this PEM file' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand version" -l client-certificate -d 'Authenticate with the certificate in this PEM file' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand version" -l client-key -d 'Use the key in this PEM file for the client certificate' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand version" -l insecure-skip-tls-verify -d 'Trust any server certificate, which lets anyone in between listen' -r -f -a "true\t''
false\t''"
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand version" -l tls-server-name -d 'Expect this name in the server\'s certificate [default: the host in its address]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand version" -l request-timeout -d 'Give up on a request after this time: seconds, or such as 30s or 1m30s; 0 waits for ever [default: 0]' -r
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand version" -l disable-compression -d 'Ask the server not to compress its answers' -r -f -a "true\t''
false\t''"
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand version" -l cache-dir -d 'Accepted for the sake of kubectl\'s users; nothing is cached' -r -F
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand version" -s h -l help -d 'Print help'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand help; and not __fish_seen_subcommand_from explain plan status describe-class validate convert bind provision reclaim cleanup set completion version help" -f -a "explain" -d 'Explain which volume a claim gets, or why it gets none; or whose a volume is'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand help; and not __fish_seen_subcommand_from explain plan status describe-class validate convert bind provision reclaim cleanup set completion version help" -f -a "plan" -d 'Foresee what every unbound claim ends with, and who competes for what'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand help; and not __fish_seen_subcommand_from explain plan status describe-class validate convert bind provision reclaim cleanup set completion version help" -f -a "status" -d 'Show volumes and claims at a glance: what there is, what is stuck and why, what needs attention'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand help; and not __fish_seen_subcommand_from explain plan status describe-class validate convert bind provision reclaim cleanup set completion version help" -f -a "describe-class" -d 'Describe storage classes: what a claim may choose, who makes the volumes, what becomes of them'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand help; and not __fish_seen_subcommand_from explain plan status describe-class validate convert bind provision reclaim cleanup set completion version help" -f -a "validate" -d 'Find what is wrong with manifests, classes, options, claims and volumes, before anything is created'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand help; and not __fish_seen_subcommand_from explain plan status describe-class validate convert bind provision reclaim cleanup set completion version help" -f -a "convert" -d 'Rewrite manifests in the spellings of the storage design documents into what today\'s API server keeps'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand help; and not __fish_seen_subcommand_from explain plan status describe-class validate convert bind provision reclaim cleanup set completion version help" -f -a "bind" -d 'Bind claims to volumes, once, exactly as the controller would'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand help; and not __fish_seen_subcommand_from explain plan status describe-class validate convert bind provision reclaim cleanup set completion version help" -f -a "provision" -d 'Have volumes made for claims, once'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand help; and not __fish_seen_subcommand_from explain plan status describe-class validate convert bind provision reclaim cleanup set completion version help" -f -a "reclaim" -d 'Delete, empty or give back volumes that nobody owns any more'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand help; and not __fish_seen_subcommand_from explain plan status describe-class validate convert bind provision reclaim cleanup set completion version help" -f -a "cleanup" -d 'Find volumes, claims, attachments and storage assets that are no longer used'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand help; and not __fish_seen_subcommand_from explain plan status describe-class validate convert bind provision reclaim cleanup set completion version help" -f -a "set" -d 'Keep pools of volumes ready for claims: PersistentVolumeSets'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand help; and not __fish_seen_subcommand_from explain plan status describe-class validate convert bind provision reclaim cleanup set completion version help" -f -a "completion" -d 'Print a completion script, or set completion up for kubectl'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand help; and not __fish_seen_subcommand_from explain plan status describe-class validate convert bind provision reclaim cleanup set completion version help" -f -a "version" -d 'Print the version, and the rules it answers by'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand help; and not __fish_seen_subcommand_from explain plan status describe-class validate convert bind provision reclaim cleanup set completion version help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand help; and __fish_seen_subcommand_from set" -f -a "status" -d 'Show pools of volumes: what they have, what they lack, and what the next reconcile would do'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand help; and __fish_seen_subcommand_from set" -f -a "reconcile" -d 'Bring pools of volumes to what they ask for: make what is missing, delete what is too much'
complete -c kubectl-pv -n "__fish_kubectl_pv_using_subcommand help; and __fish_seen_subcommand_from set" -f -a "crd" -d 'Print the CustomResourceDefinition that makes the API server know PersistentVolumeSets'
