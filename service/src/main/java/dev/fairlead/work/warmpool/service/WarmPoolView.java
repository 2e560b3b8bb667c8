package dev.fairlead.work.warmpool.service;

import io.soabase.recordbuilder.core.RecordBuilder;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A warm pool, as the API returns it. */
@RecordBuilder
@Schema(name = "WarmPoolResponse")
public record WarmPoolView(
    @Schema(description = "Name of the pool, a DNS label") String name,
    @Schema(description = "Name of the project") String project,
    @Schema(
            description =
                "Number of sessions that the pool should have, or maximum number of Ray clusters")
        int members,
    @Nullable RaySharingView ray,
    @Schema(description = "Number of sessions that can be taken, or of Ray clusters that run")
        int ready,
    @Schema(
            description =
                "Reason why fewer members are ready than the pool should have, null if none is "
                    + "missing and in the response to a change")
        @Nullable String reason,
    @Schema(description = "Whether its last members are being cancelled") boolean deleting,
    @Schema(description = "Session or Ray cluster as in POST /jobs, without name and dependsOn")
        Map<String, Object> job,
    @Schema(description = "Version of the pool, 0 for a preview of a new pool") long version) {
  boolean isShort() {
    return !deleting && ready < (ray == null ? members : ray.needed());
  }

  WarmPoolView because(@Nullable String why) {
    return WarmPoolViewBuilder.builder(this).reason(why).build();
  }

  /** How jobs share the Ray clusters of a pool. */
  @Schema(name = "RaySharingResponse")
  public record RaySharingView(
      @Schema(description = "Number of Ray clusters that remain without jobs") int min,
      @Schema(description = "Maximum number of jobs that run in one Ray cluster") int jobs,
      @Schema(description = "Time without jobs after which a Ray cluster above min is cancelled")
          String idleAfter,
      @Schema(description = "Number of jobs of the pool that have not ended") int active) {
    int needed() {
      return active == 0 ? min : Math.max(min, 1);
    }
  }
}
