package dev.fairlead.work.serving.web;

import dev.fairlead.fleet.node.window.RecurringWindow;
import dev.fairlead.work.serving.ModelService;
import dev.fairlead.work.serving.service.ModelServiceView;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Size;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;
import org.jspecify.annotations.Nullable;

/** A higher floor while a recurring window is open. */
@Schema(name = "ServiceFloorRequest")
record FloorRequest(
    @Schema(description = "Start times of the window as a cron expression, such as 0 8 * * 1-5")
        @Size(min = 1, max = 200)
        String cron,
    @Schema(implementation = String.class, description = "Length of the window in whole minutes")
        @DurationMin(minutes = 1)
        @DurationMax(days = 31)
        Duration duration,
    @Schema(description = "IANA time zone of cron, such as Europe/Berlin") @Size(min = 1, max = 64)
        String timezone,
    @Schema(description = "Minimum number of replicas while the window is open, below maxReplicas")
        @Min(1)
        @Max(ModelService.MOST_REPLICAS)
        Integer replicas) {
  static final String FLOORS =
      "Times with a minimum number of replicas above minReplicas. While the window of an item is"
          + " open, the service has at least that many replicas, which are not preemptible";

  private ModelService.Floor floor() {
    return new ModelService.Floor(cron, duration, timezone, replicas);
  }

  static List<ModelService.Floor> floors(@Nullable List<FloorRequest> given) {
    return given == null ? List.of() : given.stream().map(FloorRequest::floor).toList();
  }

  /** Reason why the floors are invalid, empty when they are valid. Refused values are skipped. */
  static Optional<String> objection(@Nullable List<FloorRequest> given, int most) {
    List<FloorRequest> floors = given == null ? List.of() : given;
    for (int i = 0; i < floors.size(); i++) {
      Optional<String> why = floors.get(i).objection(most);
      if (why.isPresent()) {
        return Optional.of("has an invalid item %d: %s".formatted(i, why.get()));
      }
    }
    return Optional.empty();
  }

  @SuppressWarnings("ConstantValue") // the component of a refused value is null
  private Optional<String> objection(int most) {
    if (cron == null || duration == null || timezone == null || replicas == null) {
      return Optional.empty();
    }
    if (duration.toSecondsPart() != 0 || duration.toMillisPart() != 0) {
      return Optional.of("duration must be whole minutes");
    }
    if (replicas >= most) {
      return Optional.of(
          "replicas must be below maxReplicas, which is %d: a rollout needs spare replicas"
              .formatted(most));
    }
    try {
      RecurringWindow _ = floor().window();
      return Optional.empty();
    } catch (IllegalArgumentException wrong) {
      return Optional.of("the window " + wrong.getMessage());
    }
  }

  /** A current floor, in the form of a request. */
  static SortedMap<String, Object> fields(ModelServiceView.FloorView now) {
    SortedMap<String, Object> fields = new TreeMap<>();
    fields.put("cron", now.cron());
    fields.put("duration", now.duration());
    fields.put("timezone", now.timezone());
    fields.put("replicas", now.replicas());
    return fields;
  }
}
