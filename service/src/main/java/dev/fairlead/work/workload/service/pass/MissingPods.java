package dev.fairlead.work.workload.service.pass;

import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.workload.judgement.ObservedWorkload;
import dev.fairlead.work.workload.service.attempt.AttemptCase;
import dev.fairlead.work.workload.service.attempt.AttemptRepository;
import dev.fairlead.work.workload.service.attempt.Owners;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Members with a pod that the cluster does not show: its labels may have been changed while no
 * process watched. Before such a member counts as absent, the cluster is queried for the pod
 * itself.
 */
final class MissingPods {
  private final AttemptRepository repository;

  /** Time of the first unanswered query for the pods of members. */
  private final Map<AttemptId, SortedMap<MemberKey, Instant>> asked = new TreeMap<>();

  MissingPods(AttemptRepository repository) {
    this.repository = repository;
  }

  /**
   * Queries the cluster for missing pods, and returns the members without a confirmed deletion, by
   * attempt, each with the time of the first query. The cluster shows the pods that it finds.
   */
  Map<AttemptId, SortedMap<MemberKey, Instant>> unanswered(
      PassView view, Collection<AttemptCase> cases) {
    if (view.watch().silent()) {
      return Map.of();
    }
    List<AttemptCase> asking =
        cases.stream().filter(seen -> missing(view, seen).findAny().isPresent()).toList();
    Owners owners = repository.owners(asking);
    Map<AttemptId, SortedMap<MemberKey, Instant>> unanswered = new TreeMap<>();
    cases.forEach(seen -> {
      SortedMap<MemberKey, Instant> open = open(view, seen, owners);
      if (open.isEmpty()) {
        asked.remove(seen.attempt().id());
      } else {
        asked.put(seen.attempt().id(), open);
        unanswered.put(seen.attempt().id(), open);
      }
    });
    return unanswered;
  }

  /** Forgets an ended attempt. */
  void forget(AttemptId attempt) {
    asked.remove(attempt);
  }

  /** Queries every member, regardless of the result for the previous one. */
  private SortedMap<MemberKey, Instant> open(PassView view, AttemptCase seen, Owners owners) {
    AttemptId id = seen.attempt().id();
    SortedMap<MemberKey, Instant> before = asked.getOrDefault(id, new TreeMap<>());
    SortedMap<MemberKey, Instant> open = new TreeMap<>();
    List<Member> missing = missing(view, seen).toList();
    if (missing.isEmpty()) {
      return open;
    }
    view.gateway().recognise(seen.attempt(), seen.job());
    try {
      String namespace = owners.project(seen).namespace();
      missing.stream()
          .filter(m -> !gone(view, namespace, id, m))
          .map(MemberKey::of)
          .forEach(key -> open.put(key, before.getOrDefault(key, view.now())));
    } catch (NoSuchElementException deleted) { // its project was deleted: judged as observed
    }
    return open;
  }

  private static boolean gone(PassView view, String namespace, AttemptId attempt, Member member) {
    String uid = Objects.requireNonNull(member.uid(), "it had a pod");
    return view.gateway().gone(namespace, attempt, MemberKey.of(member), uid);
  }

  /** Members of a live attempt that had a pod and are not shown. */
  static Stream<Member> missing(PassView view, AttemptCase seen) {
    ObservedWorkload shown = view.workload(seen.attempt().id());
    return seen.attempt().live()
        ? seen.attempt().members().stream()
            .filter(m -> !m.dead() && m.uid() != null)
            .filter(m -> shown.member(MemberKey.of(m)).isEmpty())
        : Stream.empty();
  }
}
