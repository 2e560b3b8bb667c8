package dev.fairlead.work.workload.kubernetes;

import dev.fairlead.work.workload.kubernetes.call.CallLimits;
import dev.fairlead.work.workload.kubernetes.node.TopologyLevels;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;

/**
 * Settings of this process for calls to all its clusters.
 *
 * @param clusterDomain DNS suffix of services
 * @param callTimeout timeout of one call
 * @param probe interval of connection probes
 * @param reopen silence after which a connection is replaced and its address resolved again
 * @param quiet time without an event in an open watch after which everything is listed again
 * @param fenceRequired whether nothing is done on a cluster that does not enforce the fence
 * @param calls limits of calls to each cluster
 * @param helperImage image with Python of the containers that Fairlead adds to pods
 */
@RecordBuilder
record KubernetesSettings(
    TopologyLevels levels,
    String clusterDomain,
    Duration callTimeout,
    Duration probe,
    Duration reopen,
    Duration quiet,
    boolean fenceRequired,
    CallLimits calls,
    String helperImage) {
  static final String HELPER_IMAGE = "docker.io/library/python:3.13-slim";

  static final KubernetesSettings DEFAULT =
      KubernetesSettingsBuilder.builder()
          .levels(TopologyLevels.DEFAULT)
          .clusterDomain("cluster.local")
          .callTimeout(Duration.ofSeconds(10))
          .probe(Duration.ofSeconds(2))
          .reopen(Duration.ofSeconds(30))
          .quiet(Duration.ofMinutes(5))
          .fenceRequired(false)
          .calls(CallLimits.DEFAULT)
          .helperImage(HELPER_IMAGE)
          .build();
}
