package dev.fairlead.work.workload.service.pass;

import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.Failure;
import dev.fairlead.work.attempt.MemberKey;
import dev.fairlead.work.workload.AttemptJudge;
import dev.fairlead.work.workload.Observations;
import dev.fairlead.work.workload.Verdict;
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
 * What the attempts of one pass were found to be, by all that is known in it. Each is judged once,
 * and once more on its locked rows where something is to be stored: a large gang is a long look.
 */
final class Judgements {
  private static final SortedSet<MemberKey> NONE_ABSENT = Collections.emptySortedSet();
  private final PassState state;
  private final PassView view;
  private final Map<AttemptId, SortedMap<MemberKey, Instant>> unanswered;
  private final Map<String, NodeReport> asked;
  private final Map<AttemptId, Judged> found = new HashMap<>();

  /**
   * @param unanswered members whose pods the cluster has still to tell about, by attempt, each with
   *     the time since when it is asked
   * @param asked nodes as the cluster told them when it was asked in this pass
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
   * @param explanation of an end that is stored without one
   */
  private record Judged(Verdict verdict, @Nullable Failure explanation) {
    boolean changes() {
      return verdict.changed() || explanation != null;
    }
  }

  void judge(AttemptCase seen) {
    found.put(seen.id(), judged(seen, NONE_ABSENT));
  }

  /** Whether there is something to store of the attempt. */
  boolean changes(AttemptId id) {
    Judged judged = found.get(id);
    return judged != null && judged.changes();
  }

  /** Judges again, on the locked rows. */
  AttemptDecision again() {
    return again(NONE_ABSENT);
  }

  /**
   * As {@link #again()}, with what was learned since.
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
   * When time alone may change what was found last, by the database's clock. What is being stored
   * is not looked at again at once: a view that is incomplete for a moment is no silence.
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

  private Observations observations(AttemptCase seen, SortedSet<MemberKey> absent) {
    return new Observations(
        view.workload(seen.id()),
        view.watch().nodes(),
        asked,
        view.watch().silent(),
        unanswered.getOrDefault(seen.id(), Collections.emptySortedMap()),
        absent,
        seen.wanted(),
        view.watch().drained(),
        view.watch().isolated(),
        state.time.certainlyOver(seen.attempt(), seen.job()),
        state.breaker.open(),
        state.timeouts,
        view.now(),
        state.time.of(seen.attempt(), view.now()));
  }
}
