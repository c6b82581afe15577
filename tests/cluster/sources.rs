//! The same objects through files and through the API server give the same explanations, byte for byte.

use super::control_plane::ControlPlane;
use crate::support::kubectl_pv;

/// One object of every kind we read, so that neither side has to say that it saw none, and claims of many fates.
const OBJECTS: &str = "
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: src-made}
provisioner: csi.src.example
parameters: {type: fast}
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: src-late}
provisioner: kubernetes.io/no-provisioner
volumeBindingMode: WaitForFirstConsumer
---
apiVersion: storage.k8s.io/v1
kind: CSIDriver
metadata: {name: csi.src.example}
spec: {}
---
apiVersion: storage.k8s.io/v1
kind: CSINode
metadata: {name: src-node}
spec: {drivers: []}
---
apiVersion: v1
kind: Node
metadata: {name: src-node}
---
apiVersion: v1
kind: LimitRange
metadata: {name: bounds, namespace: sources}
spec: {limits: [{type: PersistentVolumeClaim, max: {storage: 1Ti}}]}
---
apiVersion: v1
kind: ResourceQuota
metadata: {name: space, namespace: sources}
spec: {hard: {requests.storage: 10Ti}}
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: src-small, labels: {tier: gold}}
spec: {capacity: {storage: 1G}, accessModes: [ReadWriteOnce], storageClassName: src-static, hostPath: {path: /tmp/src-small}}
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: src-large}
spec: {capacity: {storage: 1.5Gi}, accessModes: [ReadWriteOnce, ReadOnlyMany], storageClassName: src-static, hostPath: {path: /tmp/src-large}}
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: src-dead}
spec:
  capacity: {storage: 5Gi}
  accessModes: [ReadWriteOnce]
  storageClassName: src-static
  claimRef: {namespace: sources, name: blocked, uid: 00000000-0000-0000-0000-000000000000}
  hostPath: {path: /tmp/src-dead}
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: src-local}
spec:
  capacity: {storage: 5Gi}
  accessModes: [ReadWriteOnce]
  storageClassName: src-late
  local: {path: /tmp/src-local}
  nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [src-node]}]}]}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: binds, namespace: sources}
spec: {accessModes: [ReadWriteOnce], storageClassName: src-static, resources: {requests: {storage: 1Gi}}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: blocked, namespace: sources}
spec: {accessModes: [ReadWriteMany], storageClassName: src-static, selector: {matchLabels: {tier: silver}}, resources: {requests: {storage: 1Gi}}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: made, namespace: sources}
spec: {accessModes: [ReadWriteOnce], storageClassName: src-made, resources: {requests: {storage: 1Gi}}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: waits, namespace: sources}
spec: {accessModes: [ReadWriteOnce], storageClassName: src-late, resources: {requests: {storage: 1Gi}}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: names-nothing, namespace: sources}
spec: {accessModes: [ReadWriteOnce], storageClassName: \"\", volumeName: src-nowhere, resources: {requests: {storage: 1Gi}}}
---
apiVersion: v1
kind: Pod
metadata: {name: consumer, namespace: sources}
spec:
  containers: [{name: c, image: none}]
  volumes: [{name: v, persistentVolumeClaim: {claimName: waits}}]
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: set, namespace: sources}
spec:
  serviceName: set
  replicas: 0
  selector: {matchLabels: {app: set}}
  template: {metadata: {labels: {app: set}}, spec: {containers: [{name: c, image: none}]}}
";

#[test]
#[ignore = "needs a control plane: tests/run"]
fn files_and_server_give_the_same_bytes() {
    let cluster = ControlPlane::connect();
    cluster.namespace("sources");
    cluster.apply(OBJECTS);
    let kinds = "pv,pvc,sc,csidriver,csinode,node,limitrange,resourcequota,pod,statefulset";
    // By variable, as flags of the connection are repeated in the commands we suggest.
    let kubeconfig = cluster.kubeconfig("admin");
    let live = kubectl_pv(&["explain", "-n", "sources", "--all", "-o", "json"])
        .env(
            "KUBECONFIG",
            kubeconfig.to_str().expect("a path in plain text"),
        )
        .ran();
    let verdicts: Vec<&str> = live
        .stdout
        .lines()
        .filter(|line| line.contains("\"verdict\""))
        .collect();
    assert_eq!(verdicts.len(), 5, "{}{}", live.stdout, live.stderr);
    for format in ["yaml", "json"] {
        let dump = cluster.kubectl(&["get", kinds, "-A", "-o", format]);
        assert!(
            dump.status.success(),
            "{}",
            String::from_utf8_lossy(&dump.stderr)
        );
        let dump = String::from_utf8(dump.stdout).expect("kubectl prints text");
        let arguments = ["explain", "-n", "sources", "--all", "-o", "json", "-f", "-"];
        let from_file = kubectl_pv(&arguments).stdin(&dump).ran();
        assert_eq!(
            from_file.stdout, live.stdout,
            "through {format}: {}",
            from_file.stderr
        );
        assert_eq!(from_file.status, live.status);
    }
    for kind in [
        "pod,statefulset,pvc,limitrange,resourcequota",
        "pv,sc,csidriver,csinode,node",
    ] {
        cluster.kubectl(&["delete", kind, "--all", "-n", "sources", "--wait=false"]);
    }
}
