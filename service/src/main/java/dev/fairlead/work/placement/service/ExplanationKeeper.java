package dev.fairlead.work.placement.service;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.kernel.loop.MonotonicClock;
import dev.fairlead.kernel.transaction.FenceLost;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.explanation.Explanation;
import dev.fairlead.work.explanation.Explanation.Estimate;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.job.DecisionRecord;
import dev.fairlead.work.job.store.ExplanationStore;
import dev.fairlead.work.placement.Plan;
import dev.fairlead.work.placement.decision.Decision;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Stores why jobs wait: the class of a job when it changed, and the text of a class when its reason
 * changed or at most every ten seconds. It also records the wait reasons of a job permanently when
 * its wait exceeds a minute, with the time since the first reason changed. Its knowledge of stored
 * texts is valid for one epoch, because another process may have written since.
 */
@Component
public class ExplanationKeeper {
  private static final long REFRESH_NANOS = Duration.ofSeconds(10).toNanos();

  /** Smallest change of an estimated start that is stored, as a part of the wait. */
  private static final long NEAR = 50;

  private static final Logger LOG = LoggerFactory.getLogger(ExplanationKeeper.class);
  private static final Duration RETRY = Duration.ofSeconds(10);
  private static final int MOST_RECORDS = 1_000;
  private final Transactions transactions;
  private final ExplanationStore store;
  private final MonotonicClock clock;
  private long epoch = -1;
  private Map<JobId, Waiting> jobs = new HashMap<>();
  private Instant nextRecord = Instant.MAX;
  private Instant retryRecord = Instant.MIN;
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
              && near(explanation.estimate(), now.estimate(), now.computedAt())
              && routing(explanation).equals(routing(now));
      return same || before == now.first().reason() && nanos - atNanos < REFRESH_NANOS;
    }

    /**
     * Returns whether the start moved by at most a fiftieth of the wait until it. Each report of
     * progress moves the estimate slightly, and would cause the texts of all classes to be stored
     * again.
     */
    private static boolean near(@Nullable Estimate before, @Nullable Estimate now, Instant asOf) {
      return before == null || now == null
          ? Objects.equals(before, now)
          : before.assumption().equals(now.assumption())
              && near(before.p50(), now.p50(), asOf)
              && near(before.p90(), now.p90(), asOf);
    }

    private static boolean near(Instant before, Instant now, Instant asOf) {
      Duration moved = Duration.between(before, now).abs();
      return moved.isZero() || moved.compareTo(Duration.between(asOf, now).dividedBy(NEAR)) <= 0;
    }

    /** Prices in the text change while the class does not. */
    private static List<String> routing(Explanation explanation) {
      return explanation.blockers().stream()
          .filter(blocker -> blocker.reason() == Reason.ROUTING)
          .map(Blocker::message)
          .toList();
    }
  }

  /**
   * A waiting job.
   *
   * @param reason the first. A job that a cycle did not reach retains its last explanation
   * @param reasonSince time since which it is the first
   * @param recorded last record of the explanation
   */
  private record Waiting(
      String classKey, Instant since, Reason reason, Instant reasonSince, Recorded recorded) {
    static Waiting begins(String classKey, Reason reason, Instant asOf, boolean seen) {
      return new Waiting(classKey, asOf, reason, asOf, new Recorded(null, null, seen));
    }

    Waiting now(String key, Reason first, Instant asOf) {
      if (first == reason || first == Reason.NOT_EVALUATED) {
        return classKey.equals(key) ? this : new Waiting(key, since, reason, reasonSince, recorded);
      }
      return new Waiting(key, since, first, asOf, recorded);
    }

    /**
     * Time when its reason is recorded. {@link Instant#MAX} if it is recorded, and for reasons that
     * concern the scheduler more than the job.
     */
    Instant due() {
      if (reason == recorded.reason()
          || reason == Reason.NOT_EVALUATED
          || PoisonJobs.setsAside(classKey)) {
        return Instant.MAX;
      }
      Instant stood = from().plus(DecisionRecord.WAIT);
      Instant changed = recorded.changedAt();
      Instant next = changed == null ? stood : changed.plus(DecisionRecord.CHANGES);
      return next.isAfter(stood) ? next : stood;
    }

    /** Start of the recorded reason: the first reason covers the whole wait. */
    Instant from() {
      return recorded.reason() == null ? since : reasonSince;
    }

    Waiting asRecorded(Instant asOf) {
      Instant changed = recorded.reason() == null ? null : asOf;
      return new Waiting(
          classKey, since, reason, reasonSince, new Recorded(reason, changed, recorded.begun()));
    }
  }

  /**
   * The last record of a wait.
   *
   * @param reason the last reason, null before the first
   * @param changedAt time of the last record of a reason other than the first
   * @param begun whether the start of the wait was observed
   */
  private record Recorded(@Nullable Reason reason, @Nullable Instant changedAt, boolean begun) {}

  /**
   * Records waits that have become long since the last plan, which is still valid.
   *
   * @throws dev.fairlead.kernel.transaction.FenceLost when another scheduler acts
   */
  public void waiting(HeldLease lease, Instant asOf) {
    if (asOf.isBefore(nextRecord) || asOf.isBefore(retryRecord)) {
      return;
    }
    try {
      record(lease, asOf);
    } catch (FenceLost lost) {
      throw lost;
    } catch (RuntimeException failed) {
      LOG.warn("waits are not recorded now", failed);
      retryRecord = asOf.plus(RETRY);
    }
  }

  /** Records a bounded number. The next pass continues. */
  private void record(HeldLease lease, Instant asOf) {
    Map<JobId, DecisionRecord> due = new TreeMap<>();
    Instant next = Instant.MAX;
    for (Map.Entry<JobId, Waiting> each : jobs.entrySet()) {
      Waiting waiting = each.getValue();
      Written written = classes.get(waiting.classKey());
      Explanation why = written == null ? null : written.explanation();
      Instant at = waiting.due();
      if (why == null || why.first().reason() != waiting.reason()) {
        continue;
      }
      if (at.isAfter(asOf) || due.size() == MOST_RECORDS) {
        next = at.isBefore(next) ? at : next;
      } else {
        DecisionRecord.Waited body = DecisionRecord.Waited.of(why, waiting.recorded().begun());
        due.put(each.getKey(), new DecisionRecord(each.getKey(), waiting.from(), body));
      }
    }
    if (!due.isEmpty()) {
      if (!transactions.callFenced(lease, () -> store.keep(List.copyOf(due.values())))) {
        retryRecord = asOf.plus(RETRY);
        return;
      }
      due.keySet().forEach(job -> jobs.computeIfPresent(job, (id, w) -> w.asRecorded(asOf)));
    }
    nextRecord = next;
  }

  /**
   * @throws dev.fairlead.kernel.transaction.FenceLost when another scheduler acts
   */
  public void keep(HeldLease lease, Plan plan) {
    boolean found = epoch != lease.epoch();
    if (found) {
      epoch = lease.epoch();
      jobs = new HashMap<>();
      classes = new TreeMap<>();
    }
    long nanos = clock.nanos();
    Map<JobId, Waiting> jobsNow = new HashMap<>();
    Map<JobId, String> changedJobs = new TreeMap<>();
    Set<JobId> placed = placed(plan);
    Instant next = Instant.MAX;
    for (Decision decision : plan.decisions()) {
      if (decision instanceof Decision.Hold hold) {
        Waiting before = jobs.get(hold.job());
        Explanation why = plan.explanations().get(hold.classKey());
        Reason reason = why == null ? Reason.NOT_EVALUATED : why.first().reason();
        Waiting waiting =
            before == null || placed.contains(hold.job())
                ? Waiting.begins(hold.classKey(), reason, plan.asOf(), !found)
                : before.now(hold.classKey(), reason, plan.asOf());
        jobsNow.put(hold.job(), waiting);
        next = waiting.due().isBefore(next) ? waiting.due() : next;
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
    nextRecord = next;
    waiting(lease, plan.asOf());
  }

  /** The rest of an array waits from the start of an element. */
  private static Set<JobId> placed(Plan plan) {
    Set<JobId> placed = new HashSet<>();
    for (Decision decision : plan.decisions()) {
      if (decision instanceof Decision.Place place) {
        placed.add(place.job());
      }
    }
    return placed;
  }
}
