package dev.fairlead.fleet.cluster.web;

import dev.fairlead.fleet.cluster.ClusterEvent;
import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.kernel.resources.CapacityType;
import io.swagger.v3.oas.annotations.media.Schema;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The changeable fields of a registered cluster. Absent fields are unchanged, and null restores the
 * default.
 */
@Schema(name = "UpdateClusterRequest")
record UpdateClusterRequest(
    @Nullable WantedState state,
    @Schema(
            description =
                "New credentials. A different server is accepted only while no attempt"
                    + " holds resources there")
        @Nullable String kubeconfig,
    RegisterClusterRequest.@Nullable ConnectionRequest connection,
    @Schema(
            description =
                "Capacity type. Running jobs remain counted under the type of their" + " placement")
        @Nullable CapacityType capacityType,
    @Schema(description = "Price of a GPU-hour by GPU model. Null removes the price of a model")
        @Nullable Map<String, BigDecimal> pricePerGpuHour,
    @Schema(description = "Node labels that name topology domains, widest first")
        @Nullable List<String> topologyLabels,
    ClusterSettings.@Nullable Pinning pinning,
    @Nullable String rdmaResource,
    @Schema(description = "How a member's node is chosen among the nodes that fit")
        ClusterSettings.@Nullable Scoring scoring,
    @Schema(description = "Period when the cluster may be used. Null for always")
        RegisterClusterRequest.@Nullable WindowRequest window,
    @Schema(description = "Whether running jobs are moved so that a waiting job fits")
        ClusterSettings.@Nullable Consolidation consolidation,
    @Schema(
            description =
                "URL at which its pods reach Fairlead, such as"
                    + " https://fairlead.example.com. Null for none")
        @Nullable String callback,
    @Schema(
            description =
                "Prometheus with the GPU use of its pods and the faults of its GPUs. Null for none")
        RegisterClusterRequest.@Nullable PrometheusRequest prometheus,
    @Schema(
            description =
                "Labels and taints for pools and quarantines on its nodes. NEVER removes present ones")
        ClusterSettings.@Nullable NodeLabelPolicy nodeLabelsAndTaints,
    @Schema(description = "Gateway that routes the requests of model services. Null for none")
        RegisterClusterRequest.@Nullable GatewayRequest gateway,
    @Schema(
            description =
                "Scheduler that chooses the nodes of pods. Fairlead chooses them when absent")
        RegisterClusterRequest.@Nullable BackendRequest backend,
    @Schema(
            description =
                "Form of requests for whole GPUs. Extended resources when absent. Cannot be"
                    + " changed while the cluster runs attempts")
        RegisterClusterRequest.@Nullable DevicesRequest devices) {
  /** States that an operator may request. */
  enum WantedState {
    ACTIVE(ClusterEvent.ENABLE),
    DRAINING(ClusterEvent.DRAIN),
    DISABLED(ClusterEvent.DISABLE);

    private final ClusterEvent event;

    WantedState(ClusterEvent event) {
      this.event = event;
    }

    ClusterEvent event() {
      return event;
    }
  }
}
