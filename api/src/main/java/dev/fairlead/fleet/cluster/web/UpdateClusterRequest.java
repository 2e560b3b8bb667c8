package dev.fairlead.fleet.cluster.web;

import dev.fairlead.fleet.cluster.ClusterEvent;
import dev.fairlead.fleet.cluster.ClusterKind;
import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.fleet.cluster.service.ClusterChange;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.RequestRules;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.resources.CapacityType;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.constraints.Size;
import java.math.BigDecimal;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.annotation.JsonDeserialize;

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
        @Size(min = 1, max = LONGEST_KUBECONFIG)
        @Nullable String kubeconfig,
    @Nullable ConnectionRequest connection,
    @Schema(
            description =
                "Capacity type. Running jobs remain counted under the type of their" + " placement")
        @Nullable CapacityType capacityType,
    @Schema(
            types = "object",
            additionalPropertiesSchema = BigDecimal.class,
            description = "Price of a GPU-hour by GPU model. Null removes the price of a model")
        @JsonDeserialize(using = PricesReader.class)
        @Nullable SortedMap<String, Long> pricePerGpuHour,
    @Schema(description = "Node labels that name topology domains, widest first")
        @Size(max = MOST_LEVELS)
        @JsonDeserialize(contentUsing = TopologyLabel.class)
        @Nullable List<String> topologyLabels,
    ClusterSettings.@Nullable Pinning pinning,
    @JsonDeserialize(using = TopologyLabel.class) @Nullable String rdmaResource,
    @Schema(description = "How a member's node is chosen among the nodes that fit")
        ClusterSettings.@Nullable Scoring scoring,
    @Schema(description = "Period when the cluster may be used. Null for always")
        @Nullable WindowRequest window,
    @Schema(description = "Whether running jobs are moved so that a waiting job fits")
        ClusterSettings.@Nullable Consolidation consolidation,
    @Schema(
            description =
                "URL at which its pods reach Fairlead, such as"
                    + " https://fairlead.example.com. Null for none")
        @JsonDeserialize(using = Address.class)
        @Nullable String callback,
    @Schema(
            description =
                "Prometheus with the GPU use of its pods and the faults of its GPUs. Null for none")
        @Nullable PrometheusRequest prometheus,
    @Schema(
            description =
                "Labels and taints for pools and quarantines on its nodes. NEVER removes existing ones")
        ClusterSettings.@Nullable NodeLabelPolicy nodeLabelsAndTaints,
    @Schema(description = "Gateway that routes the requests of model services. Null for none")
        @Nullable GatewayRequest gateway,
    @Schema(
            description =
                "Scheduler that chooses the nodes of pods. Fairlead chooses them when absent")
        @Nullable BackendRequest backend,
    @Schema(
            description =
                "Form of requests for whole GPUs. Extended resources when absent. Cannot be"
                    + " changed while the cluster runs attempts")
        @Nullable DevicesRequest devices)
    implements ClusterFields, RequestRules {
  @Override
  public void check(Fields given) {
    checkSettings(given);
  }

  /** Reports a connection that a cluster of this kind cannot have. */
  void check(Fields given, ClusterKind kind) {
    if (connection != null) {
      given.get("connection").flatMap(Value::fields).ifPresent(c -> connection.check(c, kind));
    }
  }

  /**
   * @param fields names of the fields in the request
   */
  ClusterChange change(ClusterKind kind, List<String> fields) {
    return new ClusterChange(
        state == null ? null : state.event(),
        kubeconfig,
        connection == null ? null : connection.connection(kind),
        capacity(),
        prices(),
        settings(),
        fields);
  }

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
