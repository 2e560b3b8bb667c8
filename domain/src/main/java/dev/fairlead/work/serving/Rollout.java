package dev.fairlead.work.serving;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The change from the stable version to another one.
 *
 * @param target number of the other version
 * @param judged whether it passes the steps. A rollback and a promotion by a user do not
 * @param step index of the present step
 * @param share traffic of the target in percent that was granted
 * @param since start of the phase
 * @param test null before the target gets traffic
 * @param reason why it is in this phase
 */
public record Rollout(
    int target,
    boolean judged,
    int step,
    int share,
    RolloutPhase phase,
    Instant since,
    @Nullable CanaryTest test,
    String reason) {
  /** Its steps begin when replicas of the target are ready. */
  static Rollout to(int target, boolean judged, Instant now) {
    return new Rollout(
        target, judged, 0, 0, RolloutPhase.WAITING_FOR_REPLICAS, now, null, "it begins");
  }

  public boolean open() {
    return phase.open();
  }

  /** Without further steps: all traffic moves as soon as replicas are ready for it. */
  Rollout unjudged(Instant now, String why) {
    return new Rollout(
        target, false, step, share, RolloutPhase.WAITING_FOR_REPLICAS, now, test, why);
  }

  Rollout ended(RolloutPhase as, Instant now, String why) {
    return new Rollout(
        target, judged, step, as == RolloutPhase.PROMOTED ? 100 : 0, as, now, test, why);
  }

  Rollout observing(int percent, CanaryTest from, Instant now) {
    return new Rollout(
        target, judged, step, percent, RolloutPhase.OBSERVING, now, from, "the step begins");
  }

  Rollout next(Instant now) {
    return new Rollout(
        target,
        judged,
        step + 1,
        share,
        RolloutPhase.WAITING_FOR_REPLICAS,
        now,
        test,
        "the step before was good");
  }

  /** In another phase of the same step. */
  Rollout in(RolloutPhase other, @Nullable CanaryTest latest, String why) {
    return new Rollout(target, judged, step, share, other, since, latest, why);
  }
}
