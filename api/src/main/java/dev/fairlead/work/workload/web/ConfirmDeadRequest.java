package dev.fairlead.work.workload.web;

import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;

/** An operator's confirmation. */
@Schema(name = "ConfirmDeadRequest")
record ConfirmDeadRequest(
    @Schema(description = "Members whose processes no longer run, such as worker-0")
        List<String> members,
    @Schema(description = "Evidence of the death, recorded in the audit log") String reason) {}
