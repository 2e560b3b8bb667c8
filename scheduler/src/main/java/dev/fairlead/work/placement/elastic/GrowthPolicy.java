package dev.fairlead.work.placement.elastic;

import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.member.Member;
import java.time.Duration;
import java.time.Instant;

/**
 * Defines how long a gang rests before it grows again, so that it does not alternate between
 * growing and shrinking.
 *
 * @param rest time after members began to leave, doubled for each further time that new members did
 *     not start
 * @param most maximum number of doublings
 */
record GrowthPolicy(Duration rest, int most) {
  static final GrowthPolicy DEFAULT = new GrowthPolicy(Duration.ofMinutes(5), 4);

  boolean rested(Attempt attempt, Instant asOf) {
    Instant last = null;
    for (Member member : attempt.left()) {
      Member.Standing standing = member.standing();
      if (standing != null && (last == null || standing.since().isAfter(last))) {
        last = standing.since();
      }
    }
    long failures =
        attempt.left().stream()
            .filter(m -> m.startedAt() == null && m.standing() != null)
            .map(Member::standing)
            .distinct()
            .count();
    int doublings = Math.clamp(failures - 1, 0, most);
    return last == null || !asOf.isBefore(last.plus(rest.multipliedBy(1L << doublings)));
  }
}
