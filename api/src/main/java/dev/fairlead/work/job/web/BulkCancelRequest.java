package dev.fairlead.work.job.web;

import dev.fairlead.kernel.body.BodyReader;
import dev.fairlead.kernel.body.FieldReader;
import dev.fairlead.kernel.body.TextFields;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.service.JobBulk;
import dev.fairlead.work.job.store.JobFilter;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Size;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.annotation.JsonDeserialize;

/** Selects the jobs to cancel, with their expected number. */
@Schema(name = "BulkCancelRequest")
record BulkCancelRequest(
    Filter filter,
    @Schema(
            description =
                "Expected number of jobs, 0 to 1,000. Nothing is cancelled if the number"
                    + " differs")
        @Min(0)
        @Max(JobBulk.MOST)
        Integer expectedCount) {
  private static final List<JobState> LIVING =
      List.of(
          JobState.QUEUED,
          JobState.ADMITTED,
          JobState.STARTING,
          JobState.RUNNING,
          JobState.SUSPENDED);
  private static final int LONGEST = 256;
  private static final int MOST_STATES = 5;
  private static final int MOST_QUEUES = 64;
  private static final int MOST_LABELS = 32;

  /** The filter of the list of jobs as a body. An absent field matches all jobs. */
  @Schema(name = "BulkFilterRequest")
  record Filter(
      @Size(min = 1, max = LONGEST) @Nullable String project,
      @Schema(description = "States to cancel. Default: all states that allow a cancel")
          @Size(max = MOST_STATES)
          @JsonDeserialize(contentUsing = Living.class)
          @Nullable List<JobState> state,
      @Size(max = MOST_QUEUES) @Nullable List<@Size(min = 1, max = LONGEST) String> queue,
      @Size(min = 1, max = LONGEST) @Nullable String user,
      @Size(min = 1, max = LONGEST) @Nullable String name,
      @JsonDeserialize(using = LabelTexts.class) @Nullable SortedMap<String, String> labels,
      @Schema(description = "A time, or a duration before now") @Size(min = 1, max = LONGEST)
          @Nullable String createdAfter,
      @Schema(
              description =
                  "A time, or a duration before now. Jobs that are submitted later are not"
                      + " cancelled")
          @Size(min = 1, max = LONGEST)
          @Nullable String createdBefore) {
    JobFilters filters(Function<String, ProjectId> projects) {
      return JobFiltersBuilder.builder()
          .projects(project == null ? null : List.of(projects.apply(project)))
          .states(state == null || state.isEmpty() ? LIVING : state.stream().distinct().toList())
          .queues(Objects.requireNonNullElse(queue, List.of()))
          .user(user)
          .name(JobFilters.name(name, null))
          .labels(labels == null ? Collections.emptySortedMap() : labels)
          .created(new JobFilters.Created(createdAfter, createdBefore))
          .order(JobFilter.Order.NEWEST)
          .build();
    }
  }

  /** Reads a state that allows a cancel. */
  static final class Living extends FieldReader<JobState> {
    @Override
    protected Optional<JobState> read(Value value) {
      return value.choice(LIVING);
    }
  }

  /** Reads labels of any form. A label that no job can have matches nothing. */
  static final class LabelTexts extends TextFields {
    LabelTexts() {
      super(MOST_LABELS, BodyReader.LARGEST, LONGEST);
    }
  }
}
