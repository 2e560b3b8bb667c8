package dev.fairlead.work.workload.kubernetes;

import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.MemberKey;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * What was told to end, of the newest so many attempts: none of it gets a pod any more, however
 * late a launch of it comes. Not safe for threads by itself.
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

  /** Members that were told so alone. */
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
