package dev.fairlead.fleet.cluster.web;

import dev.fairlead.fleet.cluster.ClusterEvent;
import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.kernel.resources.CapacityType;
import io.swagger.v3.oas.annotations.media.Schema;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What can be changed of a registered cluster; what is absent stays, null is the default. */
@Schema(name = "UpdateClusterRequest")
record UpdateClusterRequest(
    @Nullable WantedState state,
    @Schema(
            description =
                "Other credentials; the server can be another one only while no attempt holds"
                    + " anything there")
        @Nullable String kubeconfig,
    RegisterClusterRequest.@Nullable ConnectionRequest connection,
    @Schema(description = "Running attempts stay counted under the flavor of their placement")
        @Nullable CapacityType capacityType,
    @Schema(description = "By GPU model; null for a model takes its price away")
        @Nullable Map<String, BigDecimal> pricePerGpuHour,
    @Schema(description = "Node labels that name topology domains, widest first")
        @Nullable List<String> topologyLabels,
    ClusterSettings.@Nullable Pinning pinning,
    @Nullable String rdmaResource,
    @Schema(description = "Order in which fitting nodes are assigned to members")
        ClusterSettings.@Nullable Scoring scoring,
    @Schema(description = "When it may be used; null for always")
        RegisterClusterRequest.@Nullable WindowRequest window,
    @Schema(description = "Whether running jobs are moved so that a waiting job fits")
        ClusterSettings.@Nullable Consolidation consolidation,
    @Schema(
            description =
                "Address under which its pods reach Fairlead, such as https://fairlead.example.com;"
                    + " null for none")
        @Nullable String callback,
    @Schema(description = "Source of GPU utilization; null for none")
        RegisterClusterRequest.@Nullable PrometheusRequest prometheus,
    @Schema(description = "Pool labels and quarantine taints on its nodes; NEVER removes them")
        ClusterSettings.@Nullable NodeMarking nodeMarks) {
  /** States that an operator may ask for. */
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
