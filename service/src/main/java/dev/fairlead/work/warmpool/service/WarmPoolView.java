package dev.fairlead.work.warmpool.service;

import io.swagger.v3.oas.annotations.media.Schema;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A warm pool, as the API returns it. */
@Schema(name = "WarmPoolResponse")
public record WarmPoolView(
    @Schema(description = "Name of the pool, a DNS label") String name,
    @Schema(description = "Name of the project") String project,
    @Schema(description = "Number of sessions that the pool should have") int members,
    @Schema(description = "Number of sessions that run and can be taken") int ready,
    @Schema(
            description =
                "Reason why fewer sessions can be taken than the pool should have, null if none is"
                    + " missing, and in the response to a change")
        @Nullable String reason,
    @Schema(description = "Whether its last sessions are being cancelled") boolean deleting,
    @Schema(description = "Session as in POST /jobs, without name and dependsOn")
        Map<String, Object> job,
    @Schema(description = "Version of the pool, 0 for a preview of a new pool") long version) {
  boolean isShort() {
    return !deleting && ready < members;
  }

  WarmPoolView because(@Nullable String why) {
    return new WarmPoolView(name, project, members, ready, why, deleting, job, version);
  }
}
