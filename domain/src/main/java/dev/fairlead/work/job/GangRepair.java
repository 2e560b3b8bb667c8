package dev.fairlead.work.job;

import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.spec.GangRepairSpec;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.RoleSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Whether a gang of fixed size lacks a member, and when another may replace it. Derived from the
 * stored members, so a new process continues where another ended. Pure.
 */
public final class GangRepair {
  /**
   * More lost members than this within {@link #WITHIN} may be the job's own doing, so its faults
   * count.
   */
  public static final int MOST = 3;

  public static final Duration WITHIN = Duration.ofHours(1);

  /** Maximum wait of an incomplete gang for a node of the replacement. */
  public static final Duration PATIENCE = Duration.ofSeconds(15);

  private GangRepair() {}

  /** The role with a missing member that will be replaced, empty if none. */
  public static Optional<RoleSpec> lacking(JobSpec spec, Attempt attempt) {
    return spec.gangRepair() == null
        ? Optional.empty()
        : spec.roles().stream().filter(role -> present(attempt, role) < role.count()).findFirst();
  }

  private static long present(Attempt attempt, RoleSpec role) {
    return attempt.members().stream()
        .filter(m -> m.role().equals(role.name()) && !m.leaves())
        .count();
  }

  /** Returns whether all members that the job requests exist, apart from those yet to come. */
  public static boolean whole(JobSpec spec, Attempt attempt) {
    return spec.gangRepair() == null || attempt.core().size() >= spec.members();
  }

  /** Returns whether one more member may be replaced, as often as that was done. */
  public static boolean allowed(JobSpec spec, Attempt attempt, Instant now) {
    GangRepairSpec repair = spec.gangRepair();
    return repair != null
        && attempt.everyMember().size() - spec.members() < repair.max()
        && attempt.goneSince(now.minus(WITHIN)) <= MOST;
  }

  /** The member to replace: the last one ordered to leave. */
  public static Optional<Member> replaced(Attempt attempt) {
    return attempt.everyMember().stream()
        .filter(m -> m.standing() != null && !m.joins())
        .max(Comparator.comparing(GangRepair::since));
  }

  /**
   * End of the wait of an incomplete gang for a node of the replacement, while the lost member may
   * take to end, null if it is complete.
   */
  public static @Nullable Instant waitsUntil(JobSpec spec, Attempt attempt) {
    if (lacking(spec, attempt).isEmpty()) {
      return null;
    }
    Duration grace = spec.preemption().gracePeriod();
    return replaced(attempt)
        .map(m -> since(m).plus(PATIENCE).plus(m.leaves() ? grace : Duration.ZERO))
        .orElse(null);
  }

  private static Instant since(Member member) {
    return Objects.requireNonNull(member.standing()).since();
  }
}
