package dev.fairlead.work.job.web;

import dev.fairlead.work.job.JobState;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Selects the jobs to cancel, with their expected number. */
@Schema(name = "BulkCancelRequest")
record BulkCancelRequest(
    Filter filter,
    @Schema(
            description =
                "Expected number of jobs, 0 to 1,000. Nothing is cancelled if the number"
                    + " differs")
        int expectedCount) {
  /** The filter of the list of jobs as a body. An absent field matches all jobs. */
  @Schema(name = "BulkFilterRequest")
  record Filter(
      @Nullable String project,
      @Schema(description = "States to cancel. Default: all states that allow a cancel")
          @Nullable List<JobState> state,
      @Nullable List<String> queue,
      @Nullable String user,
      @Nullable String name,
      @Nullable Map<String, String> labels,
      @Schema(description = "A time, or a duration before now") @Nullable String createdAfter,
      @Schema(
              description =
                  "A time, or a duration before now. Jobs that are submitted later are not"
                      + " cancelled")
          @Nullable String createdBefore) {}
}
