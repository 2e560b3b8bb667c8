package dev.fairlead.money.efficiency;

import dev.fairlead.people.tenant.IdlePolicy;
import java.time.Duration;
import java.time.Instant;

/** Due action for an attempt that does not use its GPUs. */
public enum IdleStep {
  NOTHING,
  /** Its owner is warned. */
  WARN,
  /** Its job is suspended. */
  RECLAIM;

  /** Maximum age of a relevant sample. */
  public static final Duration FRESH = Duration.ofMinutes(2);

  /**
   * The due action. Idle time ends with the last sample, so silence neither warns nor reclaims. A
   * job is suspended only if its warning announced that time. Under a new or stricter policy it is
   * warned again.
   *
   * @param row row of a job that the policy does not exempt
   */
  public static IdleStep of(Efficiency row, IdlePolicy policy, Instant now) {
    Instant since = row.idleSince();
    boolean fresh = !row.sampledAt().isBefore(now.minus(FRESH));
    if (since == null || !fresh) {
      return NOTHING;
    }
    Duration idle = Duration.between(since, row.sampledAt());
    if (idle.compareTo(policy.warnAfter()) < 0) {
      return NOTHING;
    }
    Efficiency.Warning warning = row.warning();
    if (warning == null) {
      return WARN;
    }
    Duration reclaim = policy.reclaimAfter();
    if (reclaim == null || row.reclaimed() != null) {
      return NOTHING;
    }
    if (!warning.foretells(reclaim)) {
      return WARN;
    }
    Instant earliest = warning.at().plus(reclaim.minus(policy.warnAfter()));
    return idle.compareTo(reclaim) < 0 || now.isBefore(earliest) ? NOTHING : RECLAIM;
  }
}
