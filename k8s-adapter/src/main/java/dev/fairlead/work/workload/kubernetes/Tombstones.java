package dev.fairlead.work.workload.kubernetes;

import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.member.MemberKey;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Attempts and members with an order to end, for a maximum number of newest attempts. No more pods
 * are created for them, even if their launch arrives late. Not thread-safe.
 */
final class Tombstones {
  private final int most;
  private final LinkedHashMap<AttemptId, Ended> ended = new LinkedHashMap<>();

  Tombstones(int most) {
    this.most = most;
  }

  private static final class Ended {
    private final SortedSet<MemberKey> members = new TreeSet<>();
    private boolean whole;
  }

  void all(AttemptId attempt) {
    of(attempt).whole = true;
  }

  void some(AttemptId attempt, Collection<MemberKey> members) {
    of(attempt).members.addAll(members);
  }

  boolean whole(AttemptId attempt) {
    Ended known = ended.get(attempt);
    return known != null && known.whole;
  }

  /** Returns the members with an individual order to end. */
  SortedSet<MemberKey> members(AttemptId attempt) {
    Ended known = ended.get(attempt);
    return known == null ? new TreeSet<>() : known.members;
  }

  private Ended of(AttemptId attempt) {
    Ended known = ended.computeIfAbsent(attempt, a -> new Ended());
    if (ended.size() > most) {
      ended.pollFirstEntry();
    }
    return known;
  }
}
