package dev.fairlead.workload.service;

import dev.fairlead.job.AttemptId;
import dev.fairlead.job.Member;
import dev.fairlead.job.MemberKey;
import dev.fairlead.workload.ObservedMember;
import dev.fairlead.workload.ObservedWorkload;
import java.util.Collection;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Members that had a pod which is not shown: its labels may have been changed while no process
 * watched. Before such a member counts as absent its cluster is asked about the pod itself.
 */
final class MissingPods {
  private final AttemptDesk desk;

  MissingPods(AttemptDesk desk) {
    this.desk = desk;
  }

  /**
   * The attempts with such a member of which the cluster has not said yet that its pod is gone; it
   * is asked, and shows what it finds.
   */
  Set<AttemptId> unanswered(AttemptTurn.View view, Collection<AttemptDesk.Case> cases) {
    Set<AttemptId> unanswered = new TreeSet<>();
    if (view.watch().silent()) {
      return unanswered;
    }
    List<AttemptDesk.Case> asking =
        cases.stream().filter(seen -> missing(view, seen).findAny().isPresent()).toList();
    Owners owners = desk.owners(asking);
    for (AttemptDesk.Case seen : asking) {
      AttemptId id = seen.attempt().id();
      try {
        String namespace = owners.project(seen).namespace();
        // every one of them is asked about, whatever is known of the one before
        List<ObservedMember> open =
            missing(view, seen).filter(last -> !view.gateway().gone(namespace, id, last)).toList();
        if (!open.isEmpty()) {
          unanswered.add(id);
        }
      } catch (NoSuchElementException deleted) {
        continue; // its project is gone: judged as it is shown
      }
    }
    return unanswered;
  }

  private static Stream<ObservedMember> missing(AttemptTurn.View view, AttemptDesk.Case seen) {
    ObservedWorkload shown = view.workload(seen.attempt().id());
    return seen.attempt().live()
        ? seen.attempt().members().stream()
            .filter(m -> !m.dead() && shown.member(MemberKey.of(m)).isEmpty())
            .flatMap(MissingPods::last)
        : Stream.empty();
  }

  /** The member as it was seen last; none while it had no pod. */
  private static Stream<ObservedMember> last(Member member) {
    String uid = member.uid();
    return uid == null
        ? Stream.empty()
        : Stream.of(
            new ObservedMember(
                MemberKey.of(member),
                uid,
                member.state(),
                member.nodeName(),
                member.startedAt() != null,
                member.exitCode(),
                member.reason(),
                null,
                member.startedAt(),
                null,
                false));
  }
}
