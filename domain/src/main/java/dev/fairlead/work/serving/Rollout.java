package dev.fairlead.work.serving;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The change from the stable version to another one.
 *
 * @param target number of the new version
 * @param judged whether it passes the steps. A rollback and a promotion by a user do not
 * @param step index of the current step
 * @param share traffic of the target in percent that was granted
 * @param since start of the phase
 * @param test null before the target gets traffic
 * @param reason why it is in this phase
 * @param pause null while its steps continue. A paused rollout is still judged
 */
@RecordBuilder
public record Rollout(
    int target,
    boolean judged,
    int step,
    int share,
    RolloutPhase phase,
    Instant since,
    @Nullable CanaryTest test,
    String reason,
    @Nullable Pause pause)
    implements RolloutBuilder.With {
  /** Time and author of a pause. */
  public record Pause(Instant since, String by) {}

  /** Its steps begin when replicas of the target are ready. */
  static Rollout to(int target, boolean judged, Instant now) {
    return RolloutBuilder.builder()
        .target(target)
        .judged(judged)
        .step(0)
        .share(0)
        .phase(RolloutPhase.WAITING_FOR_REPLICAS)
        .since(now)
        .test(null)
        .reason("it begins")
        .pause(null)
        .build();
  }

  public boolean open() {
    return phase.open();
  }

  public boolean paused() {
    return pause != null;
  }

  /** Without more steps, all traffic moves once enough replicas are ready. */
  Rollout unjudged(Instant now, String why) {
    return with()
        .judged(false)
        .pause(null)
        .phase(RolloutPhase.WAITING_FOR_REPLICAS)
        .since(now)
        .reason(why)
        .build();
  }

  Rollout ended(RolloutPhase as, Instant now, String why) {
    return with()
        .share(as == RolloutPhase.PROMOTED ? 100 : 0)
        .pause(null)
        .phase(as)
        .since(now)
        .reason(why)
        .build();
  }

  Rollout observing(int percent, CanaryTest from, Instant now) {
    return with()
        .share(percent)
        .phase(RolloutPhase.OBSERVING)
        .since(now)
        .test(from)
        .reason("the step begins")
        .build();
  }

  Rollout next(Instant now, String why) {
    return with()
        .step(step + 1)
        .phase(RolloutPhase.WAITING_FOR_REPLICAS)
        .since(now)
        .reason(why)
        .build();
  }

  /** Returns the rollout in another phase of the same step. */
  Rollout in(RolloutPhase other, @Nullable CanaryTest latest, String why) {
    return with().phase(other).test(latest).reason(why).build();
  }
}
