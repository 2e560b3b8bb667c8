package dev.fairlead.fleet.limit.service;

import dev.fairlead.fleet.limit.Limit;
import io.soabase.recordbuilder.core.RecordBuilder;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Null;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Limits by name, in requests and in responses. In a change, null restores the default. */
@RecordBuilder
@Schema(name = "Limits")
public record Limits(
    @Schema(description = "Jobs that have not ended, 1 to 10000000") @Min(1) @Max(10_000_000)
        @Nullable Long activeJobs,
    @Schema(description = "Projects of a tenant, 1 to 100000")
        @Min(1)
        @Max(100_000)
        @Null(groups = OfProject.class, message = OF_TENANTS)
        @Nullable Long projects,
    @Schema(
            description =
                "Reads in a minute, and changes in a minute, of all callers together, 1 to"
                    + " 100000000")
        @Min(1)
        @Max(100_000_000)
        @Nullable Long requestsPerMinute,
    @Schema(description = "Bytes of one job's spec, 1024 to 65536") @Min(1024) @Max(65_536)
        @Nullable Long specBytes,
    @Schema(description = "Elements of one array job, 1 to 10000") @Min(1) @Max(10_000)
        @Nullable Long arrayElements,
    @Schema(
            description =
                "Maximum maxRuntime in seconds, which every job must then set, 1 to 31536000")
        @Min(1)
        @Max(31_536_000)
        @Nullable Long maxRuntimeSeconds,
    @Schema(
            description =
                "Days for which decisions about the jobs of a tenant are retained, 30 to 3660")
        @Min(30)
        @Max(3_660)
        @Null(groups = OfProject.class, message = OF_TENANTS)
        @Nullable Long decisionDays,
    @Schema(description = "MiB of stored code per project, 1 to 10000000") @Min(1) @Max(10_000_000)
        @Nullable Long workdirMiB,
    @Schema(
            description =
                "Sessions of exec and port-forward that are open on one replica, 0 to 10000. 0"
                    + " permits none")
        @Min(0)
        @Max(10_000)
        @Nullable Long sessions) {
  private static final String OF_TENANTS = "is a limit of tenants, not of projects";

  /** Constraints of the limits of a project. */
  public interface OfProject {}

  static Limits of(SortedMap<Limit, Long> values) {
    return LimitsBuilder.builder()
        .activeJobs(values.get(Limit.ACTIVE_JOBS))
        .projects(values.get(Limit.PROJECTS))
        .requestsPerMinute(values.get(Limit.REQUESTS_PER_MINUTE))
        .specBytes(values.get(Limit.SPEC_BYTES))
        .arrayElements(values.get(Limit.ARRAY_ELEMENTS))
        .maxRuntimeSeconds(values.get(Limit.MAX_RUNTIME))
        .decisionDays(values.get(Limit.DECISION_DAYS))
        .workdirMiB(values.get(Limit.WORKDIR_MIB))
        .sessions(values.get(Limit.SESSIONS))
        .build();
  }

  /** Returns the limits that are not null. */
  public SortedMap<Limit, Long> values() {
    SortedMap<Limit, Long> values = new TreeMap<>();
    put(values, Limit.ACTIVE_JOBS, activeJobs);
    put(values, Limit.PROJECTS, projects);
    put(values, Limit.REQUESTS_PER_MINUTE, requestsPerMinute);
    put(values, Limit.SPEC_BYTES, specBytes);
    put(values, Limit.ARRAY_ELEMENTS, arrayElements);
    put(values, Limit.MAX_RUNTIME, maxRuntimeSeconds);
    put(values, Limit.DECISION_DAYS, decisionDays);
    put(values, Limit.WORKDIR_MIB, workdirMiB);
    put(values, Limit.SESSIONS, sessions);
    return values;
  }

  private static void put(SortedMap<Limit, Long> values, Limit limit, @Nullable Long value) {
    if (value != null) {
      values.put(limit, value);
    }
  }
}
