package dev.fairlead.work.attempt.member;

/** A source that reports which devices a member holds. Later values are trusted more. */
public enum DeviceReporter {
  /** The DCGM exporter, in the labels of its series in the cluster's Prometheus. */
  EXPORTER("the DCGM exporter"),
  /** The node agent, from the checkpoint of the kubelet's device manager. */
  NODE_AGENT("the node agent"),
  /** The kubelet, in {@code allocatedResourcesStatus} of the pod. */
  POD_STATUS("its pod status"),
  /** The scheduler of the cluster, in the allocation of the ResourceClaim of the pod. */
  RESOURCE_CLAIM("its ResourceClaim");

  private final String text;

  DeviceReporter(String text) {
    this.text = text;
  }

  /** Human-readable name, used after "according to". */
  public String text() {
    return text;
  }
}
