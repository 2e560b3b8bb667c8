package dev.fairlead.work.job.service;

import dev.fairlead.kernel.idempotency.Idempotency;
import dev.fairlead.kernel.idempotency.RequestKey;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Grant;
import dev.fairlead.people.tenant.Permissions;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobTransitions;
import dev.fairlead.work.job.Transition;
import dev.fairlead.work.job.store.JobAction;
import dev.fairlead.work.job.store.JobFilter;
import dev.fairlead.work.job.store.JobSlice;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.job.store.JobWriter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/**
 * Cancels many jobs in one transaction, or none if their number differs from the expected number.
 */
@Service
public class JobBulk {
  /** Maximum number of jobs of one request. */
  public static final int MOST = 1_000;

  private static final String OPERATION = "bulkCancelJobs";
  private final Transactions transactions;
  private final JobStore jobs;
  private final JobWriter writer;
  private final Idempotency idempotency;
  private final AuditLog audit;

  public JobBulk(
      Transactions transactions,
      JobStore jobs,
      JobWriter writer,
      Idempotency idempotency,
      AuditLog audit) {
    this.transactions = transactions;
    this.jobs = jobs;
    this.writer = writer;
    this.idempotency = idempotency;
    this.audit = audit;
  }

  /**
   * Cancels every job of the filter that can be cancelled.
   *
   * @param filter its first page, of any size. The order has no effect
   * @param expected number that the caller expects
   * @return number of jobs that are cancelled, or would be
   * @throws Refusal COUNT_MISMATCH with both numbers, LIMIT_EXCEEDED for more than {@link #MOST},
   *     FORBIDDEN for jobs of another user, IDEMPOTENCY_*
   */
  public int cancel(
      Actor actor,
      JobFilter filter,
      long expected,
      @Nullable RequestKey key,
      boolean validateOnly) {
    RequestKey effective = validateOnly ? null : key;
    return transactions.call(() -> {
      Optional<String> earlier = idempotency.earlier(actor, OPERATION, effective);
      if (earlier.isPresent()) {
        return Integer.parseInt(earlier.get());
      }
      List<Job> found =
          jobs.lock(matching(allowed(actor, filter))).stream()
              .filter(JobBulk::cancellable)
              .toList();
      if (found.size() != expected) {
        throw moved(expected, found.size());
      }
      if (!validateOnly) {
        cancel(actor, found);
        idempotency.remember(actor, OPERATION, effective, Integer.toString(found.size()));
      }
      return found.size();
    });
  }

  /** Restricts the filter to own jobs if the actor may cancel no others. */
  private static JobFilter allowed(Actor actor, JobFilter filter) {
    if (Permissions.grant(actor, OPERATION) != Grant.OWN) {
      return filter;
    }
    if (filter.user() != null && !filter.user().equals(actor.name())) {
      throw Permissions.notOwn(actor, OPERATION, filter.user());
    }
    return filter.of(actor.name());
  }

  private List<JobId> matching(JobFilter filter) {
    List<JobId> ids = new ArrayList<>();
    JobFilter next = filter;
    while (next != null) {
      JobSlice page = jobs.list(next);
      page.jobs().stream().filter(JobBulk::cancellable).map(Job::id).forEach(ids::add);
      if (ids.size() > MOST) {
        throw new Refusal(
            ProblemCode.LIMIT_EXCEEDED,
            "More than " + MOST + " jobs match. Narrow the filter, for example by createdAfter.");
      }
      next = page.next() == null ? null : next.behind(page.next());
    }
    return ids;
  }

  private static boolean cancellable(Job job) {
    return JobAction.CANCEL.refusedFor(job).isEmpty();
  }

  private void cancel(Actor actor, List<Job> found) {
    Instant now = jobs.now();
    List<Transition> transitions = new ArrayList<>();
    Set<JobId> live =
        jobs.liveAttempts(found.stream().map(Job::id).toList()).stream()
            .map(Attempt::job)
            .collect(Collectors.toSet());
    for (Job job : found) {
      JobTransitions.cancel(job, live.contains(job.id()), now, actor.name())
          .ifPresent(transitions::add);
    }
    writer.write(transitions);
    if (!found.isEmpty()) {
      List<String> ids = found.stream().map(job -> job.id().text()).toList();
      audit.append(AuditRecord.ofJobs(actor, OPERATION, ids));
    }
  }

  private static Refusal moved(long expected, long actual) {
    TreeMap<String, Object> numbers = new TreeMap<>();
    numbers.put("expected", expected);
    numbers.put("actual", actual);
    return new Refusal(
        ProblemCode.COUNT_MISMATCH,
        "The filter matches "
            + actual
            + " jobs that can be cancelled, not "
            + expected
            + ". Check them and send the new number.",
        List.of(),
        numbers);
  }
}
