package dev.fairlead.work.job.web.spec;

import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A merge patch of a job; what is absent stays, null removes. */
@Schema(name = "PatchJobRequest")
public record PatchJobRequest(
    @Schema(description = "One of low, normal, high and urgent") @Nullable String priorityClass,
    @Schema(description = "Merged by key; null removes one") @Nullable Map<String, String> labels,
    @Schema(description = "For example 48h; null for no limit") @Nullable String maxRuntime,
    @Schema(description = "When it has to be over; null for none") @Nullable Instant deadline,
    @Schema(
            description =
                "How many it wants, at least minWorkers; a running elastic job grows or shrinks")
        @Nullable Integer workers) {}
