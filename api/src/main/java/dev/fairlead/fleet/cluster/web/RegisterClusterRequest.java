package dev.fairlead.fleet.cluster.web;

import dev.fairlead.fleet.cluster.ClusterKind;
import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.fleet.cluster.connection.Connection;
import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.fleet.cluster.service.NewCluster;
import dev.fairlead.kernel.body.DnsLabel;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Names;
import dev.fairlead.kernel.body.RequestRules;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.resources.CapacityType;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.math.BigDecimal;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.annotation.JsonDeserialize;

/**
 * A new cluster. A Kubernetes cluster has either a kubeconfig or a connection, a Slurm cluster a
 * connection, and a simulated cluster a fleet.
 */
@Schema(name = "RegisterClusterRequest")
record RegisterClusterRequest(
    @Schema(description = "DNS label of at most 40 characters") @DnsLabel(max = LONGEST_NAME)
        String name,
    @Schema(description = "Type of the cluster. Default: KUBERNETES") @Nullable ClusterKind kind,
    @Schema(
            description =
                "Text of a kubeconfig with an inline CA and a token or client certificate."
                    + " Fairlead does not run programs or open files named in it")
        @Size(min = 1, max = LONGEST_KUBECONFIG)
        @Nullable String kubeconfig,
    @Nullable ConnectionRequest connection,
    @Schema(description = "Pools of equal simulated nodes") @Size(max = MOST_POOLS)
        @Nullable List<PoolRequest> fleet,
    @Schema(description = "Capacity type. Default: RESERVED") @Nullable CapacityType capacityType,
    @Schema(
            types = "object",
            additionalPropertiesSchema = BigDecimal.class,
            description = "Price of a GPU-hour by GPU model")
        @JsonDeserialize(using = PricesReader.class)
        @Nullable SortedMap<String, Long> pricePerGpuHour,
    @Schema(
            description =
                "Node labels that name topology domains, widest first. Default: the"
                    + " labels of the configuration")
        @Size(max = MOST_LEVELS)
        @JsonDeserialize(contentUsing = TopologyLabel.class)
        @Nullable List<String> topologyLabels,
    @Schema(
            description =
                "Binding of pods to their node: when they are created (DIRECT, default), or"
                    + " by the cluster's scheduler, limited to that node. Pods with unbound"
                    + " volumes always wait for the scheduler")
        ClusterSettings.@Nullable Pinning pinning,
    @Schema(description = "Resource name of the fabric for members with rdma, such as rdma/hca")
        @JsonDeserialize(using = TopologyLabel.class)
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
        @JsonDeserialize(using = Address.class)
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
        @Nullable DevicesRequest devices)
    implements ClusterFields, RequestRules {
  private static final int LONGEST_NAME = 40;
  private static final int MOST_POOLS = 32;
  private static final int MOST_NODES = 10_000;
  private static final int MOST_GPUS = 16;

  @Override
  public void check(Fields given) {
    checkSettings(given);
    checkWays(given);
    if (connection != null) {
      given.get("connection").flatMap(Value::fields).ifPresent(c -> connection.check(c, ofKind()));
    }
    if (fleet == null) {
      return;
    }
    if (fleet.isEmpty()) {
      given.refuse("fleet", ProblemCode.INVALID_FIELD, "fleet must have at least one pool.", null);
    }
    long nodes = fleet.stream().mapToLong(PoolRequest::size).sum();
    if (nodes > MOST_NODES) {
      given.refuse(
          "fleet",
          ProblemCode.LIMIT_EXCEEDED,
          "The fleet has " + nodes + " nodes; at most " + MOST_NODES + " are allowed.",
          null);
    }
  }

  private void checkWays(Fields given) {
    switch (ofKind()) {
      case SLURM -> {
        ClusterFields.refuseAll(given, KUBERNETES);
        if (!given.has("connection") || given.has("kubeconfig") || given.has("fleet")) {
          given.refuse(
              "connection",
              ProblemCode.CONFLICTING_FIELDS,
              "A SLURM cluster has a connection with server, caData and token, and no kubeconfig or fleet.",
              null);
        }
      }
      case SIMULATED -> {
        ClusterFields.refuseAll(given, KUBERNETES);
        if (given.has("kubeconfig") || given.has("connection") || !given.has("fleet")) {
          given.refuse(
              "fleet",
              ProblemCode.CONFLICTING_FIELDS,
              "A SIMULATED cluster has a fleet, and no kubeconfig or connection.",
              null);
        }
      }
      case KUBERNETES -> {
        if (given.has("kubeconfig") == given.has("connection") || given.has("fleet")) {
          given.refuse(
              "kubeconfig",
              ProblemCode.CONFLICTING_FIELDS,
              "Set either kubeconfig or connection. fleet is only for kind SIMULATED.",
              null);
        }
      }
    }
  }

  private ClusterKind ofKind() {
    return Objects.requireNonNullElse(kind, ClusterKind.KUBERNETES);
  }

  private @Nullable Connection chosenConnection() {
    if (fleet != null) {
      return new Connection.Simulated(fleet.stream().map(PoolRequest::pool).toList());
    }
    return connection == null ? null : connection.connection(ofKind());
  }

  NewCluster wanted() {
    return new NewCluster(
        name, ofKind(), kubeconfig, chosenConnection(), capacity(), prices(), settings());
  }

  /**
   * Equal simulated nodes.
   *
   * @param nodes number of nodes
   * @param gpusPerNode GPUs of each node, 0 when absent
   * @param model GPU model, absent for nodes without GPUs
   * @param blocks number of blocks of the nodes, 1 when absent
   * @param racksPerBlock number of racks in each block, 1 when absent
   */
  @Schema(name = "PoolRequest")
  record PoolRequest(
      @Min(1) @Max(MOST_NODES) Integer nodes,
      @Min(0) @Max(MOST_GPUS) @Nullable Integer gpusPerNode,
      @Size(min = 1, max = Names.LONGEST_LABEL)
          @Pattern(regexp = Names.WORD_PATTERN, message = Names.WORD_RULE)
          @Nullable String model,
      @Min(1) @Max(MOST_NODES) @Nullable Integer blocks,
      @Min(1) @Max(MOST_NODES) @Nullable Integer racksPerBlock)
      implements RequestRules {
    @Override
    public void check(Fields given) {
      if (gpus() > 0) {
        given.required("model", "the model of its GPUs, for example H100.");
      }
      checkPart(given, "blocks", blocks);
      checkPart(given, "racksPerBlock", racksPerBlock);
    }

    private void checkPart(Fields given, String field, @Nullable Integer parts) {
      int most = Math.clamp(size(), 1, MOST_NODES);
      if (parts != null && size() > 0 && parts > most) {
        given.refuse(
            field,
            ProblemCode.INVALID_FIELD,
            "%s must be a whole number from 1 to %d, not %d.".formatted(field, most, parts),
            Integer.toString(most));
      }
    }

    private int gpus() {
      return Objects.requireNonNullElse(gpusPerNode, 0);
    }

    private int size() {
      return Objects.requireNonNullElse(nodes, 0);
    }

    private FleetPool pool() {
      return new FleetPool(
          nodes,
          gpus(),
          Objects.requireNonNullElse(model, ""),
          Objects.requireNonNullElse(blocks, 1),
          Objects.requireNonNullElse(racksPerBlock, 1));
    }
  }
}
