package dev.fairlead.fleet.cluster.web;

import dev.fairlead.fleet.cluster.ClusterKind;
import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.fleet.cluster.connection.PlacementBackend;
import dev.fairlead.fleet.cluster.connection.PodDevices;
import dev.fairlead.kernel.resources.CapacityType;
import io.swagger.v3.oas.annotations.media.Schema;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * A new cluster: a Kubernetes cluster by exactly one of kubeconfig and connection, a Slurm cluster
 * by its connection, or a simulated cluster by its fleet.
 */
@Schema(name = "RegisterClusterRequest")
record RegisterClusterRequest(
    @Schema(description = "DNS label of at most 40 characters") String name,
    @Schema(description = "Type of the cluster. Default: KUBERNETES") @Nullable ClusterKind kind,
    @Schema(
            description =
                "Text of a kubeconfig with an inline CA and a token or client certificate."
                    + " Fairlead runs no program and opens no file that it names")
        @Nullable String kubeconfig,
    @Nullable ConnectionRequest connection,
    @Schema(description = "Pools of equal simulated nodes") @Nullable List<PoolRequest> fleet,
    @Schema(description = "Capacity type. Default: RESERVED") @Nullable CapacityType capacityType,
    @Schema(description = "Price of a GPU-hour by GPU model")
        @Nullable Map<String, BigDecimal> pricePerGpuHour,
    @Schema(
            description =
                "Node labels that name topology domains, widest first. Default: the"
                    + " labels of the configuration")
        @Nullable List<String> topologyLabels,
    @Schema(
            description =
                "Binding of pods to their node: when they are created (DIRECT, default), or"
                    + " by the cluster's scheduler, limited to that node. Pods with unbound"
                    + " volumes always wait for the scheduler")
        ClusterSettings.@Nullable Pinning pinning,
    @Schema(description = "Resource name of the fabric for members with rdma, such as rdma/hca")
        @Nullable String rdmaResource,
    @Schema(
            description =
                "How the node of a single member is chosen. DEFAULT (when absent): with shared"
                    + " GPUs the least growth of fragmentation, otherwise the fullest node. The"
                    + " fullest, or the emptiest")
        ClusterSettings.@Nullable Scoring scoring,
    @Schema(
            description =
                "Period when the cluster may be used, for example capacity bought for a"
                    + " limited time. Always when absent")
        @Nullable WindowRequest window,
    @Schema(
            description =
                "Whether preemptible jobs are moved to other, reserved nodes of the"
                    + " cluster so that a waiting job fits: never (default), or if it pays off")
        ClusterSettings.@Nullable Consolidation consolidation,
    @Schema(
            description =
                "URL at which its pods reach Fairlead, such as"
                    + " https://fairlead.example.com. Attempts that receive a checkpoint"
                    + " request respond there")
        @Nullable String callback,
    @Schema(
            description =
                "Prometheus that scrapes its GPU exporter (DCGM), the source of GPU utilization"
                    + " and faults")
        @Nullable PrometheusRequest prometheus,
    @Schema(
            description =
                "Labels and taints that Fairlead sets on its nodes: none (NEVER, default), their"
                    + " pool as a label, or also a taint during a quarantine. Requires"
                    + " deploy/cluster-nodes.yaml on the cluster")
        ClusterSettings.@Nullable NodeLabelPolicy nodeLabelsAndTaints,
    @Schema(
            description =
                "Gateway of gateway.networking.k8s.io/v1 that routes the requests of model"
                    + " services. Requires deploy/cluster-serving.yaml on the cluster")
        @Nullable GatewayRequest gateway,
    @Schema(
            description =
                "Scheduler that chooses the nodes of pods. Fairlead chooses them when absent")
        @Nullable BackendRequest backend,
    @Schema(
            description =
                "Form of requests for GPUs: extended resources of a device plugin when"
                    + " absent. DRA requires deploy/cluster-dra.yaml on the cluster")
        @Nullable DevicesRequest devices) {
  /**
   * The form of requests for GPUs.
   *
   * @param kind EXTENDED_RESOURCE, or DRA for ResourceClaims of the GPUs that Fairlead chose
   * @param deviceClass DeviceClass of the claims, such as gpu.nvidia.com. Only for DRA
   * @param driver driver that publishes the GPUs in ResourceSlices. The name of the DeviceClass
   *     when absent
   * @param migDeviceClass DeviceClass of claims for MIG slices, such as mig.nvidia.com. Nodes offer
   *     no MIG slices of the driver when absent. Only for DRA
   * @param nodes labels of the nodes with claims, for example of one pool. The device plugins of
   *     other nodes choose the GPUs. All nodes when absent. Only for DRA
   */
  @Schema(name = "DevicesRequest")
  record DevicesRequest(
      PodDevices.Kind kind,
      @Nullable String deviceClass,
      @Nullable String driver,
      @Nullable String migDeviceClass,
      @Nullable SortedMap<String, String> nodes) {}

  /**
   * The scheduler that chooses the nodes of pods.
   *
   * @param kind FAIRLEAD, KUBE_SCHEDULER for the scheduler of the cluster, KUEUE, or POD_GROUP for
   *     a scheduler that binds the pods of a PodGroup together
   * @param api group and version of the PodGroups, such as scheduling.x-k8s.io/v1alpha1. Only for
   *     POD_GROUP
   * @param queue Kueue LocalQueue in the namespace of each project, or queue of the PodGroups. Only
   *     for KUEUE and POD_GROUP
   * @param schedulerName scheduler name of the pods. The usual name of the scheduler of the
   *     PodGroups when absent, otherwise the default scheduler of the cluster
   */
  @Schema(name = "BackendRequest")
  record BackendRequest(
      PlacementBackend.Kind kind,
      @Nullable String api,
      @Nullable String queue,
      @Nullable String schedulerName) {}

  /**
   * The Gateway of model services.
   *
   * @param namespace namespace of the Gateway
   * @param name name of the Gateway
   * @param proxyNamespace namespace of its pods, which may connect to replicas. The namespace of
   *     the Gateway when absent
   * @param metrics address at which its pods count requests: a rollout is not judged when absent
   * @param gate takes the requests of services without a ready replica. Requests get an error when
   *     absent
   */
  @Schema(name = "GatewayRequest")
  record GatewayRequest(
      String namespace,
      String name,
      @Nullable String proxyNamespace,
      @Nullable PrometheusRequest metrics,
      @Nullable GateRequest gate) {}

  /**
   * The Kubernetes Service of the gate, processes of Fairlead with the role gate on this cluster.
   *
   * @param namespace namespace of the Service
   * @param name name of the Service
   * @param port port of the Service, 80 when absent
   */
  @Schema(name = "GateRequest")
  record GateRequest(String namespace, String name, @Nullable Integer port) {}

  /**
   * Address of a Prometheus, or of metrics in its text format.
   *
   * @param url https URL of metrics with their path, or of a Prometheus without /api/v1/query, such
   *     as https://prometheus.example.com:9090
   * @param caData base64 of the PEM certificates of its certificate authority, public authorities
   *     when absent
   * @param faults whether faults in the series of its GPU exporter (DCGM) become health events,
   *     false when absent. Not allowed for gateway metrics
   */
  @Schema(name = "PrometheusRequest")
  record PrometheusRequest(String url, @Nullable String caData, @Nullable Boolean faults) {}

  /**
   * A job starts on the cluster only if it ends, by its maxRuntime or its queue's
   * defaultMaxRuntime, before the window closes.
   *
   * @param from start of the window, no start when absent
   * @param until end of the window, after from, no end when absent
   */
  @Schema(name = "WindowRequest")
  record WindowRequest(@Nullable Instant from, @Nullable Instant until) {}

  /**
   * Connection to a Kubernetes API server with a token, or a client certificate and its key, or to
   * slurmrestd with a token.
   *
   * @param server https URL of the API server or of slurmrestd
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
   * @param blocks number of blocks of the nodes, 1 when absent
   * @param racksPerBlock number of racks in each block, 1 when absent
   */
  @Schema(name = "PoolRequest")
  record PoolRequest(
      int nodes,
      int gpusPerNode,
      @Nullable String model,
      @Nullable Integer blocks,
      @Nullable Integer racksPerBlock) {}
}
