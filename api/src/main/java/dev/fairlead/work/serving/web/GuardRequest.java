package dev.fairlead.work.serving.web;

import dev.fairlead.work.serving.signal.Guard;
import dev.fairlead.work.serving.signal.Signal;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A further condition of a rollout. */
@Schema(name = "ServiceGuardRequest")
record GuardRequest(
    @Schema(
            description =
                "Name of a metric that the Prometheus of the cluster scrapes from the replicas")
        @Size(min = 1, max = 200)
        @Pattern(regexp = Signal.NAME, message = "must be the name of a metric, without labels")
        String metric,
    @Schema(
            description =
                "SUM, AVG, MAX or RATE (increase per second over the last minute, as a sum) of the"
                    + " replicas of the version. MAX by default")
        Signal.@Nullable Function function,
    @Schema(description = "The version is rolled back above this value") @Nullable Double above,
    @Schema(description = "The version is rolled back below this value") @Nullable Double below) {
  static final String GUARDS =
      "Further conditions of a rollout. A version that violates a guard is rolled back, and a"
          + " step needs"
          + " a current value of each";

  /** Reason why a guard has no valid limit, or empty if each has. */
  static Optional<String> objection(@Nullable List<GuardRequest> given) {
    return given == null
        ? Optional.empty()
        : given.stream().flatMap(each -> each.objection().stream()).findFirst();
  }

  private Optional<String> objection() {
    if (above == null && below == null) {
      return Optional.of("the guard of %s needs above, below or both".formatted(metric));
    }
    return above != null && below != null && below >= above
        ? Optional.of(
            "the guard of %s accepts no value: below must be less than above".formatted(metric))
        : Optional.empty();
  }

  private Guard guard() {
    return new Guard(
        new Signal(function == null ? Signal.Function.MAX : function, metric), above, below);
  }

  static List<Guard> guards(@Nullable List<GuardRequest> given) {
    return given == null ? List.of() : given.stream().map(GuardRequest::guard).toList();
  }
}
