package dev.fairlead.placement.service;

import dev.fairlead.explanation.Blocker;
import dev.fairlead.explanation.Explanation;
import dev.fairlead.explanation.Reason;
import dev.fairlead.job.DecisionRecord;
import dev.fairlead.job.ExplanationStore;
import dev.fairlead.job.JobId;
import dev.fairlead.lease.HeldLease;
import dev.fairlead.loop.Leases;
import dev.fairlead.loop.MonotonicClock;
import dev.fairlead.placement.Decision;
import dev.fairlead.placement.Plan;
import dev.fairlead.transaction.Transactions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Stores why jobs wait: a job's class when it changed, a class's text when its reason changed or at
 * most every ten seconds; and for good why a job waits whose wait passes a minute, and why since
 * its first reason changed. What it knows to be stored holds for one term: under another, somebody
 * else may have written since.
 */
@Component
public class ExplanationKeeper {
  private static final long REFRESH_NANOS = Duration.ofSeconds(10).toNanos();
  private static final int MOST_RECORDS = 1_000;
  private final Transactions transactions;
  private final ExplanationStore store;
  private final MonotonicClock clock;
  private long term = -1;
  private Map<JobId, Waiting> jobs = new TreeMap<>();
  private Instant nextRecord = Instant.MAX;
  private Map<String, Written> classes = new TreeMap<>();

  public ExplanationKeeper(Transactions transactions, ExplanationStore store, Leases leases) {
    this.transactions = transactions;
    this.store = store;
    this.clock = leases.clock();
  }

  private record Written(Explanation explanation, long atNanos) {
    boolean covers(Explanation now, long nanos) {
      Reason before = explanation.first().reason();
      boolean same =
          before == now.first().reason()
              && explanation.first().message().equals(now.first().message())
              && Objects.equals(explanation.estimate(), now.estimate())
              && routing(explanation).equals(routing(now));
      return same || before == now.first().reason() && nanos - atNanos < REFRESH_NANOS;
    }

    /** Prices among them change while the class stays the same. */
    private static List<String> routing(Explanation explanation) {
      return explanation.blockers().stream()
          .filter(blocker -> blocker.reason() == Reason.ROUTING)
          .map(Blocker::message)
          .toList();
    }
  }

  /**
   * A job that waits.
   *
   * @param reason the first; a job that a cycle did not reach keeps the one that it had
   * @param reasonSince since when it is the first
   * @param recorded the reason that was recorded last, null while none was
   */
  private record Waiting(
      String classKey,
      Instant since,
      Reason reason,
      Instant reasonSince,
      @Nullable Reason recorded) {
    static Waiting now(@Nullable Waiting before, String classKey, Reason reason, Instant asOf) {
      if (before == null) {
        return new Waiting(classKey, asOf, reason, asOf, null);
      }
      if (reason == before.reason || reason == Reason.NOT_EVALUATED) {
        return before.classKey.equals(classKey)
            ? before
            : new Waiting(
                classKey, before.since, before.reason, before.reasonSince, before.recorded);
      }
      return new Waiting(classKey, before.since, reason, asOf, before.recorded);
    }

    /** When its reason is to be recorded; {@link Instant#MAX} when it is. */
    Instant due() {
      return recorded == reason ? Instant.MAX : from().plus(DecisionRecord.WAIT);
    }

    /** Since when what is recorded holds: its first reason for the whole wait. */
    Instant from() {
      return recorded == null ? since : reasonSince;
    }

    Waiting asRecorded() {
      return new Waiting(classKey, since, reason, reasonSince, reason);
    }
  }

  /**
   * Records waits that have become long since the last plan, which still holds.
   *
   * @throws dev.fairlead.transaction.FenceLost when another scheduler acts
   */
  public void waiting(HeldLease lease, Instant asOf) {
    if (!asOf.isBefore(nextRecord)) {
      record(lease, asOf);
    }
  }

  /** A bounded number; the next turn goes on. */
  private void record(HeldLease lease, Instant asOf) {
    Map<JobId, DecisionRecord> due = new TreeMap<>();
    Instant next = Instant.MAX;
    for (Map.Entry<JobId, Waiting> each : jobs.entrySet()) {
      Waiting waiting = each.getValue();
      Written written = classes.get(waiting.classKey());
      Explanation why = written == null ? null : written.explanation();
      Instant at = waiting.due();
      if (why == null
          || why.first().reason() != waiting.reason()
          || at.isAfter(asOf)
          || due.size() == MOST_RECORDS) {
        next = at.isBefore(next) ? at : next;
      } else {
        DecisionRecord.Waited body = DecisionRecord.Waited.of(why);
        due.put(each.getKey(), new DecisionRecord(each.getKey(), waiting.from(), body));
      }
    }
    if (!due.isEmpty()) {
      transactions.runFenced(lease, () -> store.keep(List.copyOf(due.values())));
      due.keySet().forEach(job -> jobs.computeIfPresent(job, (id, w) -> w.asRecorded()));
    }
    nextRecord = next;
  }

  /**
   * @throws dev.fairlead.transaction.FenceLost when another scheduler acts
   */
  public void keep(HeldLease lease, Plan plan) {
    if (term != lease.term()) {
      term = lease.term();
      jobs = new TreeMap<>();
      classes = new TreeMap<>();
    }
    long nanos = clock.nanos();
    Map<JobId, Waiting> jobsNow = new TreeMap<>();
    Map<JobId, String> changedJobs = new TreeMap<>();
    for (Decision decision : plan.decisions()) {
      if (decision instanceof Decision.Hold hold) {
        Waiting before = jobs.get(hold.job());
        Explanation why = plan.explanations().get(hold.classKey());
        Reason reason = why == null ? Reason.NOT_EVALUATED : why.first().reason();
        jobsNow.put(hold.job(), Waiting.now(before, hold.classKey(), reason, plan.asOf()));
        if (before == null || !hold.classKey().equals(before.classKey())) {
          changedJobs.put(hold.job(), hold.classKey());
        }
      }
    }
    Map<String, Written> classesNow = new TreeMap<>();
    Map<String, Explanation> changedClasses = new TreeMap<>();
    plan.explanations()
        .forEach((key, explanation) -> {
          Written before = classes.get(key);
          if (before != null && before.covers(explanation, nanos)) {
            classesNow.put(key, before);
          } else {
            classesNow.put(key, new Written(explanation, nanos));
            changedClasses.put(key, explanation);
          }
        });
    if (!changedClasses.isEmpty() || !changedJobs.isEmpty()) {
      transactions.runFenced(lease, () -> store.put(changedClasses, changedJobs));
    }
    jobs = jobsNow;
    classes = classesNow;
    record(lease, plan.asOf());
  }
}
