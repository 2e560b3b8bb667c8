package dev.fairlead.work.workload.judgement;

import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.member.MemberKey;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * All observed objects of one attempt.
 *
 * @param others whether objects other than pods (anchor, service, budget) exist
 */
public record ObservedWorkload(
    AttemptId attempt, SortedMap<MemberKey, ObservedMember> members, boolean others) {
  public ObservedWorkload {
    members = Collections.unmodifiableSortedMap(new TreeMap<>(members));
  }

  public static ObservedWorkload nothing(AttemptId attempt) {
    return new ObservedWorkload(attempt, Collections.emptySortedMap(), false);
  }

  public Optional<ObservedMember> member(MemberKey key) {
    return Optional.ofNullable(members.get(key));
  }

  public boolean empty() {
    return members.isEmpty() && !others;
  }
}
