package dev.fairlead.workload.kubernetes;

import java.time.Duration;

/**
 * How this process talks to all its clusters.
 *
 * @param clusterDomain DNS suffix of services
 * @param callTimeout of one call
 * @param probe how often a connection is tried
 * @param reopen silence after which a connection is given up for a new one, its address looked up
 *     anew
 */
record KubernetesSettings(
    TopologyLevels levels,
    String clusterDomain,
    Duration callTimeout,
    Duration probe,
    Duration reopen) {
  static final KubernetesSettings DEFAULT =
      new KubernetesSettings(
          TopologyLevels.DEFAULT,
          "cluster.local",
          Duration.ofSeconds(10),
          Duration.ofSeconds(5),
          Duration.ofSeconds(30));

  KubernetesSettings with(TopologyLevels newLevels, String newDomain) {
    return new KubernetesSettings(newLevels, newDomain, callTimeout, probe, reopen);
  }
}
