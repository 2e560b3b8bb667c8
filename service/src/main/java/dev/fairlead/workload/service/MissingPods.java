package dev.fairlead.workload.service;

import dev.fairlead.job.AttemptId;
import dev.fairlead.job.Member;
import dev.fairlead.job.MemberKey;
import dev.fairlead.workload.ObservedWorkload;
import java.util.Collection;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
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
        List<Member> open = missing(view, seen).filter(m -> !gone(view, namespace, id, m)).toList();
        if (!open.isEmpty()) {
          unanswered.add(id);
        }
      } catch (NoSuchElementException deleted) {
        // its project is gone: judged as it is shown
      }
    }
    return unanswered;
  }

  private static boolean gone(
      AttemptTurn.View view, String namespace, AttemptId attempt, Member member) {
    String uid = Objects.requireNonNull(member.uid(), "it had a pod");
    return view.gateway().gone(namespace, attempt, MemberKey.of(member), uid);
  }

  private static Stream<Member> missing(AttemptTurn.View view, AttemptDesk.Case seen) {
    ObservedWorkload shown = view.workload(seen.attempt().id());
    return seen.attempt().live()
        ? seen.attempt().members().stream()
            .filter(m -> !m.dead() && m.uid() != null)
            .filter(m -> shown.member(MemberKey.of(m)).isEmpty())
        : Stream.empty();
  }
}
