package dev.fairlead.work.serving;

/**
 * The ModelService of a front cluster that owns a service. It has the name of the service.
 *
 * @param cluster name of the cluster
 * @param uid UID of the object. A deleted object that is created again has a new UID
 * @param digest digest of its spec that was applied last. A generation would not do, because a
 *     restored etcd counts other specs with the same numbers
 */
public record ServiceOwner(String cluster, String namespace, String uid, String digest) {
  /**
   * Returns whether this object is in the same namespace as the earlier owner, so that it replaces
   * it.
   */
  public boolean follows(ServiceOwner earlier) {
    return cluster.equals(earlier.cluster) && namespace.equals(earlier.namespace);
  }

  /** Namespace and cluster, human-readable. */
  public String text() {
    return "namespace " + namespace + " of cluster " + cluster;
  }
}
