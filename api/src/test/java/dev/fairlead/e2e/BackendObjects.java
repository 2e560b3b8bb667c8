package dev.fairlead.e2e;

/** Objects of the operator and of other teams on the cluster. */
final class BackendObjects {
  private BackendObjects() {}

  /** Queues of Kueue for the namespace of a project and for another team. */
  static String queues(String namespace) {
    return """
    apiVersion: kueue.x-k8s.io/v1beta2
    kind: ResourceFlavor
    metadata: {name: default}
    ---
    apiVersion: kueue.x-k8s.io/v1beta2
    kind: ClusterQueue
    metadata: {name: all}
    spec:
      namespaceSelector: {}
      preemption: {withinClusterQueue: LowerPriority}
      resourceGroups:
      - coveredResources: [cpu, memory, nvidia.com/gpu]
        flavors:
        - name: default
          resources:
          - {name: cpu, nominalQuota: 1000}
          - {name: memory, nominalQuota: 10Ti}
          - {name: nvidia.com/gpu, nominalQuota: 6}
    ---
    apiVersion: kueue.x-k8s.io/v1beta2
    kind: LocalQueue
    metadata: {name: train, namespace: %s}
    spec: {clusterQueue: all}
    ---
    apiVersion: kueue.x-k8s.io/v1beta2
    kind: WorkloadPriorityClass
    metadata: {name: urgent}
    value: 1000000000
    ---
    apiVersion: v1
    kind: Namespace
    metadata: {name: other-team}
    ---
    apiVersion: kueue.x-k8s.io/v1beta2
    kind: LocalQueue
    metadata: {name: train, namespace: other-team}
    spec: {clusterQueue: all}
    """
        .formatted(namespace);
  }

  /**
   * A pod of another team. The nodes have room for both this object and the gang, but the
   * ClusterQueue does not.
   */
  static String urgentPod() {
    return """
    apiVersion: v1
    kind: Pod
    metadata:
      name: urgent
      namespace: other-team
      labels: {kueue.x-k8s.io/queue-name: train, kueue.x-k8s.io/priority-class: urgent}
    spec:
      containers:
      - name: main
        image: registry.example.com/other:1
        resources:
          requests: {cpu: 1, memory: 1Gi, nvidia.com/gpu: 1}
          limits: {nvidia.com/gpu: 1}
    """;
  }

  /** A pod of another team on this node. */
  static String foreignPod(String node) {
    return """
    apiVersion: v1
    kind: Pod
    metadata: {name: foreign, namespace: default}
    spec:
      nodeName: %s
      containers:
      - name: main
        image: registry.example.com/other:1
        resources:
          requests: {nvidia.com/gpu: 1}
          limits: {nvidia.com/gpu: 1}
    """
        .formatted(node);
  }
}
