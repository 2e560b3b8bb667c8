package dev.fairlead.work.warmpool.service;

import io.swagger.v3.oas.annotations.media.Schema;
import java.util.Map;

/** A warm pool, as the API returns it. */
@Schema(name = "WarmPoolResponse")
public record WarmPoolView(
    @Schema(description = "Name of the pool, a DNS label") String name,
    @Schema(description = "Name of the project") String project,
    @Schema(description = "Number of sessions that the pool should have") int members,
    @Schema(description = "Number of sessions that run and can be taken") int ready,
    @Schema(description = "Whether its last sessions are being cancelled") boolean deleting,
    @Schema(description = "Session as in POST /jobs, without name and dependsOn")
        Map<String, Object> job,
    @Schema(description = "Version of the pool, 0 for a preview of a new pool") long version) {}
