package dev.fairlead.work.workload.web;

import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.constraints.Size;
import java.util.List;

/** An operator's confirmation. */
@Schema(name = "ConfirmDeadRequest")
record ConfirmDeadRequest(
    @Schema(description = "Members whose processes no longer run, such as worker-0")
        @Size(min = 1, max = 10_000, message = "must name at least one member")
        List<@Size(min = 1, max = 40) String> members,
    @Schema(description = "Evidence of the death, recorded in the audit log")
        @Size(min = 1, max = 500)
        String reason) {}
