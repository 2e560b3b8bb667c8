package dev.fairlead.fleet.cluster.web;

import dev.fairlead.fleet.cluster.ClusterKind;
import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.kernel.resources.CapacityType;
import io.swagger.v3.oas.annotations.media.Schema;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A cluster to be registered: a Kubernetes cluster by exactly one of kubeconfig and connection, or
 * a simulated one by its fleet.
 */
@Schema(name = "RegisterClusterRequest")
record RegisterClusterRequest(
    @Schema(description = "DNS label of at most 40 characters") String name,
    @Schema(description = "KUBERNETES when absent") @Nullable ClusterKind kind,
    @Schema(
            description =
                "Text of a kubeconfig with an inline CA and a token or client certificate; nothing"
                    + " in it is executed and no file is opened")
        @Nullable String kubeconfig,
    @Nullable ConnectionRequest connection,
    @Schema(description = "Pools of equal simulated nodes") @Nullable List<PoolRequest> fleet,
    @Schema(description = "RESERVED when absent") @Nullable CapacityType capacityType,
    @Schema(description = "By GPU model") @Nullable Map<String, BigDecimal> pricePerGpuHour,
    @Schema(
            description =
                "Node labels that name topology domains, widest first; those of the configuration by default")
        @Nullable List<String> topologyLabels,
    @Schema(
            description =
                "How pods get to their node: bound when created (DIRECT, when absent), or by the"
                    + " cluster's scheduler, which may choose that node only. Pods with volumes"
                    + " that are not bound yet always wait for the scheduler")
        ClusterSettings.@Nullable Pinning pinning,
    @Schema(
            description =
                "Name under which nodes offer a fabric to members with rdma, such as rdma/hca")
        @Nullable String rdmaResource,
    @Schema(
            description =
                "Which node a single member gets: by least growth of fragmentation where GPUs are"
                    + " shared, else the fullest (DEFAULT, when absent), the fullest, or the"
                    + " emptiest")
        ClusterSettings.@Nullable Scoring scoring,
    @Schema(
            description =
                "When it may be used, as with capacity that is bought for a time; always when"
                    + " absent")
        @Nullable WindowRequest window,
    @Schema(
            description =
                "Whether preemptible jobs are moved to other reserved nodes of the cluster so that a waiting job fits: "
                    + "never (default), or when it pays")
        ClusterSettings.@Nullable Consolidation consolidation,
    @Schema(
            description =
                "Address under which its pods reach Fairlead, such as https://fairlead.example.com:"
                    + " attempts that are asked to save their work answer there")
        @Nullable String callback,
    @Schema(
            description =
                "A Prometheus that scrapes its GPU exporter (DCGM), as the source of GPU utilization")
        @Nullable PrometheusRequest prometheus,
    @Schema(
            description =
                "Labels that Fairlead writes to its nodes: nothing (NEVER, the default), their pool as a label, or also a "
                    + "taint while they are quarantined; needs deploy/cluster-nodes.yaml there")
        ClusterSettings.@Nullable NodeMarking nodeMarks) {
  /**
   * Where a Prometheus is asked.
   *
   * @param url https URL to which /api/v1/query is added, such as
   *     https://prometheus.example.com:9090
   * @param caData base64 of the PEM certificates that sign its own; the public ones when absent
   */
  @Schema(name = "PrometheusRequest")
  record PrometheusRequest(String url, @Nullable String caData) {}

  /**
   * A job starts there only when it ends, by its maxRuntime or its queue's defaultMaxRuntime,
   * before the window closes.
   *
   * @param from since ever when absent
   * @param until for ever when absent; after from
   */
  @Schema(name = "WindowRequest")
  record WindowRequest(@Nullable Instant from, @Nullable Instant until) {}

  /**
   * How to reach a Kubernetes API server: a token, or a client certificate with its key.
   *
   * @param server https URL
   * @param caData base64 of its CA's PEM, as in a kubeconfig
   */
  @Schema(name = "ConnectionRequest")
  record ConnectionRequest(
      String server,
      String caData,
      @Nullable String token,
      @Nullable String clientCertificateData,
      @Nullable String clientKeyData) {}

  /**
   * Equal simulated nodes.
   *
   * @param model GPU model, absent for nodes without GPUs
   * @param blocks blocks that the nodes lie in; 1 when absent
   * @param racksPerBlock racks in each block; 1 when absent
   */
  @Schema(name = "PoolRequest")
  record PoolRequest(
      int nodes,
      int gpusPerNode,
      @Nullable String model,
      @Nullable Integer blocks,
      @Nullable Integer racksPerBlock) {}
}
