package dev.fairlead.work.workload.kubernetes;

import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.workload.WorkloadView;
import dev.fairlead.work.workload.judgement.ObservedMember;
import dev.fairlead.work.workload.judgement.ObservedWorkload;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Attempts in the state that the watches show, with the revision of the last change of each.
 * Attempts without remaining objects are remembered for a while, so that readers of changes learn
 * of their end.
 */
final class WorkloadIndex {
  private static final int MOST_ENDED = 20_000;
  private static final long REVISIONS_PER_MILLI = 1000;

  /** Ordered by last change. */
  private final LinkedHashMap<AttemptId, Entry> attempts = new LinkedHashMap<>();

  /** Members that the watch no longer shows and that were not looked up yet. */
  private final Map<Place, Long> missing = new HashMap<>();

  private long leaves;
  private long revision;
  private long forgotten;
  private int ended;

  /**
   * @param nowMillis used in the first revision, so that revisions of an earlier process are
   *     unknown here
   */
  WorkloadIndex(long nowMillis) {
    revision = nowMillis * REVISIONS_PER_MILLI;
    forgotten = revision;
  }

  private record Place(AttemptId attempt, MemberKey member) {}

  private record Entry(ObservedWorkload workload, long revision) {}

  /** Applies the state of a member from the watch. */
  synchronized boolean member(AttemptId attempt, MemberKey key, Optional<ObservedMember> seen) {
    missing.remove(new Place(attempt, key));
    return put(attempt, key, seen);
  }

  /**
   * Adds an explanation to a member, unless the watch has reported another state since the member
   * was read.
   */
  synchronized boolean explained(AttemptId attempt, ObservedMember read, ObservedMember now) {
    return workload(attempt).member(read.key()).filter(read::equals).isPresent()
        && put(attempt, read.key(), Optional.of(now));
  }

  private boolean put(AttemptId attempt, MemberKey key, Optional<ObservedMember> seen) {
    ObservedWorkload before = workload(attempt);
    SortedMap<MemberKey, ObservedMember> members = new TreeMap<>(before.members());
    if (seen.isPresent()) {
      members.put(key, seen.get());
    } else {
      members.remove(key);
    }
    return store(before, new ObservedWorkload(attempt, members, before.others()));
  }

  /**
   * Records that the watch no longer shows the member. Its last state counts until it is read
   * again.
   *
   * @return number that identifies this disappearance
   */
  synchronized long left(AttemptId attempt, MemberKey key) {
    missing.put(new Place(attempt, key), ++leaves);
    return leaves;
  }

  /**
   * Records a member that the watch never showed, until it was read. The result is empty if it is
   * visible or already being looked up.
   *
   * @return number as in {@link #left}
   */
  synchronized OptionalLong missed(AttemptId attempt, MemberKey key) {
    boolean known =
        workload(attempt).member(key).isPresent() || missing.containsKey(new Place(attempt, key));
    return known ? OptionalLong.empty() : OptionalLong.of(left(attempt, key));
  }

  /** Returns whether the watch has not shown the member since it disappeared. */
  synchronized boolean missing(AttemptId attempt, MemberKey key, long leave) {
    return Long.valueOf(leave).equals(missing.get(new Place(attempt, key)));
  }

  /** Attempts with members that are being looked up. */
  synchronized SortedSet<AttemptId> lookedUp() {
    SortedSet<AttemptId> attempts = new TreeSet<>();
    missing.keySet().forEach(place -> attempts.add(place.attempt()));
    return attempts;
  }

  /** Applies a read state of the member, unless the watch has shown it since it disappeared. */
  synchronized boolean found(AttemptId attempt, ObservedMember now, long leave) {
    return missing(attempt, now.key(), leave) && put(attempt, now.key(), Optional.of(now));
  }

  /** Removes the member, unless the watch has shown it since it disappeared. */
  synchronized boolean gone(AttemptId attempt, MemberKey key, long leave) {
    return missing(attempt, key, leave) && member(attempt, key, Optional.empty());
  }

  synchronized boolean others(AttemptId attempt, boolean there) {
    ObservedWorkload before = workload(attempt);
    return store(before, new ObservedWorkload(attempt, before.members(), there));
  }

  synchronized ObservedWorkload workload(AttemptId attempt) {
    Entry entry = attempts.get(attempt);
    return entry == null ? ObservedWorkload.nothing(attempt) : entry.workload();
  }

  synchronized WorkloadView since(long known) {
    boolean complete = known < forgotten || known > revision;
    SortedMap<AttemptId, ObservedWorkload> found = new TreeMap<>();
    for (Map.Entry<AttemptId, Entry> entry : attempts.sequencedEntrySet().reversed()) {
      if (!complete && entry.getValue().revision() <= known) {
        break;
      }
      if (!complete || !entry.getValue().workload().empty()) {
        found.put(entry.getKey(), entry.getValue().workload());
      }
    }
    return new WorkloadView(revision, complete, found);
  }

  /**
   * Returns the response before the first complete view: nothing, so that callers ask for
   * everything again.
   */
  static WorkloadView unknown() {
    return new WorkloadView(0, false, Collections.emptySortedMap());
  }

  private boolean store(ObservedWorkload before, ObservedWorkload now) {
    if (before.equals(now)) {
      return false;
    }
    Entry replaced = attempts.remove(now.attempt());
    ended += (now.empty() ? 1 : 0) - (replaced != null && replaced.workload().empty() ? 1 : 0);
    attempts.put(now.attempt(), new Entry(now, ++revision));
    if (ended > MOST_ENDED) {
      forgetOldestEnded();
    }
    return true;
  }

  private void forgetOldestEnded() {
    var entries = attempts.entrySet().iterator();
    while (entries.hasNext()) {
      Entry entry = entries.next().getValue();
      if (entry.workload().empty()) {
        forgotten = entry.revision();
        entries.remove();
        ended--;
        return;
      }
    }
  }
}
