package dev.fairlead.fleet.limit.service;

import io.swagger.v3.oas.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** Limits of a tenant or of a project, as the API returns them. */
@Schema(name = "LimitsResponse")
public record LimitsView(
    @Schema(description = "Name of the tenant") String tenant,
    @Schema(description = "Name of the project. Null for the tenant itself")
        @Nullable String project,
    @Schema(description = "Limits that were set here. Null uses the default of the platform")
        Limits set,
    @Schema(
            description =
                "Effective limits: for a project, the smaller of its own and its tenant's limit."
                    + " Null means unlimited")
        Limits effective,
    @Schema(description = "Version of the limits that were set, or 0 before any was set")
        long version) {}
