package dev.fairlead.work.workload.service.pass;

import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.Failure;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.workload.judgement.AttemptJudge;
import dev.fairlead.work.workload.judgement.Observations;
import dev.fairlead.work.workload.judgement.ObservationsBuilder;
import dev.fairlead.work.workload.judgement.UnhealthyDevices;
import dev.fairlead.work.workload.judgement.Verdict;
import dev.fairlead.work.workload.service.attempt.AttemptCase;
import dev.fairlead.work.workload.service.attempt.AttemptDecision;
import dev.fairlead.work.workload.service.attempt.AttemptDecisions;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/**
 * Verdicts about the attempts of one pass, by all its information. Each attempt is judged once, and
 * again on its locked rows if something must be stored, because a large gang takes long to judge.
 */
final class Judgements {
  private static final SortedSet<MemberKey> NONE_ABSENT = Collections.emptySortedSet();
  private final PassState state;
  private final PassView view;
  private final Map<AttemptId, SortedMap<MemberKey, Instant>> unanswered;
  private final Map<String, NodeReport> asked;
  private final Map<AttemptId, Judged> found = new HashMap<>();
  private @Nullable Boolean pluginDoubted;

  /**
   * @param unanswered members with pods that the cluster has not reported on yet, by attempt, each
   *     with the time of the first query
   * @param asked nodes that the cluster returned in this pass
   */
  Judgements(
      PassState state,
      PassView view,
      Map<AttemptId, SortedMap<MemberKey, Instant>> unanswered,
      Map<String, NodeReport> asked) {
    this.state = state;
    this.view = view;
    this.unanswered = unanswered;
    this.asked = asked;
  }

  /**
   * @param explanation explanation of an end that is stored without one
   */
  private record Judged(Verdict verdict, @Nullable Failure explanation) {
    boolean changes() {
      return verdict.changed() || explanation != null;
    }
  }

  void judge(AttemptCase seen) {
    found.put(seen.id(), judged(seen, NONE_ABSENT));
  }

  /** Returns whether the attempt has something to store. */
  boolean changes(AttemptId id) {
    Judged judged = found.get(id);
    return judged != null && judged.changes();
  }

  /** Judges again, on the locked rows. */
  AttemptDecision again() {
    return again(NONE_ABSENT);
  }

  /**
   * Like {@link #again()}, with later information.
   *
   * @param absent members that were never created
   */
  AttemptDecision again(SortedSet<MemberKey> absent) {
    return (now, at) -> {
      Judged judged = judged(now, absent);
      found.put(now.id(), judged);
      Failure why = judged.explanation();
      return judged.verdict().changed()
          ? AttemptDecisions.judged(now, judged.verdict(), at)
          : why == null ? null : AttemptDecisions.explained(now, why, at);
    };
  }

  /**
   * Time when the last verdict may change without an observation, by the database's clock. A
   * verdict that is being stored is not examined again immediately, because a view that is briefly
   * incomplete is not silence.
   */
  Optional<Instant> lookAgainAt(Attempt attempt) {
    Judged judged = found.get(attempt.id());
    Instant at = judged == null ? null : judged.verdict().lookAgainAt();
    Instant now = state.time.of(attempt, view.now());
    if (judged == null || at == null || judged.changes() && !at.isAfter(now)) {
      return Optional.empty();
    }
    return Optional.of(at.plus(Duration.between(now, view.now()))); // it may be behind
  }

  private Judged judged(AttemptCase seen, SortedSet<MemberKey> absent) {
    Observations observations = observations(seen, absent);
    return new Judged(
        state.judge.judge(seen.attempt(), seen.job(), observations),
        AttemptJudge.explains(seen.attempt(), observations).orElse(null));
  }

  /** Counted once in a pass, because it reads all members of the cluster. */
  private boolean pluginDoubted() {
    Boolean known = pluginDoubted;
    boolean doubted =
        known == null
            ? UnhealthyDevices.tooMany(view.observed().values(), view.watch().nodes())
            : known;
    pluginDoubted = doubted;
    return doubted;
  }

  private Observations observations(AttemptCase seen, SortedSet<MemberKey> absent) {
    return ObservationsBuilder.builder()
        .observed(view.workload(seen.id()))
        .nodes(view.watch().nodes())
        .asked(asked)
        .silent(view.watch().silent())
        .unanswered(unanswered.getOrDefault(seen.id(), Collections.emptySortedMap()))
        .absent(absent)
        .wanted(seen.wanted())
        .faults(seen.faults())
        .drained(view.watch().drained())
        .isolated(view.watch().isolated())
        .certainlyOver(state.time.certainlyOver(seen.attempt(), seen.job()))
        .doubted(state.breaker.open())
        .pluginDoubted(UnhealthyDevices.in(view.workload(seen.id())) && pluginDoubted())
        .timeouts(state.timeouts)
        .clock(view.now())
        .now(state.time.of(seen.attempt(), view.now()))
        .build();
  }
}
