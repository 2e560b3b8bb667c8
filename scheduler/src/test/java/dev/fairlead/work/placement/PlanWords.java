package dev.fairlead.work.placement;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.explanation.Explanation;
import dev.fairlead.work.placement.decision.Decision;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** A plan in the form of a story: every decision in a line, with all its reasons. */
final class PlanWords {
  private final Scene.Planned planned;
  private final SortedMap<JobId, String> names = new TreeMap<>();

  PlanWords(Scene.Planned planned) {
    this.planned = planned;
    planned.world().pending().forEach(p -> names.put(p.job().id(), p.job().name()));
    planned.world().live().forEach(l -> names.put(l.job().id(), l.job().name()));
  }

  List<String> lines() {
    List<String> lines = new ArrayList<>();
    for (Decision decision : planned.plan().decisions()) {
      switch (decision) {
        case Decision.Place p -> {
          lines.add(
              element(p.job(), p.element())
                  + " starts on "
                  + cluster(p.cluster())
                  + ": "
                  + nodes(p.members()));
          p.taken().forEach(r -> lines.add(released(r)));
        }
        case Decision.Preempt p -> {
          p.victims().forEach(v -> lines.add(leaves(v)));
          lines.add(kept(p.reservation()));
          p.moved().forEach(r -> lines.add(kept(r)));
          p.taken().forEach(r -> lines.add(released(r)));
        }
        case Decision.MoveBack b -> {
          lines.add(names.get(b.job()) + " is to leave, " + b.saving().text());
          lines.add(kept(b.reservation()));
        }
        case Decision.Leftover o ->
            lines.add(names.get(o.job()) + " is to leave, its queue is over a window's quota");
        case Decision.Reserve r -> lines.add(kept(r.reservation()));
        case Decision.Release r -> lines.add(released(r.reservation()));
        case Decision.Grow g ->
            lines.add(
                "%s grows by %d: %s"
                    .formatted(names.get(g.job()), g.members().size(), nodes(g.members())));
        case Decision.Shrink s ->
            lines.add("%s is to shrink by %s".formatted(names.get(s.job()), keys(s.members())));
        case Decision.Ask a -> lines.add(names.get(a.job()) + " asks " + a.checks());
        case Decision.Expire e -> lines.add(names.get(e.job()) + " fails");
        case Decision.Hold h -> waits(names.get(h.job()), h.classKey(), lines);
      }
    }
    return lines;
  }

  private String released(Reservation r) {
    return "nothing is kept any more for " + element(r.job(), r.element());
  }

  private String leaves(Decision.Preempt.Eviction victim) {
    String name = names.get(victim.job());
    return victim.members().isEmpty()
        ? name + " is to leave, " + victim.right().text()
        : "%s is to shrink by %s, %s"
            .formatted(name, keys(victim.members()), victim.right().text());
  }

  private static String keys(List<MemberKey> members) {
    return members.stream()
        .map(m -> m.role() + "-" + m.index())
        .collect(Collectors.joining(" and "));
  }

  private void waits(String name, String classKey, List<String> lines) {
    Explanation why = planned.plan().explanations().get(classKey);
    lines.add(name + " waits");
    why.blockers().forEach(b -> lines.add("  " + b.reason() + ": " + named(b.message())));
    why.nearMisses()
        .forEach(m ->
            lines.add(
                "  with %s %s instead of %s it %s"
                    .formatted(m.field(), m.to(), m.from(), m.effect())));
    if (why.estimate() != null) {
      lines.add(
          "  may start in " + from(why.estimate().p50()) + ": " + why.estimate().assumption());
    }
  }

  /** Replaces the ids of jobs by their names, which the engine does not know for every job. */
  private String named(String message) {
    String named = message;
    for (JobId job : names.keySet()) {
      named = named.replace(job.text(), names.get(job));
    }
    return named;
  }

  private String kept(Reservation r) {
    String when = r.startsAt() == null ? "" : " from in " + from(r.startsAt());
    return "kept for %s: %s%s (%s)"
        .formatted(element(r.job(), r.element()), nodes(r.members()), when, r.kind());
  }

  private String from(Instant time) {
    return Duration.between(planned.world().asOf(), time).toString().substring(2);
  }

  private String element(JobId job, int element) {
    String name = names.getOrDefault(job, "a job that has gone");
    boolean array =
        planned.world().pending().stream()
            .anyMatch(p -> p.job().id().equals(job) && p.offers().size() > 1);
    return array ? name + "[" + element + "]" : name;
  }

  private String cluster(ClusterId id) {
    return planned.world().clusters().stream()
        .filter(c -> c.id().equals(id))
        .map(c -> c.name())
        .findFirst()
        .orElseThrow();
  }

  private static String nodes(List<Member> members) {
    SortedMap<String, Integer> byNode = new TreeMap<>();
    members.forEach(m -> byNode.merge(m.nodeName(), 1, Integer::sum));
    List<String> words = new ArrayList<>();
    byNode.forEach((node, count) -> words.add(count == 1 ? node : count + " on " + node));
    return String.join(" and ", words);
  }
}
