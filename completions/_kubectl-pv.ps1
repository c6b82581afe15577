
using namespace System.Management.Automation
using namespace System.Management.Automation.Language

Register-ArgumentCompleter -Native -CommandName 'kubectl-pv' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $commandElements = $commandAst.CommandElements
    $command = @(
        'kubectl-pv'
        for ($i = 1; $i -lt $commandElements.Count; $i++) {
            $element = $commandElements[$i]
            if ($element -isnot [StringConstantExpressionAst] -or
                $element.StringConstantType -ne [StringConstantType]::BareWord -or
                $element.Value.StartsWith('-') -or
                $element.Value -eq $wordToComplete) {
                break
        }
        $element.Value
    }) -join ';'

    $completions = @(switch ($command) {
        'kubectl-pv' {
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Work in this namespace [default: the context''s, else `default`]')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'Work in this namespace [default: the context''s, else `default`]')
            [CompletionResult]::new('--context', '--context', [CompletionResultType]::ParameterName, 'Use the kubeconfig entry of this name')
            [CompletionResult]::new('--kubeconfig', '--kubeconfig', [CompletionResultType]::ParameterName, 'Read this kubeconfig file [default: those of $KUBECONFIG, else ~/.kube/config]')
            [CompletionResult]::new('--cluster', '--cluster', [CompletionResultType]::ParameterName, 'Talk to this cluster of the kubeconfig')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Log in as this user of the kubeconfig')
            [CompletionResult]::new('-s', '-s', [CompletionResultType]::ParameterName, 'Talk to the API server at this address')
            [CompletionResult]::new('--server', '--server', [CompletionResultType]::ParameterName, 'Talk to the API server at this address')
            [CompletionResult]::new('--token', '--token', [CompletionResultType]::ParameterName, 'Authenticate with this bearer token')
            [CompletionResult]::new('--as', '--as', [CompletionResultType]::ParameterName, 'Act as this user or service account')
            [CompletionResult]::new('--as-uid', '--as-uid', [CompletionResultType]::ParameterName, 'Act with this uid; needs --as')
            [CompletionResult]::new('--as-group', '--as-group', [CompletionResultType]::ParameterName, 'Act as a member of this group; may be repeated, needs --as')
            [CompletionResult]::new('--as-user-extra', '--as-user-extra', [CompletionResultType]::ParameterName, 'Act with this extra attribute; may be repeated, needs --as')
            [CompletionResult]::new('--certificate-authority', '--certificate-authority', [CompletionResultType]::ParameterName, 'Trust servers whose certificate is signed by the authority in this PEM file')
            [CompletionResult]::new('--client-certificate', '--client-certificate', [CompletionResultType]::ParameterName, 'Authenticate with the certificate in this PEM file')
            [CompletionResult]::new('--client-key', '--client-key', [CompletionResultType]::ParameterName, 'Use the key in this PEM file for the client certificate')
            [CompletionResult]::new('--insecure-skip-tls-verify', '--insecure-skip-tls-verify', [CompletionResultType]::ParameterName, 'Trust any server certificate, which lets anyone in between listen')
            [CompletionResult]::new('--tls-server-name', '--tls-server-name', [CompletionResultType]::ParameterName, 'Expect this name in the server''s certificate [default: the host in its address]')
            [CompletionResult]::new('--request-timeout', '--request-timeout', [CompletionResultType]::ParameterName, 'Give up on a request after this time: seconds, or such as 30s or 1m30s; 0 waits for ever [default: 0]')
            [CompletionResult]::new('--disable-compression', '--disable-compression', [CompletionResultType]::ParameterName, 'Ask the server not to compress its answers')
            [CompletionResult]::new('--cache-dir', '--cache-dir', [CompletionResultType]::ParameterName, 'Accepted for the sake of kubectl''s users; nothing is cached')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('explain', 'explain', [CompletionResultType]::ParameterValue, 'Explain which volume a claim gets, or why it gets none; or whose a volume is')
            [CompletionResult]::new('plan', 'plan', [CompletionResultType]::ParameterValue, 'Foresee what every unbound claim ends with, and who competes for what')
            [CompletionResult]::new('status', 'status', [CompletionResultType]::ParameterValue, 'Show volumes and claims at a glance: what there is, what is stuck and why, what needs attention')
            [CompletionResult]::new('describe-class', 'describe-class', [CompletionResultType]::ParameterValue, 'Describe storage classes: what a claim may choose, who makes the volumes, what becomes of them')
            [CompletionResult]::new('validate', 'validate', [CompletionResultType]::ParameterValue, 'Find what is wrong with manifests, classes, options, claims and volumes, before anything is created')
            [CompletionResult]::new('convert', 'convert', [CompletionResultType]::ParameterValue, 'Rewrite manifests in the spellings of the storage design documents into what today''s API server keeps')
            [CompletionResult]::new('bind', 'bind', [CompletionResultType]::ParameterValue, 'Bind claims to volumes, once, exactly as the controller would')
            [CompletionResult]::new('completion', 'completion', [CompletionResultType]::ParameterValue, 'Print a completion script, or set completion up for kubectl')
            [CompletionResult]::new('version', 'version', [CompletionResultType]::ParameterValue, 'Print the version, and the rules it answers by')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'kubectl-pv;explain' {
            [CompletionResult]::new('-l', '-l', [CompletionResultType]::ParameterName, 'Leave out what has other labels')
            [CompletionResult]::new('--selector', '--selector', [CompletionResultType]::ParameterName, 'Leave out what has other labels')
            [CompletionResult]::new('--class', '--class', [CompletionResultType]::ParameterName, 'Leave out what is of another class; the class is the one that counts, a default included')
            [CompletionResult]::new('--node', '--node', [CompletionResultType]::ParameterName, 'Judge this node only; for pods')
            [CompletionResult]::new('--rules', '--rules', [CompletionResultType]::ParameterName, 'Answer by the rules of this Kubernetes: v1.36 or v1.4 (the design documents'' algorithm) [default: v1.36]')
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'Read the state from files instead of the cluster: a file, a folder, or - for standard input; may be repeated')
            [CompletionResult]::new('--filename', '--filename', [CompletionResultType]::ParameterName, 'Read the state from files instead of the cluster: a file, a folder, or - for standard input; may be repeated')
            [CompletionResult]::new('--with', '--with', [CompletionResultType]::ParameterName, 'Answer as if this had been applied: a file, a folder, or - for standard input; may be repeated. What is there already changes only as far as the API server lets it')
            [CompletionResult]::new('--without', '--without', [CompletionResultType]::ParameterName, 'Answer as if this were gone: pvc/NAME, pvc/NAMESPACE/NAME, pv/NAME, sc/NAME, pod/NAME, node/NAME …; may be repeated. Together with --with it is made anew')
            [CompletionResult]::new('--backend', '--backend', [CompletionResultType]::ParameterName, 'Serve this provisioner name from this machine: KIND:TARGET is hostpath:/DIR, nfs:SERVER:/EXPORT@/MOUNTED, exec:/PROGRAM, csi:unix:///SOCKET or csi:tcp://HOST:PORT; may be repeated')
            [CompletionResult]::new('--backends', '--backends', [CompletionResultType]::ParameterName, 'Serve what this file lists as well: a YAML map of PROVISIONER: KIND:TARGET [default: $KUBECTL_PV_BACKENDS]')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Print as table, wide, json, yaml or name [default: table]')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Print as table, wide, json, yaml or name [default: table]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour the output: auto, always or never [default: auto]')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Work in this namespace [default: the context''s, else `default`]')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'Work in this namespace [default: the context''s, else `default`]')
            [CompletionResult]::new('--context', '--context', [CompletionResultType]::ParameterName, 'Use the kubeconfig entry of this name')
            [CompletionResult]::new('--kubeconfig', '--kubeconfig', [CompletionResultType]::ParameterName, 'Read this kubeconfig file [default: those of $KUBECONFIG, else ~/.kube/config]')
            [CompletionResult]::new('--cluster', '--cluster', [CompletionResultType]::ParameterName, 'Talk to this cluster of the kubeconfig')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Log in as this user of the kubeconfig')
            [CompletionResult]::new('-s', '-s', [CompletionResultType]::ParameterName, 'Talk to the API server at this address')
            [CompletionResult]::new('--server', '--server', [CompletionResultType]::ParameterName, 'Talk to the API server at this address')
            [CompletionResult]::new('--token', '--token', [CompletionResultType]::ParameterName, 'Authenticate with this bearer token')
            [CompletionResult]::new('--as', '--as', [CompletionResultType]::ParameterName, 'Act as this user or service account')
            [CompletionResult]::new('--as-uid', '--as-uid', [CompletionResultType]::ParameterName, 'Act with this uid; needs --as')
            [CompletionResult]::new('--as-group', '--as-group', [CompletionResultType]::ParameterName, 'Act as a member of this group; may be repeated, needs --as')
            [CompletionResult]::new('--as-user-extra', '--as-user-extra', [CompletionResultType]::ParameterName, 'Act with this extra attribute; may be repeated, needs --as')
            [CompletionResult]::new('--certificate-authority', '--certificate-authority', [CompletionResultType]::ParameterName, 'Trust servers whose certificate is signed by the authority in this PEM file')
            [CompletionResult]::new('--client-certificate', '--client-certificate', [CompletionResultType]::ParameterName, 'Authenticate with the certificate in this PEM file')
            [CompletionResult]::new('--client-key', '--client-key', [CompletionResultType]::ParameterName, 'Use the key in this PEM file for the client certificate')
            [CompletionResult]::new('--insecure-skip-tls-verify', '--insecure-skip-tls-verify', [CompletionResultType]::ParameterName, 'Trust any server certificate, which lets anyone in between listen')
            [CompletionResult]::new('--tls-server-name', '--tls-server-name', [CompletionResultType]::ParameterName, 'Expect this name in the server''s certificate [default: the host in its address]')
            [CompletionResult]::new('--request-timeout', '--request-timeout', [CompletionResultType]::ParameterName, 'Give up on a request after this time: seconds, or such as 30s or 1m30s; 0 waits for ever [default: 0]')
            [CompletionResult]::new('--disable-compression', '--disable-compression', [CompletionResultType]::ParameterName, 'Ask the server not to compress its answers')
            [CompletionResult]::new('--cache-dir', '--cache-dir', [CompletionResultType]::ParameterName, 'Accepted for the sake of kubectl''s users; nothing is cached')
            [CompletionResult]::new('-A', '-A ', [CompletionResultType]::ParameterName, 'Look at the claims of all namespaces')
            [CompletionResult]::new('--all-namespaces', '--all-namespaces', [CompletionResultType]::ParameterName, 'Look at the claims of all namespaces')
            [CompletionResult]::new('--pending', '--pending', [CompletionResultType]::ParameterName, 'Leave out what is bound')
            [CompletionResult]::new('--all', '--all', [CompletionResultType]::ParameterName, 'List every volume of a claim, and every claim of a volume, however far off')
            [CompletionResult]::new('-R', '-R ', [CompletionResultType]::ParameterName, 'Read folders to the bottom')
            [CompletionResult]::new('--recursive', '--recursive', [CompletionResultType]::ParameterName, 'Read folders to the bottom')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'kubectl-pv;plan' {
            [CompletionResult]::new('--rules', '--rules', [CompletionResultType]::ParameterName, 'Answer by the rules of this Kubernetes: v1.36 or v1.4 (the design documents'' algorithm) [default: v1.36]')
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'Read the state from files instead of the cluster: a file, a folder, or - for standard input; may be repeated')
            [CompletionResult]::new('--filename', '--filename', [CompletionResultType]::ParameterName, 'Read the state from files instead of the cluster: a file, a folder, or - for standard input; may be repeated')
            [CompletionResult]::new('--with', '--with', [CompletionResultType]::ParameterName, 'Answer as if this had been applied: a file, a folder, or - for standard input; may be repeated. What is there already changes only as far as the API server lets it')
            [CompletionResult]::new('--without', '--without', [CompletionResultType]::ParameterName, 'Answer as if this were gone: pvc/NAME, pvc/NAMESPACE/NAME, pv/NAME, sc/NAME, pod/NAME, node/NAME …; may be repeated. Together with --with it is made anew')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Print as table, wide, json, yaml or name [default: table]')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Print as table, wide, json, yaml or name [default: table]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour the output: auto, always or never [default: auto]')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Work in this namespace [default: the context''s, else `default`]')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'Work in this namespace [default: the context''s, else `default`]')
            [CompletionResult]::new('--context', '--context', [CompletionResultType]::ParameterName, 'Use the kubeconfig entry of this name')
            [CompletionResult]::new('--kubeconfig', '--kubeconfig', [CompletionResultType]::ParameterName, 'Read this kubeconfig file [default: those of $KUBECONFIG, else ~/.kube/config]')
            [CompletionResult]::new('--cluster', '--cluster', [CompletionResultType]::ParameterName, 'Talk to this cluster of the kubeconfig')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Log in as this user of the kubeconfig')
            [CompletionResult]::new('-s', '-s', [CompletionResultType]::ParameterName, 'Talk to the API server at this address')
            [CompletionResult]::new('--server', '--server', [CompletionResultType]::ParameterName, 'Talk to the API server at this address')
            [CompletionResult]::new('--token', '--token', [CompletionResultType]::ParameterName, 'Authenticate with this bearer token')
            [CompletionResult]::new('--as', '--as', [CompletionResultType]::ParameterName, 'Act as this user or service account')
            [CompletionResult]::new('--as-uid', '--as-uid', [CompletionResultType]::ParameterName, 'Act with this uid; needs --as')
            [CompletionResult]::new('--as-group', '--as-group', [CompletionResultType]::ParameterName, 'Act as a member of this group; may be repeated, needs --as')
            [CompletionResult]::new('--as-user-extra', '--as-user-extra', [CompletionResultType]::ParameterName, 'Act with this extra attribute; may be repeated, needs --as')
            [CompletionResult]::new('--certificate-authority', '--certificate-authority', [CompletionResultType]::ParameterName, 'Trust servers whose certificate is signed by the authority in this PEM file')
            [CompletionResult]::new('--client-certificate', '--client-certificate', [CompletionResultType]::ParameterName, 'Authenticate with the certificate in this PEM file')
            [CompletionResult]::new('--client-key', '--client-key', [CompletionResultType]::ParameterName, 'Use the key in this PEM file for the client certificate')
            [CompletionResult]::new('--insecure-skip-tls-verify', '--insecure-skip-tls-verify', [CompletionResultType]::ParameterName, 'Trust any server certificate, which lets anyone in between listen')
            [CompletionResult]::new('--tls-server-name', '--tls-server-name', [CompletionResultType]::ParameterName, 'Expect this name in the server''s certificate [default: the host in its address]')
            [CompletionResult]::new('--request-timeout', '--request-timeout', [CompletionResultType]::ParameterName, 'Give up on a request after this time: seconds, or such as 30s or 1m30s; 0 waits for ever [default: 0]')
            [CompletionResult]::new('--disable-compression', '--disable-compression', [CompletionResultType]::ParameterName, 'Ask the server not to compress its answers')
            [CompletionResult]::new('--cache-dir', '--cache-dir', [CompletionResultType]::ParameterName, 'Accepted for the sake of kubectl''s users; nothing is cached')
            [CompletionResult]::new('-A', '-A ', [CompletionResultType]::ParameterName, 'Show the claims of all namespaces; all of them are settled either way')
            [CompletionResult]::new('--all-namespaces', '--all-namespaces', [CompletionResultType]::ParameterName, 'Show the claims of all namespaces; all of them are settled either way')
            [CompletionResult]::new('--diff', '--diff', [CompletionResultType]::ParameterName, 'Show only what --with and --without change')
            [CompletionResult]::new('--all', '--all', [CompletionResultType]::ParameterName, 'Leave nothing out of long lists')
            [CompletionResult]::new('-R', '-R ', [CompletionResultType]::ParameterName, 'Read folders to the bottom')
            [CompletionResult]::new('--recursive', '--recursive', [CompletionResultType]::ParameterName, 'Read folders to the bottom')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'kubectl-pv;status' {
            [CompletionResult]::new('--rules', '--rules', [CompletionResultType]::ParameterName, 'Answer by the rules of this Kubernetes: v1.36 or v1.4 (the design documents'' algorithm) [default: v1.36]')
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'Read the state from files instead of the cluster: a file, a folder, or - for standard input; may be repeated')
            [CompletionResult]::new('--filename', '--filename', [CompletionResultType]::ParameterName, 'Read the state from files instead of the cluster: a file, a folder, or - for standard input; may be repeated')
            [CompletionResult]::new('--with', '--with', [CompletionResultType]::ParameterName, 'Answer as if this had been applied: a file, a folder, or - for standard input; may be repeated. What is there already changes only as far as the API server lets it')
            [CompletionResult]::new('--without', '--without', [CompletionResultType]::ParameterName, 'Answer as if this were gone: pvc/NAME, pvc/NAMESPACE/NAME, pv/NAME, sc/NAME, pod/NAME, node/NAME …; may be repeated. Together with --with it is made anew')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Print as table, wide, json, yaml or name [default: table]')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Print as table, wide, json, yaml or name [default: table]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour the output: auto, always or never [default: auto]')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Work in this namespace [default: the context''s, else `default`]')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'Work in this namespace [default: the context''s, else `default`]')
            [CompletionResult]::new('--context', '--context', [CompletionResultType]::ParameterName, 'Use the kubeconfig entry of this name')
            [CompletionResult]::new('--kubeconfig', '--kubeconfig', [CompletionResultType]::ParameterName, 'Read this kubeconfig file [default: those of $KUBECONFIG, else ~/.kube/config]')
            [CompletionResult]::new('--cluster', '--cluster', [CompletionResultType]::ParameterName, 'Talk to this cluster of the kubeconfig')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Log in as this user of the kubeconfig')
            [CompletionResult]::new('-s', '-s', [CompletionResultType]::ParameterName, 'Talk to the API server at this address')
            [CompletionResult]::new('--server', '--server', [CompletionResultType]::ParameterName, 'Talk to the API server at this address')
            [CompletionResult]::new('--token', '--token', [CompletionResultType]::ParameterName, 'Authenticate with this bearer token')
            [CompletionResult]::new('--as', '--as', [CompletionResultType]::ParameterName, 'Act as this user or service account')
            [CompletionResult]::new('--as-uid', '--as-uid', [CompletionResultType]::ParameterName, 'Act with this uid; needs --as')
            [CompletionResult]::new('--as-group', '--as-group', [CompletionResultType]::ParameterName, 'Act as a member of this group; may be repeated, needs --as')
            [CompletionResult]::new('--as-user-extra', '--as-user-extra', [CompletionResultType]::ParameterName, 'Act with this extra attribute; may be repeated, needs --as')
            [CompletionResult]::new('--certificate-authority', '--certificate-authority', [CompletionResultType]::ParameterName, 'Trust servers whose certificate is signed by the authority in this PEM file')
            [CompletionResult]::new('--client-certificate', '--client-certificate', [CompletionResultType]::ParameterName, 'Authenticate with the certificate in this PEM file')
            [CompletionResult]::new('--client-key', '--client-key', [CompletionResultType]::ParameterName, 'Use the key in this PEM file for the client certificate')
            [CompletionResult]::new('--insecure-skip-tls-verify', '--insecure-skip-tls-verify', [CompletionResultType]::ParameterName, 'Trust any server certificate, which lets anyone in between listen')
            [CompletionResult]::new('--tls-server-name', '--tls-server-name', [CompletionResultType]::ParameterName, 'Expect this name in the server''s certificate [default: the host in its address]')
            [CompletionResult]::new('--request-timeout', '--request-timeout', [CompletionResultType]::ParameterName, 'Give up on a request after this time: seconds, or such as 30s or 1m30s; 0 waits for ever [default: 0]')
            [CompletionResult]::new('--disable-compression', '--disable-compression', [CompletionResultType]::ParameterName, 'Ask the server not to compress its answers')
            [CompletionResult]::new('--cache-dir', '--cache-dir', [CompletionResultType]::ParameterName, 'Accepted for the sake of kubectl''s users; nothing is cached')
            [CompletionResult]::new('-A', '-A ', [CompletionResultType]::ParameterName, 'Look at all namespaces, which is what it does without -n')
            [CompletionResult]::new('--all-namespaces', '--all-namespaces', [CompletionResultType]::ParameterName, 'Look at all namespaces, which is what it does without -n')
            [CompletionResult]::new('--labels', '--labels', [CompletionResultType]::ParameterName, 'Show the labels of the volumes instead: what is free under each value, who asks for it, and what nobody offers')
            [CompletionResult]::new('--all', '--all', [CompletionResultType]::ParameterName, 'List everything, however long')
            [CompletionResult]::new('-R', '-R ', [CompletionResultType]::ParameterName, 'Read folders to the bottom')
            [CompletionResult]::new('--recursive', '--recursive', [CompletionResultType]::ParameterName, 'Read folders to the bottom')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'kubectl-pv;describe-class' {
            [CompletionResult]::new('--name', '--name', [CompletionResultType]::ParameterName, 'Name the claim of --template or --interactive [default: my-claim]')
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'Read the state from files instead of the cluster: a file, a folder, or - for standard input; may be repeated')
            [CompletionResult]::new('--filename', '--filename', [CompletionResultType]::ParameterName, 'Read the state from files instead of the cluster: a file, a folder, or - for standard input; may be repeated')
            [CompletionResult]::new('--with', '--with', [CompletionResultType]::ParameterName, 'Answer as if this had been applied: a file, a folder, or - for standard input; may be repeated. What is there already changes only as far as the API server lets it')
            [CompletionResult]::new('--without', '--without', [CompletionResultType]::ParameterName, 'Answer as if this were gone: pvc/NAME, pvc/NAMESPACE/NAME, pv/NAME, sc/NAME, pod/NAME, node/NAME …; may be repeated. Together with --with it is made anew')
            [CompletionResult]::new('--backend', '--backend', [CompletionResultType]::ParameterName, 'Serve this provisioner name from this machine: KIND:TARGET is hostpath:/DIR, nfs:SERVER:/EXPORT@/MOUNTED, exec:/PROGRAM, csi:unix:///SOCKET or csi:tcp://HOST:PORT; may be repeated')
            [CompletionResult]::new('--backends', '--backends', [CompletionResultType]::ParameterName, 'Serve what this file lists as well: a YAML map of PROVISIONER: KIND:TARGET [default: $KUBECTL_PV_BACKENDS]')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Print as table, wide, json, yaml or name [default: table]')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Print as table, wide, json, yaml or name [default: table]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour the output: auto, always or never [default: auto]')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Work in this namespace [default: the context''s, else `default`]')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'Work in this namespace [default: the context''s, else `default`]')
            [CompletionResult]::new('--context', '--context', [CompletionResultType]::ParameterName, 'Use the kubeconfig entry of this name')
            [CompletionResult]::new('--kubeconfig', '--kubeconfig', [CompletionResultType]::ParameterName, 'Read this kubeconfig file [default: those of $KUBECONFIG, else ~/.kube/config]')
            [CompletionResult]::new('--cluster', '--cluster', [CompletionResultType]::ParameterName, 'Talk to this cluster of the kubeconfig')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Log in as this user of the kubeconfig')
            [CompletionResult]::new('-s', '-s', [CompletionResultType]::ParameterName, 'Talk to the API server at this address')
            [CompletionResult]::new('--server', '--server', [CompletionResultType]::ParameterName, 'Talk to the API server at this address')
            [CompletionResult]::new('--token', '--token', [CompletionResultType]::ParameterName, 'Authenticate with this bearer token')
            [CompletionResult]::new('--as', '--as', [CompletionResultType]::ParameterName, 'Act as this user or service account')
            [CompletionResult]::new('--as-uid', '--as-uid', [CompletionResultType]::ParameterName, 'Act with this uid; needs --as')
            [CompletionResult]::new('--as-group', '--as-group', [CompletionResultType]::ParameterName, 'Act as a member of this group; may be repeated, needs --as')
            [CompletionResult]::new('--as-user-extra', '--as-user-extra', [CompletionResultType]::ParameterName, 'Act with this extra attribute; may be repeated, needs --as')
            [CompletionResult]::new('--certificate-authority', '--certificate-authority', [CompletionResultType]::ParameterName, 'Trust servers whose certificate is signed by the authority in this PEM file')
            [CompletionResult]::new('--client-certificate', '--client-certificate', [CompletionResultType]::ParameterName, 'Authenticate with the certificate in this PEM file')
            [CompletionResult]::new('--client-key', '--client-key', [CompletionResultType]::ParameterName, 'Use the key in this PEM file for the client certificate')
            [CompletionResult]::new('--insecure-skip-tls-verify', '--insecure-skip-tls-verify', [CompletionResultType]::ParameterName, 'Trust any server certificate, which lets anyone in between listen')
            [CompletionResult]::new('--tls-server-name', '--tls-server-name', [CompletionResultType]::ParameterName, 'Expect this name in the server''s certificate [default: the host in its address]')
            [CompletionResult]::new('--request-timeout', '--request-timeout', [CompletionResultType]::ParameterName, 'Give up on a request after this time: seconds, or such as 30s or 1m30s; 0 waits for ever [default: 0]')
            [CompletionResult]::new('--disable-compression', '--disable-compression', [CompletionResultType]::ParameterName, 'Ask the server not to compress its answers')
            [CompletionResult]::new('--cache-dir', '--cache-dir', [CompletionResultType]::ParameterName, 'Accepted for the sake of kubectl''s users; nothing is cached')
            [CompletionResult]::new('--template', '--template', [CompletionResultType]::ParameterName, 'Print a ConfigMap and a claim to start from, as YAML, with every option explained')
            [CompletionResult]::new('--interactive', '--interactive', [CompletionResultType]::ParameterName, 'Ask option by option, and print the ConfigMap and the claim as YAML; needs a terminal')
            [CompletionResult]::new('-R', '-R ', [CompletionResultType]::ParameterName, 'Read folders to the bottom')
            [CompletionResult]::new('--recursive', '--recursive', [CompletionResultType]::ParameterName, 'Read folders to the bottom')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'kubectl-pv;validate' {
            [CompletionResult]::new('--class', '--class', [CompletionResultType]::ParameterName, 'Hold the ConfigMaps against the options of this class')
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'Read these manifests: a file, a folder, or - for standard input; may be repeated')
            [CompletionResult]::new('--filename', '--filename', [CompletionResultType]::ParameterName, 'Read these manifests: a file, a folder, or - for standard input; may be repeated')
            [CompletionResult]::new('--backend', '--backend', [CompletionResultType]::ParameterName, 'Serve this provisioner name from this machine: KIND:TARGET is hostpath:/DIR, nfs:SERVER:/EXPORT@/MOUNTED, exec:/PROGRAM, csi:unix:///SOCKET or csi:tcp://HOST:PORT; may be repeated')
            [CompletionResult]::new('--backends', '--backends', [CompletionResultType]::ParameterName, 'Serve what this file lists as well: a YAML map of PROVISIONER: KIND:TARGET [default: $KUBECTL_PV_BACKENDS]')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Print as table, json, yaml, or sarif for code hosts [default: table]')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Print as table, json, yaml, or sarif for code hosts [default: table]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour the output: auto, always or never [default: auto]')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Work in this namespace [default: the context''s, else `default`]')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'Work in this namespace [default: the context''s, else `default`]')
            [CompletionResult]::new('--context', '--context', [CompletionResultType]::ParameterName, 'Use the kubeconfig entry of this name')
            [CompletionResult]::new('--kubeconfig', '--kubeconfig', [CompletionResultType]::ParameterName, 'Read this kubeconfig file [default: those of $KUBECONFIG, else ~/.kube/config]')
            [CompletionResult]::new('--cluster', '--cluster', [CompletionResultType]::ParameterName, 'Talk to this cluster of the kubeconfig')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Log in as this user of the kubeconfig')
            [CompletionResult]::new('-s', '-s', [CompletionResultType]::ParameterName, 'Talk to the API server at this address')
            [CompletionResult]::new('--server', '--server', [CompletionResultType]::ParameterName, 'Talk to the API server at this address')
            [CompletionResult]::new('--token', '--token', [CompletionResultType]::ParameterName, 'Authenticate with this bearer token')
            [CompletionResult]::new('--as', '--as', [CompletionResultType]::ParameterName, 'Act as this user or service account')
            [CompletionResult]::new('--as-uid', '--as-uid', [CompletionResultType]::ParameterName, 'Act with this uid; needs --as')
            [CompletionResult]::new('--as-group', '--as-group', [CompletionResultType]::ParameterName, 'Act as a member of this group; may be repeated, needs --as')
            [CompletionResult]::new('--as-user-extra', '--as-user-extra', [CompletionResultType]::ParameterName, 'Act with this extra attribute; may be repeated, needs --as')
            [CompletionResult]::new('--certificate-authority', '--certificate-authority', [CompletionResultType]::ParameterName, 'Trust servers whose certificate is signed by the authority in this PEM file')
            [CompletionResult]::new('--client-certificate', '--client-certificate', [CompletionResultType]::ParameterName, 'Authenticate with the certificate in this PEM file')
            [CompletionResult]::new('--client-key', '--client-key', [CompletionResultType]::ParameterName, 'Use the key in this PEM file for the client certificate')
            [CompletionResult]::new('--insecure-skip-tls-verify', '--insecure-skip-tls-verify', [CompletionResultType]::ParameterName, 'Trust any server certificate, which lets anyone in between listen')
            [CompletionResult]::new('--tls-server-name', '--tls-server-name', [CompletionResultType]::ParameterName, 'Expect this name in the server''s certificate [default: the host in its address]')
            [CompletionResult]::new('--request-timeout', '--request-timeout', [CompletionResultType]::ParameterName, 'Give up on a request after this time: seconds, or such as 30s or 1m30s; 0 waits for ever [default: 0]')
            [CompletionResult]::new('--disable-compression', '--disable-compression', [CompletionResultType]::ParameterName, 'Ask the server not to compress its answers')
            [CompletionResult]::new('--cache-dir', '--cache-dir', [CompletionResultType]::ParameterName, 'Accepted for the sake of kubectl''s users; nothing is cached')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Look at the files alone, and at no cluster')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Take warnings for errors')
            [CompletionResult]::new('--all', '--all', [CompletionResultType]::ParameterName, 'Leave nothing out of long lists')
            [CompletionResult]::new('-R', '-R ', [CompletionResultType]::ParameterName, 'Read folders to the bottom')
            [CompletionResult]::new('--recursive', '--recursive', [CompletionResultType]::ParameterName, 'Read folders to the bottom')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'kubectl-pv;convert' {
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'Read these manifests: a file, a folder, or - for standard input; may be repeated')
            [CompletionResult]::new('--filename', '--filename', [CompletionResultType]::ParameterName, 'Read these manifests: a file, a folder, or - for standard input; may be repeated')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Print as yaml or json; json is one List [default: yaml]')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Print as yaml or json; json is one List [default: yaml]')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Work in this namespace [default: the context''s, else `default`]')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'Work in this namespace [default: the context''s, else `default`]')
            [CompletionResult]::new('--context', '--context', [CompletionResultType]::ParameterName, 'Use the kubeconfig entry of this name')
            [CompletionResult]::new('--kubeconfig', '--kubeconfig', [CompletionResultType]::ParameterName, 'Read this kubeconfig file [default: those of $KUBECONFIG, else ~/.kube/config]')
            [CompletionResult]::new('--cluster', '--cluster', [CompletionResultType]::ParameterName, 'Talk to this cluster of the kubeconfig')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Log in as this user of the kubeconfig')
            [CompletionResult]::new('-s', '-s', [CompletionResultType]::ParameterName, 'Talk to the API server at this address')
            [CompletionResult]::new('--server', '--server', [CompletionResultType]::ParameterName, 'Talk to the API server at this address')
            [CompletionResult]::new('--token', '--token', [CompletionResultType]::ParameterName, 'Authenticate with this bearer token')
            [CompletionResult]::new('--as', '--as', [CompletionResultType]::ParameterName, 'Act as this user or service account')
            [CompletionResult]::new('--as-uid', '--as-uid', [CompletionResultType]::ParameterName, 'Act with this uid; needs --as')
            [CompletionResult]::new('--as-group', '--as-group', [CompletionResultType]::ParameterName, 'Act as a member of this group; may be repeated, needs --as')
            [CompletionResult]::new('--as-user-extra', '--as-user-extra', [CompletionResultType]::ParameterName, 'Act with this extra attribute; may be repeated, needs --as')
            [CompletionResult]::new('--certificate-authority', '--certificate-authority', [CompletionResultType]::ParameterName, 'Trust servers whose certificate is signed by the authority in this PEM file')
            [CompletionResult]::new('--client-certificate', '--client-certificate', [CompletionResultType]::ParameterName, 'Authenticate with the certificate in this PEM file')
            [CompletionResult]::new('--client-key', '--client-key', [CompletionResultType]::ParameterName, 'Use the key in this PEM file for the client certificate')
            [CompletionResult]::new('--insecure-skip-tls-verify', '--insecure-skip-tls-verify', [CompletionResultType]::ParameterName, 'Trust any server certificate, which lets anyone in between listen')
            [CompletionResult]::new('--tls-server-name', '--tls-server-name', [CompletionResultType]::ParameterName, 'Expect this name in the server''s certificate [default: the host in its address]')
            [CompletionResult]::new('--request-timeout', '--request-timeout', [CompletionResultType]::ParameterName, 'Give up on a request after this time: seconds, or such as 30s or 1m30s; 0 waits for ever [default: 0]')
            [CompletionResult]::new('--disable-compression', '--disable-compression', [CompletionResultType]::ParameterName, 'Ask the server not to compress its answers')
            [CompletionResult]::new('--cache-dir', '--cache-dir', [CompletionResultType]::ParameterName, 'Accepted for the sake of kubectl''s users; nothing is cached')
            [CompletionResult]::new('-R', '-R ', [CompletionResultType]::ParameterName, 'Read folders to the bottom')
            [CompletionResult]::new('--recursive', '--recursive', [CompletionResultType]::ParameterName, 'Read folders to the bottom')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'kubectl-pv;bind' {
            [CompletionResult]::new('--volume', '--volume', [CompletionResultType]::ParameterName, 'Bind the claim to this volume')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Only show what would be done: client sends nothing, server lets the API server check each first write; none does it [default: none; alone: client]')
            [CompletionResult]::new('--timeout', '--timeout', [CompletionResultType]::ParameterName, 'Give up after this time: seconds, or such as 30s or 1m30s [default: 1m]')
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'Read these manifests: a file, a folder, or - for standard input; may be repeated')
            [CompletionResult]::new('--filename', '--filename', [CompletionResultType]::ParameterName, 'Read these manifests: a file, a folder, or - for standard input; may be repeated')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Print as table, wide, json, yaml or name [default: table]')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Print as table, wide, json, yaml or name [default: table]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour the output: auto, always or never [default: auto]')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Work in this namespace [default: the context''s, else `default`]')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'Work in this namespace [default: the context''s, else `default`]')
            [CompletionResult]::new('--context', '--context', [CompletionResultType]::ParameterName, 'Use the kubeconfig entry of this name')
            [CompletionResult]::new('--kubeconfig', '--kubeconfig', [CompletionResultType]::ParameterName, 'Read this kubeconfig file [default: those of $KUBECONFIG, else ~/.kube/config]')
            [CompletionResult]::new('--cluster', '--cluster', [CompletionResultType]::ParameterName, 'Talk to this cluster of the kubeconfig')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Log in as this user of the kubeconfig')
            [CompletionResult]::new('-s', '-s', [CompletionResultType]::ParameterName, 'Talk to the API server at this address')
            [CompletionResult]::new('--server', '--server', [CompletionResultType]::ParameterName, 'Talk to the API server at this address')
            [CompletionResult]::new('--token', '--token', [CompletionResultType]::ParameterName, 'Authenticate with this bearer token')
            [CompletionResult]::new('--as', '--as', [CompletionResultType]::ParameterName, 'Act as this user or service account')
            [CompletionResult]::new('--as-uid', '--as-uid', [CompletionResultType]::ParameterName, 'Act with this uid; needs --as')
            [CompletionResult]::new('--as-group', '--as-group', [CompletionResultType]::ParameterName, 'Act as a member of this group; may be repeated, needs --as')
            [CompletionResult]::new('--as-user-extra', '--as-user-extra', [CompletionResultType]::ParameterName, 'Act with this extra attribute; may be repeated, needs --as')
            [CompletionResult]::new('--certificate-authority', '--certificate-authority', [CompletionResultType]::ParameterName, 'Trust servers whose certificate is signed by the authority in this PEM file')
            [CompletionResult]::new('--client-certificate', '--client-certificate', [CompletionResultType]::ParameterName, 'Authenticate with the certificate in this PEM file')
            [CompletionResult]::new('--client-key', '--client-key', [CompletionResultType]::ParameterName, 'Use the key in this PEM file for the client certificate')
            [CompletionResult]::new('--insecure-skip-tls-verify', '--insecure-skip-tls-verify', [CompletionResultType]::ParameterName, 'Trust any server certificate, which lets anyone in between listen')
            [CompletionResult]::new('--tls-server-name', '--tls-server-name', [CompletionResultType]::ParameterName, 'Expect this name in the server''s certificate [default: the host in its address]')
            [CompletionResult]::new('--request-timeout', '--request-timeout', [CompletionResultType]::ParameterName, 'Give up on a request after this time: seconds, or such as 30s or 1m30s; 0 waits for ever [default: 0]')
            [CompletionResult]::new('--disable-compression', '--disable-compression', [CompletionResultType]::ParameterName, 'Ask the server not to compress its answers')
            [CompletionResult]::new('--cache-dir', '--cache-dir', [CompletionResultType]::ParameterName, 'Accepted for the sake of kubectl''s users; nothing is cached')
            [CompletionResult]::new('-A', '-A ', [CompletionResultType]::ParameterName, 'Bind the claims of all namespaces')
            [CompletionResult]::new('--all-namespaces', '--all-namespaces', [CompletionResultType]::ParameterName, 'Bind the claims of all namespaces')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Bind the volume although its labels, its node or the scheduler''s say are against it; never against size, modes or another claim')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Do not ask')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Do not ask')
            [CompletionResult]::new('--wait', '--wait', [CompletionResultType]::ParameterName, 'Come back only when everything asked for is there, or the time is over')
            [CompletionResult]::new('-R', '-R ', [CompletionResultType]::ParameterName, 'Read folders to the bottom')
            [CompletionResult]::new('--recursive', '--recursive', [CompletionResultType]::ParameterName, 'Read folders to the bottom')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'kubectl-pv;completion' {
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Work in this namespace [default: the context''s, else `default`]')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'Work in this namespace [default: the context''s, else `default`]')
            [CompletionResult]::new('--context', '--context', [CompletionResultType]::ParameterName, 'Use the kubeconfig entry of this name')
            [CompletionResult]::new('--kubeconfig', '--kubeconfig', [CompletionResultType]::ParameterName, 'Read this kubeconfig file [default: those of $KUBECONFIG, else ~/.kube/config]')
            [CompletionResult]::new('--cluster', '--cluster', [CompletionResultType]::ParameterName, 'Talk to this cluster of the kubeconfig')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Log in as this user of the kubeconfig')
            [CompletionResult]::new('-s', '-s', [CompletionResultType]::ParameterName, 'Talk to the API server at this address')
            [CompletionResult]::new('--server', '--server', [CompletionResultType]::ParameterName, 'Talk to the API server at this address')
            [CompletionResult]::new('--token', '--token', [CompletionResultType]::ParameterName, 'Authenticate with this bearer token')
            [CompletionResult]::new('--as', '--as', [CompletionResultType]::ParameterName, 'Act as this user or service account')
            [CompletionResult]::new('--as-uid', '--as-uid', [CompletionResultType]::ParameterName, 'Act with this uid; needs --as')
            [CompletionResult]::new('--as-group', '--as-group', [CompletionResultType]::ParameterName, 'Act as a member of this group; may be repeated, needs --as')
            [CompletionResult]::new('--as-user-extra', '--as-user-extra', [CompletionResultType]::ParameterName, 'Act with this extra attribute; may be repeated, needs --as')
            [CompletionResult]::new('--certificate-authority', '--certificate-authority', [CompletionResultType]::ParameterName, 'Trust servers whose certificate is signed by the authority in this PEM file')
            [CompletionResult]::new('--client-certificate', '--client-certificate', [CompletionResultType]::ParameterName, 'Authenticate with the certificate in this PEM file')
            [CompletionResult]::new('--client-key', '--client-key', [CompletionResultType]::ParameterName, 'Use the key in this PEM file for the client certificate')
            [CompletionResult]::new('--insecure-skip-tls-verify', '--insecure-skip-tls-verify', [CompletionResultType]::ParameterName, 'Trust any server certificate, which lets anyone in between listen')
            [CompletionResult]::new('--tls-server-name', '--tls-server-name', [CompletionResultType]::ParameterName, 'Expect this name in the server''s certificate [default: the host in its address]')
            [CompletionResult]::new('--request-timeout', '--request-timeout', [CompletionResultType]::ParameterName, 'Give up on a request after this time: seconds, or such as 30s or 1m30s; 0 waits for ever [default: 0]')
            [CompletionResult]::new('--disable-compression', '--disable-compression', [CompletionResultType]::ParameterName, 'Ask the server not to compress its answers')
            [CompletionResult]::new('--cache-dir', '--cache-dir', [CompletionResultType]::ParameterName, 'Accepted for the sake of kubectl''s users; nothing is cached')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Do not ask')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Do not ask')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'kubectl-pv;version' {
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Work in this namespace [default: the context''s, else `default`]')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'Work in this namespace [default: the context''s, else `default`]')
            [CompletionResult]::new('--context', '--context', [CompletionResultType]::ParameterName, 'Use the kubeconfig entry of this name')
            [CompletionResult]::new('--kubeconfig', '--kubeconfig', [CompletionResultType]::ParameterName, 'Read this kubeconfig file [default: those of $KUBECONFIG, else ~/.kube/config]')
            [CompletionResult]::new('--cluster', '--cluster', [CompletionResultType]::ParameterName, 'Talk to this cluster of the kubeconfig')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'Log in as this user of the kubeconfig')
            [CompletionResult]::new('-s', '-s', [CompletionResultType]::ParameterName, 'Talk to the API server at this address')
            [CompletionResult]::new('--server', '--server', [CompletionResultType]::ParameterName, 'Talk to the API server at this address')
            [CompletionResult]::new('--token', '--token', [CompletionResultType]::ParameterName, 'Authenticate with this bearer token')
            [CompletionResult]::new('--as', '--as', [CompletionResultType]::ParameterName, 'Act as this user or service account')
            [CompletionResult]::new('--as-uid', '--as-uid', [CompletionResultType]::ParameterName, 'Act with this uid; needs --as')
            [CompletionResult]::new('--as-group', '--as-group', [CompletionResultType]::ParameterName, 'Act as a member of this group; may be repeated, needs --as')
            [CompletionResult]::new('--as-user-extra', '--as-user-extra', [CompletionResultType]::ParameterName, 'Act with this extra attribute; may be repeated, needs --as')
            [CompletionResult]::new('--certificate-authority', '--certificate-authority', [CompletionResultType]::ParameterName, 'Trust servers whose certificate is signed by the authority in this PEM file')
            [CompletionResult]::new('--client-certificate', '--client-certificate', [CompletionResultType]::ParameterName, 'Authenticate with the certificate in this PEM file')
            [CompletionResult]::new('--client-key', '--client-key', [CompletionResultType]::ParameterName, 'Use the key in this PEM file for the client certificate')
            [CompletionResult]::new('--insecure-skip-tls-verify', '--insecure-skip-tls-verify', [CompletionResultType]::ParameterName, 'Trust any server certificate, which lets anyone in between listen')
            [CompletionResult]::new('--tls-server-name', '--tls-server-name', [CompletionResultType]::ParameterName, 'Expect this name in the server''s certificate [default: the host in its address]')
            [CompletionResult]::new('--request-timeout', '--request-timeout', [CompletionResultType]::ParameterName, 'Give up on a request after this time: seconds, or such as 30s or 1m30s; 0 waits for ever [default: 0]')
            [CompletionResult]::new('--disable-compression', '--disable-compression', [CompletionResultType]::ParameterName, 'Ask the server not to compress its answers')
            [CompletionResult]::new('--cache-dir', '--cache-dir', [CompletionResultType]::ParameterName, 'Accepted for the sake of kubectl''s users; nothing is cached')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'kubectl-pv;help' {
            [CompletionResult]::new('explain', 'explain', [CompletionResultType]::ParameterValue, 'Explain which volume a claim gets, or why it gets none; or whose a volume is')
            [CompletionResult]::new('plan', 'plan', [CompletionResultType]::ParameterValue, 'Foresee what every unbound claim ends with, and who competes for what')
            [CompletionResult]::new('status', 'status', [CompletionResultType]::ParameterValue, 'Show volumes and claims at a glance: what there is, what is stuck and why, what needs attention')
            [CompletionResult]::new('describe-class', 'describe-class', [CompletionResultType]::ParameterValue, 'Describe storage classes: what a claim may choose, who makes the volumes, what becomes of them')
            [CompletionResult]::new('validate', 'validate', [CompletionResultType]::ParameterValue, 'Find what is wrong with manifests, classes, options, claims and volumes, before anything is created')
            [CompletionResult]::new('convert', 'convert', [CompletionResultType]::ParameterValue, 'Rewrite manifests in the spellings of the storage design documents into what today''s API server keeps')
            [CompletionResult]::new('bind', 'bind', [CompletionResultType]::ParameterValue, 'Bind claims to volumes, once, exactly as the controller would')
            [CompletionResult]::new('completion', 'completion', [CompletionResultType]::ParameterValue, 'Print a completion script, or set completion up for kubectl')
            [CompletionResult]::new('version', 'version', [CompletionResultType]::ParameterValue, 'Print the version, and the rules it answers by')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'kubectl-pv;help;explain' {
            break
        }
        'kubectl-pv;help;plan' {
            break
        }
        'kubectl-pv;help;status' {
            break
        }
        'kubectl-pv;help;describe-class' {
            break
        }
        'kubectl-pv;help;validate' {
            break
        }
        'kubectl-pv;help;convert' {
            break
        }
        'kubectl-pv;help;bind' {
            break
        }
        'kubectl-pv;help;completion' {
            break
        }
        'kubectl-pv;help;version' {
            break
        }
        'kubectl-pv;help;help' {
            break
        }
    })

    $completions.Where{ $_.CompletionText -like "$wordToComplete*" } |
        Sort-Object -Property ListItemText
}
