package dev.fairlead.front;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The status of a Job on its front cluster.
 *
 * @param conditions including those of other controllers
 * @param service status of a ModelService, null for others
 */
@RecordBuilder
public record FrontStatus(
    int active,
    int ready,
    int succeeded,
    int failed,
    @Nullable Instant startTime,
    @Nullable Instant completionTime,
    List<FrontCondition> conditions,
    @Nullable ServiceStatus service)
    implements FrontStatusBuilder.With {
  /** Status of a Job that was never examined. */
  public static final FrontStatus NEW =
      FrontStatusBuilder.builder()
          .active(0)
          .ready(0)
          .succeeded(0)
          .failed(0)
          .startTime(null)
          .completionTime(null)
          .conditions(List.of())
          .service(null)
          .build();

  public FrontStatus {
    conditions = List.copyOf(conditions);
  }

  public Optional<FrontCondition> condition(String type) {
    return conditions.stream().filter(one -> one.type().equals(type)).findFirst();
  }

  public boolean is(String type) {
    return condition(type).filter(FrontCondition::is).isPresent();
  }

  /**
   * Returns whether the status reports a final Job, after which an API server accepts no other end.
   */
  public boolean finished() {
    return is(FrontCondition.COMPLETE) || is(FrontCondition.FAILED);
  }

  /** Returns the status with this condition. All other conditions retain their order. */
  public FrontStatus with(FrontCondition set) {
    List<FrontCondition> next = new ArrayList<>();
    boolean there = false;
    for (FrontCondition one : conditions) {
      boolean same = one.type().equals(set.type());
      next.add(same ? set.after(one) : one);
      there |= same;
    }
    if (!there) {
      next.add(set);
    }
    return withConditions(next);
  }

  /** Returns the status with other counts. Succeeded and failed never decrease. */
  FrontStatus counting(int nowActive, int nowReady, int nowSucceeded, int nowFailed) {
    return with()
        .active(nowActive)
        .ready(Math.min(nowReady, nowActive))
        .succeeded(Math.max(succeeded, nowSucceeded))
        .failed(Math.max(failed, nowFailed))
        .service(null)
        .build();
  }

  /** Returns the status with that start, unless it already has one. */
  FrontStatus begun(Instant at) {
    return startTime != null ? this : withStartTime(at);
  }

  /** Returns the status as completed, no earlier than its start. */
  FrontStatus completed(Instant at) {
    Instant start = startTime;
    Instant end = start != null && at.isBefore(start) ? start : at;
    return withCompletionTime(end);
  }
}
