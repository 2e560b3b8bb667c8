package dev.fairlead.work.serving.web;

import dev.fairlead.kernel.body.RequestRules;
import dev.fairlead.work.serving.Idleness;
import dev.fairlead.work.serving.LoadTarget;
import dev.fairlead.work.serving.ModelService;
import dev.fairlead.work.serving.service.AppliedService;
import dev.fairlead.work.serving.service.ModelServiceView;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Size;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;
import org.jspecify.annotations.Nullable;

/** The target load of one replica. */
@Schema(name = "ServiceScaleRequest")
record ScaleRequest(
    @Schema(
            requiredMode = Schema.RequiredMode.NOT_REQUIRED,
            description =
                "RPS for answered requests per second, CONCURRENCY for requests in flight, LATENCY"
                    + " for the mean latency in milliseconds. With a runtime that has the metric"
                    + " also QUEUE for requests that wait in the servers, and KV_CACHE for the used"
                    + " percent of the KV cache. Default: the metric of the runtime. Required"
                    + " without a runtime")
        LoadTarget.Metric metric,
    @Schema(description = "Load of one replica in the unit of the metric")
        @Min(1)
        @Max(LoadTarget.MOST)
        Integer target,
    @Schema(
            implementation = String.class,
            description =
                "Time for which fewer replicas must have been sufficient before replicas are"
                    + " stopped, 2m to 1h, 5m by default")
        @DurationMin(minutes = 2)
        @DurationMax(hours = 1)
        @Nullable Duration downAfter) {
  static final String IDLE_AFTER =
      "Time without requests after which a service with minReplicas 0 stops its replicas, 2m to 7d,"
          + " 15m by default. Set it longer than the longest response, because only answered"
          + " requests are counted";

  LoadTarget rule() {
    return new LoadTarget(
        metric, target, downAfter == null ? LoadTarget.DEFAULT_DOWN_AFTER : downAfter);
  }

  /** Reason why the maximum is too small for a rollout, or empty if it suffices. */
  static Optional<String> room(int floor, @Nullable Integer most) {
    return most == null || most > Math.max(1, floor)
        ? Optional.empty()
        : Optional.of(
            "must be above minReplicas, which is %d, and at least 2: a rollout needs spare replicas"
                .formatted(floor));
  }

  /** The default of maxReplicas. */
  static int most(int floor) {
    return 2 * Math.max(1, floor);
  }

  /** Reason why the service never sleeps, or empty when it may or has no such time. */
  static Optional<String> awake(int floor, @Nullable Duration idleAfter) {
    return idleAfter == null || floor == 0
        ? Optional.empty()
        : Optional.of(
            "needs minReplicas 0, which is %d: the service never sleeps".formatted(floor));
  }

  static @Nullable Duration idle(int floor, @Nullable Duration idleAfter) {
    return floor > 0 ? null : idleAfter == null ? Idleness.DEFAULT_AFTER : idleAfter;
  }

  /** Other numbers of replicas. */
  @Schema(name = "UpdateModelServiceRequest")
  record Update(
      @Schema(description = "Minimum number of ready replicas, which are not preemptible")
          @Min(0)
          @Max(ModelService.MOST_REPLICAS)
          @Nullable Integer minReplicas,
      @Schema(description = "Maximum number of replicas of all versions together")
          @Min(2)
          @Max(2 * ModelService.MOST_REPLICAS)
          @Nullable Integer maxReplicas,
      @Schema(
              description =
                  "Target load of one replica. The number of replicas follows it. Null for"
                      + " minReplicas")
          @Valid
          @Nullable ScaleRequest scale,
      @Schema(description = FloorRequest.FLOORS) @Size(max = ModelService.MOST_FLOORS)
          @Nullable List<@Valid FloorRequest> floors,
      @Schema(
              implementation = String.class,
              description = IDLE_AFTER + ". A patch to another minReplicas removes it")
          @DurationMin(minutes = 2)
          @DurationMax(days = 7)
          @Nullable Duration idleAfter)
      implements RequestRules {
    @Override
    public SortedMap<String, String> conflicts(SortedSet<String> given) {
      SortedMap<String, String> conflicts = new TreeMap<>();
      if (minReplicas != null) {
        room(minReplicas, maxReplicas).ifPresent(why -> conflicts.put("maxReplicas", why));
      }
      FloorRequest.objection(floors, most()).ifPresent(why -> conflicts.put("floors", why));
      return conflicts;
    }

    /** The current numbers, in the form of a request. */
    static SortedMap<String, Object> fields(ModelServiceView now) {
      SortedMap<String, Object> fields = new TreeMap<>();
      fields.put("minReplicas", now.minReplicas());
      fields.put("maxReplicas", now.maxReplicas());
      ModelServiceView.ScaleView scale = now.scale();
      if (scale != null) {
        SortedMap<String, Object> rule = new TreeMap<>();
        rule.put("metric", scale.metric().name());
        rule.put("target", scale.target());
        rule.put("downAfter", scale.downAfter());
        fields.put("scale", rule);
      }
      fields.put("floors", now.floors().stream().map(FloorRequest::fields).toList());
      ModelServiceView.IdleView idle = now.idle();
      if (idle != null) {
        fields.put("idleAfter", idle.after());
      }
      return fields;
    }

    /** A number that the patch removes has its default. */
    AppliedService.Scale scaled() {
      return new AppliedService.Scale(
          floor(),
          most(),
          scale == null ? null : scale.rule(),
          FloorRequest.floors(floors),
          idle(floor(), idleAfter));
    }

    private int floor() {
      return minReplicas == null ? 1 : minReplicas;
    }

    private int most() {
      return maxReplicas == null ? ScaleRequest.most(floor()) : maxReplicas;
    }
  }
}
