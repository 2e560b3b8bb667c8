package dev.fairlead.work.job.submit;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.work.attempt.Preflight;
import dev.fairlead.work.attempt.Preflight.Verdict;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.spec.PreflightSpec;
import dev.fairlead.work.spec.PreflightSpec.OnUntested;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Progress of the tests of a reservation.
 *
 * @param spec the preflight spec of its job
 * @param verdicts verdicts of each node of the place on which the job holds GPUs
 * @param missing nodes without a started test
 * @param until end of the wait
 * @param doneAt end of the newest test, or time of the reservation
 */
public record PreflightProgress(
    PreflightSpec spec,
    SortedMap<NodeId, Verdict> verdicts,
    SortedSet<NodeId> missing,
    Instant until,
    Instant doneAt) {
  /** Validity of a passed test for the same job. */
  public static final Duration HOLDS = Duration.ofMinutes(30);

  /**
   * Maximum age of the tests that are read: a job avoids a node that failed its test for this time.
   */
  public static final Duration REMEMBERED = Duration.ofHours(1);

  /** Lifetime of a reservation after its tests, whose jobs may still must leave it. */
  public static final Duration LEAVING = Duration.ofMinutes(10);

  /**
   * @param known tests for jobs that wait
   */
  public static PreflightProgress of(
      Reservation place, PreflightSpec spec, List<Preflight> known, Instant now) {
    Instant until = place.createdAt().plus(spec.timeout());
    SortedMap<NodeId, Verdict> verdicts = new TreeMap<>();
    SortedSet<NodeId> missing = new TreeSet<>();
    Instant doneAt = place.createdAt();
    for (Member member : place.members()) {
      if (member.gpus().isEmpty() || verdicts.containsKey(member.node())) {
        continue;
      }
      Preflight test = said(place, member.node(), known, now);
      if (test == null) {
        missing.add(member.node());
      }
      Verdict verdict = test == null ? Verdict.RUNS : test.verdict();
      boolean late = verdict == Verdict.RUNS && !now.isBefore(until);
      Instant at = late ? until : test == null ? place.createdAt() : test.at();
      doneAt = at.isAfter(doneAt) ? at : doneAt;
      verdicts.put(member.node(), late ? Verdict.UNTESTED : verdict);
    }
    return new PreflightProgress(spec, verdicts, missing, until, doneAt);
  }

  /** Returns whether all nodes have passed for the job recently, and needs no other test. */
  public static boolean passed(
      Reservation.Key of, List<Member> members, List<Preflight> known, Instant now) {
    return members.stream()
        .filter(member -> !member.gpus().isEmpty())
        .allMatch(member -> {
          Preflight last = judged(of, member.node(), known, now);
          return last != null && last.verdict() == Verdict.PASSED;
        });
  }

  private static @Nullable Preflight said(
      Reservation place, NodeId node, List<Preflight> known, Instant now) {
    Preflight judged = judged(place.key(), node, known, now);
    return judged != null
        ? judged
        : known.stream()
            .filter(test -> test.of().equals(place.key()) && test.node().equals(node))
            .filter(test -> test.since().equals(place.createdAt()))
            .max(Comparator.comparing(Preflight::at))
            .orElse(null);
  }

  /** The newest test with a result about the node, for any element of the job. */
  private static @Nullable Preflight judged(
      Reservation.Key of, NodeId node, List<Preflight> known, Instant now) {
    return known.stream()
        .filter(test -> test.of().job().equals(of.job()) && test.node().equals(node))
        .filter(test -> test.verdict() == Verdict.PASSED || test.verdict() == Verdict.FAILED)
        .filter(test -> test.at().plus(HOLDS).isAfter(now))
        .max(Comparator.comparing(Preflight::at))
        .orElse(null);
  }

  /** Number of nodes with this result. */
  public int count(Verdict verdict) {
    return (int) verdicts.values().stream().filter(each -> each == verdict).count();
  }

  /** Returns whether the job may start on the node. */
  public boolean starts() {
    return count(Verdict.FAILED) == 0
        && count(Verdict.RUNS) == 0
        && (count(Verdict.UNTESTED) == 0 || spec.onUntested() == OnUntested.START);
  }

  /** Returns whether the job releases the reserved nodes. */
  public boolean ends(Instant now) {
    boolean failed =
        count(Verdict.FAILED) > 0
            || count(Verdict.RUNS) == 0
                && count(Verdict.UNTESTED) > 0
                && spec.onUntested() == OnUntested.WAIT;
    return failed || starts() && !now.isBefore(doneAt.plus(LEAVING));
  }
}
