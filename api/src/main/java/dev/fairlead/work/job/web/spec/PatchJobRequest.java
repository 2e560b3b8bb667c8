package dev.fairlead.work.job.web.spec;

import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A merge patch of a job. Absent fields are unchanged, and null removes a field. */
@Schema(name = "PatchJobRequest")
public record PatchJobRequest(
    @Schema(description = "Priority class: low, normal, high or urgent")
        @Nullable String priorityClass,
    @Schema(description = "Labels, merged by key. Null removes a label")
        @Nullable Map<String, String> labels,
    @Schema(description = "Maximum run time of an attempt, such as 48h. Null for no limit")
        @Nullable String maxRuntime,
    @Schema(description = "Latest end of the job. Null for none") @Nullable Instant deadline,
    @Schema(
            description =
                "Number of workers, at least minWorkers. A running elastic job grows or"
                    + " shrinks")
        @Nullable Integer workers) {}
