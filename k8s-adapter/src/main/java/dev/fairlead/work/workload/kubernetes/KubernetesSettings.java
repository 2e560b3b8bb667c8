package dev.fairlead.work.workload.kubernetes;

import dev.fairlead.work.workload.kubernetes.call.CallLimits;
import dev.fairlead.work.workload.kubernetes.node.TopologyLevels;
import java.time.Duration;

/**
 * How this process talks to all its clusters.
 *
 * @param clusterDomain DNS suffix of services
 * @param callTimeout of one call
 * @param probe how often a connection is tried
 * @param reopen silence after which a connection is given up for a new one, its address looked up
 *     anew
 * @param quiet time without a word in an open watch after which everything is listed anew
 * @param fenceRequired whether nothing is done on a cluster that does not enforce the fence
 * @param calls what is let through to each cluster
 */
record KubernetesSettings(
    TopologyLevels levels,
    String clusterDomain,
    Duration callTimeout,
    Duration probe,
    Duration reopen,
    Duration quiet,
    boolean fenceRequired,
    CallLimits calls) {
  static final KubernetesSettings DEFAULT =
      new KubernetesSettings(
          TopologyLevels.DEFAULT,
          "cluster.local",
          Duration.ofSeconds(10),
          Duration.ofSeconds(2),
          Duration.ofSeconds(30),
          Duration.ofMinutes(5),
          false,
          CallLimits.DEFAULT);
}
