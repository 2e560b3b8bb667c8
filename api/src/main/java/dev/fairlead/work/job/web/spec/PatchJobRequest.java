package dev.fairlead.work.job.web.spec;

import dev.fairlead.kernel.body.FieldReader;
import dev.fairlead.kernel.body.Labels;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.work.spec.PriorityClass;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.annotation.JsonDeserialize;

/** A merge patch of a job. Absent fields are unchanged, and null removes a field. */
@Schema(name = "PatchJobRequest")
public record PatchJobRequest(
    @Schema(
            implementation = String.class,
            description = "Priority class: low, normal, high or urgent",
            allowableValues = {"low", "normal", "high", "urgent"})
        @JsonDeserialize(using = PriorityReader.class)
        @Nullable PriorityClass priorityClass,
    @Schema(description = "Labels, merged by key. Null removes a label")
        @JsonDeserialize(using = LabelChanges.class)
        @Nullable SortedMap<String, String> labels,
    @Schema(
            implementation = String.class,
            description = "Maximum run time of an attempt, such as 48h. Null for no limit")
        @DurationMin(seconds = 1)
        @DurationMax(days = 365)
        @Nullable Duration maxRuntime,
    @Schema(description = "Latest end of the job. Null for none") @Nullable Instant deadline,
    @Schema(
            description =
                "Number of workers, at least minWorkers. A running elastic job grows or"
                    + " shrinks")
        @Min(1)
        @Max(RoleRequest.MOST_MEMBERS)
        @Nullable Integer workers) {
  /** Reads a priority class by its name in requests. */
  static final class PriorityReader extends FieldReader<PriorityClass> {
    @Override
    protected Optional<PriorityClass> read(Value value) {
      return value.named(Arrays.asList(PriorityClass.values()), PriorityClass::wire);
    }
  }

  /** Reads new values of labels. A null removes a label. */
  static final class LabelChanges extends FieldReader<SortedMap<String, String>> {
    @Override
    protected Optional<SortedMap<String, String>> read(Value value) {
      SortedMap<String, String> changes = new TreeMap<>();
      value
          .entries(Integer.MAX_VALUE)
          .forEach((key, given) -> {
            if (!given.isNothing() && Labels.key(key, given)) {
              Labels.value(given).ifPresent(text -> changes.put(key, text));
            }
          });
      return Optional.of(changes);
    }
  }
}
