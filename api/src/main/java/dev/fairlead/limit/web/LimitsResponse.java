package dev.fairlead.limit.web;

import dev.fairlead.limit.Limit;
import dev.fairlead.limit.service.LimitsView;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * What a tenant or a project may ask of the service.
 *
 * @param tenant name
 * @param project name; null for the tenant itself
 * @param set what was set here; null has the default of the platform
 * @param effective what holds: for a project, the smaller of its own and its tenant's; null is not
 *     limited
 * @param version 0 before any was set
 */
record LimitsResponse(
    String tenant, @Nullable String project, Values set, Values effective, long version) {
  /** Limits; in a change, null goes back to the default. */
  @Schema(name = "Limits")
  record Values(
      @Schema(description = "Jobs that have not ended, 1 to 10000000") @Nullable Long activeJobs,
      @Schema(description = "Projects, 1 to 100000; of a tenant only") @Nullable Long projects,
      @Schema(
              description =
                  "Reads in a minute, and changes in a minute, of all callers together, 1 to"
                      + " 100000000")
          @Nullable Long requestsPerMinute,
      @Schema(description = "Bytes of one job's spec, 1024 to 65536") @Nullable Long specBytes,
      @Schema(description = "Elements of one array job, 1 to 10000") @Nullable Long arrayElements,
      @Schema(
              description =
                  "Seconds of the maxRuntime that every job then has to give, 1 to 31536000")
          @Nullable Long maxRuntimeSeconds,
      @Schema(
              description =
                  "Days for which decisions about jobs are kept, 30 to 3660; of a tenant only")
          @Nullable Long decisionDays) {
    static Values of(SortedMap<Limit, Long> values) {
      return new Values(
          values.get(Limit.ACTIVE_JOBS),
          values.get(Limit.PROJECTS),
          values.get(Limit.REQUESTS_PER_MINUTE),
          values.get(Limit.SPEC_BYTES),
          values.get(Limit.ARRAY_ELEMENTS),
          values.get(Limit.MAX_RUNTIME),
          values.get(Limit.DECISION_DAYS));
    }
  }

  static LimitsResponse of(LimitsView view) {
    return new LimitsResponse(
        view.tenant(),
        view.project(),
        Values.of(view.set().values()),
        Values.of(view.effective()),
        view.set().version());
  }
}
