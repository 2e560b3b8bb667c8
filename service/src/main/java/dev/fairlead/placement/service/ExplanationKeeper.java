package dev.fairlead.placement.service;

import dev.fairlead.explanation.Blocker;
import dev.fairlead.explanation.Explanation;
import dev.fairlead.explanation.Reason;
import dev.fairlead.job.ExplanationStore;
import dev.fairlead.job.JobId;
import dev.fairlead.lease.HeldLease;
import dev.fairlead.loop.Leases;
import dev.fairlead.loop.MonotonicClock;
import dev.fairlead.placement.Decision;
import dev.fairlead.placement.Plan;
import dev.fairlead.transaction.Transactions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.springframework.stereotype.Component;

/**
 * Stores why jobs wait: a job's class when it changed, a class's text when its reason changed or at
 * most every ten seconds. What it knows to be stored holds for one term: under another, somebody
 * else may have written since.
 */
@Component
public class ExplanationKeeper {
  private static final long REFRESH_NANOS = Duration.ofSeconds(10).toNanos();
  private final Transactions transactions;
  private final ExplanationStore store;
  private final MonotonicClock clock;
  private long term = -1;
  private Map<JobId, String> jobs = new TreeMap<>();
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
   * @throws dev.fairlead.transaction.FenceLost when another scheduler acts
   */
  public void keep(HeldLease lease, Plan plan) {
    if (term != lease.term()) {
      term = lease.term();
      jobs = new TreeMap<>();
      classes = new TreeMap<>();
    }
    long nanos = clock.nanos();
    Map<JobId, String> jobsNow = new TreeMap<>();
    for (Decision decision : plan.decisions()) {
      if (decision instanceof Decision.Hold hold) {
        jobsNow.put(hold.job(), hold.classKey());
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
    Map<JobId, String> changedJobs = new TreeMap<>();
    jobsNow.forEach((job, key) -> {
      if (!key.equals(jobs.get(job))) {
        changedJobs.put(job, key);
      }
    });
    if (!changedClasses.isEmpty() || !changedJobs.isEmpty()) {
      transactions.runFenced(lease, () -> store.put(changedClasses, changedJobs));
    }
    jobs = jobsNow;
    classes = classesNow;
  }
}
