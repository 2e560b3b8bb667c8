package dev.fairlead.work.workload.web;

import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;

/** An operator's word. */
@Schema(name = "ConfirmDeadRequest")
record ConfirmDeadRequest(
    @Schema(description = "Members whose processes have ended, such as worker-0")
        List<String> members,
    @Schema(description = "How that is known; goes to the audit") String reason) {}
