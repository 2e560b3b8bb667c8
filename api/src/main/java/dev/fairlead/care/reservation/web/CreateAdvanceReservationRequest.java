package dev.fairlead.care.reservation.web;

import dev.fairlead.care.reservation.AdvanceReservation;
import dev.fairlead.care.reservation.AdvanceReservationPurpose;
import dev.fairlead.care.reservation.service.AdvanceReservationOrder;
import dev.fairlead.fleet.node.window.LeftoverPolicy;
import dev.fairlead.kernel.body.DnsLabel;
import dev.fairlead.kernel.body.Names;
import dev.fairlead.kernel.body.RequestRules;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Size;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;
import org.jspecify.annotations.Nullable;

/**
 * An advance reservation of named nodes, or of a number of nodes of a cluster, pool and model: the
 * least loaded nodes that are in service and not reserved at that time.
 */
record CreateAdvanceReservationRequest(
    @Schema(description = "DNS label, unique among advance reservations that have not ended")
        @DnsLabel
        String name,
    @Schema(
            description =
                "PROJECT: only jobs of the project start on the nodes. MAINTENANCE: no job does")
        AdvanceReservationPurpose purpose,
    @Schema(description = "Name of the project's tenant. The caller's tenant by default")
        @Size(min = 1, max = Names.LONGEST_LABEL)
        @Nullable String tenant,
    @Schema(description = "Name of the project. Not allowed with MAINTENANCE")
        @Size(min = 1, max = Names.LONGEST_LABEL)
        @Nullable String project,
    @Schema(description = "At most 366 days from now. Now by default") @Nullable Instant start,
    @Schema(description = "End of the period (exclusive), at most 366 days after the start")
        @Nullable Instant end,
    @Schema(
            implementation = String.class,
            description = "Length of the period instead of its end, at most 366 days")
        @DurationMin(seconds = 1)
        @DurationMax(days = 366)
        @Nullable Duration duration,
    @Schema(description = "Names or ids of nodes, at most 1,000")
        @Size(min = 1, max = AdvanceReservation.MOST_NODES)
        @Nullable List<@Size(min = 1, max = Names.LONGEST_SUBDOMAIN) String> nodes,
    @Schema(description = "Id or name of the cluster. With nodes, the cluster of their names")
        @Size(min = 1, max = Names.LONGEST_LABEL)
        @Nullable String cluster,
    @Schema(description = "Name of a pool") @Size(min = 1, max = Names.LONGEST_LABEL)
        @Nullable String pool,
    @Schema(description = "GPU model of the nodes") @Size(min = 1, max = Names.LONGEST_LABEL)
        @Nullable String model,
    @Schema(description = "Number of nodes instead of their names, 1 to 1,000")
        @Min(1)
        @Max(AdvanceReservation.MOST_NODES)
        @Nullable Integer count,
    @Schema(
            description =
                "Action on other jobs that still run at the start. FINISH: they run to"
                    + " their end. EVICT: preemptible jobs are stopped and queued again. FINISH by"
                    + " default",
            allowableValues = {"FINISH", "EVICT"})
        @Nullable LeftoverPolicy leftoverPolicy,
    @Schema(description = "Human-readable reason, at most 500 characters") @Size(min = 1, max = 500)
        @Nullable String reason)
    implements AdvanceReservationOrder, RequestRules {
  private static final String MISSING_END = "is missing: give end or duration";
  private static final String TWO_ENDS = "and duration are mutually exclusive: remove one";

  @Override
  public SortedMap<String, String> conflicts(SortedSet<String> given) {
    SortedMap<String, String> conflicts = new TreeMap<>();
    ofPurpose(given, conflicts);
    if (given.contains("end") == given.contains("duration")) {
      conflicts.put("end", given.contains("end") ? TWO_ENDS : MISSING_END);
    }
    if (given.contains("nodes") == given.contains("count")) {
      conflicts.put(
          "nodes",
          given.contains("nodes")
              ? "and count are mutually exclusive: remove one"
              : "is missing: name the nodes, or set count with cluster, pool or model");
    } else if (given.contains("count")
        && !given.contains("cluster")
        && !given.contains("pool")
        && !given.contains("model")) {
      conflicts.put("count", "needs a selection: set cluster, pool or model");
    }
    if (leftoverPolicy == LeftoverPolicy.EXTEND_UP_TO) {
      conflicts.put("leftoverPolicy", "must be FINISH or EVICT");
    }
    return conflicts;
  }

  private void ofPurpose(SortedSet<String> given, SortedMap<String, String> conflicts) {
    if (purpose == AdvanceReservationPurpose.PROJECT && !given.contains("project")) {
      conflicts.put("project", "is missing: name the project of a PROJECT advance reservation");
    }
    for (String field : List.of("project", "tenant")) {
      if (purpose == AdvanceReservationPurpose.MAINTENANCE && given.contains(field)) {
        conflicts.put(field, "does not apply to MAINTENANCE: remove the field");
      }
    }
  }
}
