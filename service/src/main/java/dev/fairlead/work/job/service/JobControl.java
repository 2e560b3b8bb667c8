package dev.fairlead.work.job.service;

import dev.fairlead.kernel.idempotency.Idempotency;
import dev.fairlead.kernel.idempotency.RequestKey;
import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.identity.IdText;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.legalhold.LegalHoldStore;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.TenantStore;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.CheckTransitions;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobElement;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.OwnerTransitions;
import dev.fairlead.work.job.Transition;
import dev.fairlead.work.job.service.query.JobQueries;
import dev.fairlead.work.job.store.JobAction;
import dev.fairlead.work.job.store.JobRemovals;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.job.store.JobWriter;
import dev.fairlead.work.job.submit.SubmitPolicies;
import dev.fairlead.work.spec.JobSpec;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/**
 * Suspends, resumes, requeues, patches and deletes jobs. Each operation is one transaction: the
 * job, its stop orders, its events, the audit row and the response of its idempotency key.
 */
@Service
public class JobControl {
  private static final int RETRY_SECONDS = 2;
  private final Transactions transactions;
  private final JobStore jobs;
  private final JobWriter writer;
  private final Idempotency idempotency;
  private final LegalHoldStore holds;
  private final JobRemovals removals;
  private final AuditLog audit;
  private final SubmitPolicies policies;
  private final TenantStore tenants;

  public JobControl(
      Transactions transactions,
      JobStore jobs,
      JobWriter writer,
      Idempotency idempotency,
      LegalHoldStore holds,
      JobRemovals removals,
      AuditLog audit,
      SubmitPolicies policies,
      TenantStore tenants) {
    this.transactions = transactions;
    this.jobs = jobs;
    this.writer = writer;
    this.idempotency = idempotency;
    this.holds = holds;
    this.removals = removals;
    this.audit = audit;
    this.policies = policies;
    this.tenants = tenants;
  }

  /**
   * A requested operation.
   *
   * @param key null when the caller sent none
   * @param validateOnly rolls back instead of storing
   */
  public record Order(Actor actor, JobId job, @Nullable RequestKey key, boolean validateOnly) {}

  /** Computes the writes of an operation from the locked job, empty when the state forbids it. */
  @FunctionalInterface
  private interface Move {
    Optional<List<Transition>> from(Job job, List<Attempt> live, Instant now);
  }

  /**
   * Suspends the job. Its live attempts stop with their grace period and hold their resources until
   * they are dead.
   *
   * @throws Refusal NOT_FOUND, ILLEGAL_STATE, IDEMPOTENCY_*
   */
  public Job suspend(Order order) {
    String actor = order.actor().name();
    return moved(
        order,
        JobAction.SUSPEND,
        (job, live, now) -> OwnerTransitions.suspend(job, live, now, actor));
  }

  /**
   * Resumes a suspended job: it is queued again.
   *
   * @throws Refusal as {@link #suspend}
   */
  public Job resume(Order order) {
    return moved(
        order,
        JobAction.RESUME,
        (job, live, now) -> OwnerTransitions.resume(job, now, order.actor().name()));
  }

  /**
   * Stops live attempts and queues the job again. Ends the back-off of a waiting job.
   *
   * @throws Refusal as {@link #suspend}
   */
  public Job requeue(Order order) {
    String actor = order.actor().name();
    return moved(
        order,
        JobAction.REQUEUE,
        (job, live, now) -> OwnerTransitions.requeue(job, backingOff(job), live, now, actor));
  }

  /**
   * Records that the running attempts of the job have saved their work, which protects them in the
   * choice of victims. For an array this covers all running elements.
   *
   * @throws Refusal as {@link #suspend}
   */
  public Job checkpoint(Order order) {
    String actor = order.actor().name();
    return moved(
        order,
        JobAction.CHECKPOINT,
        (job, live, now) -> OwnerTransitions.checkpoint(job, live, now, actor));
  }

  private List<JobElement> backingOff(Job job) {
    return job.array() == null
        ? List.of()
        : jobs.elements(job.id(), 0, job.array().elements()).stream()
            .filter(e -> e.run().state() == JobState.QUEUED && e.run().retryAt() != null)
            .toList();
  }

  /**
   * Deletes a job that has ended, with all its data except events.
   *
   * @throws Refusal NOT_FOUND, ILLEGAL_STATE until no object of it is left on its cluster, IN_USE
   *     while an active job depends on it or a legal hold covers it
   */
  public void delete(Order order) {
    transactions.run(() -> {
      Job job = locked(order);
      refuseUnless(JobAction.DELETE, job);
      jobs.dependent(order.actor().tenant(), job.id())
          .ifPresent(other -> {
            throw new Refusal(
                ProblemCode.IN_USE,
                "Job " + other + " depends on job " + job.name() + " and has not ended.");
          });
      if (jobs.attempts(job.id(), JobQueries.MOST_ATTEMPTS).stream()
          .anyMatch(attempt -> attempt.retiredAt() == null)) {
        throw refused(JobAction.DELETE, job, JobAction.OUTPUT_KEPT);
      }
      refuseHeld(job);
      if (!order.validateOnly()) {
        removed(order, job);
      }
    });
  }

  private void refuseHeld(Job job) {
    Instant ended = job.run().endedAt();
    holds.inForce(job.tenant()).stream()
        .filter(hold -> hold.keeps(job.id(), job.project(), job.createdAt(), ended))
        .findFirst()
        .ifPresent(hold -> {
          throw hold.refusal("Job " + job.name());
        });
  }

  /** Writes no event for an archived job, because the events of its life are deleted too. */
  private void removed(Order order, Job job) {
    if (!jobs.lock(List.of(job.id())).isEmpty()) {
      removals.deletes(job);
      writer.write(List.of(OwnerTransitions.delete(job, order.actor().name())));
    }
    if (!jobs.delete(job.id())) {
      throw refused(JobAction.DELETE, job, JobAction.OUTPUT_KEPT);
    }
    audit.append(
        AuditRecord.change(
            order.actor(), operation(JobAction.DELETE), job, null, of -> of.id().text()));
  }

  /**
   * Changes the spec.
   *
   * @param expected version that the caller has read, null for any
   * @param change returns the new spec of the locked job, with its live attempts. An equal spec
   *     changes nothing
   * @param fields names of the fields in the request
   * @throws Refusal NOT_FOUND, ILLEGAL_STATE, VERSION_MISMATCH, POLICY_VIOLATION, and the refusals
   *     of the change
   */
  public Job patch(
      Order order,
      @Nullable Long expected,
      BiFunction<Job, List<Attempt>, JobSpec> change,
      List<String> fields) {
    return transactions.call(() -> {
      Job job = locked(order);
      if (expected != null && expected != job.version()) {
        throw Refusal.changed("Job " + job.name());
      }
      JobAction.patchRefused(job, fields)
          .ifPresent(why -> {
            throw unpatchable(job, why);
          });
      JobSpec spec = change.apply(job, jobs.liveAttempts(job.id()));
      if (spec.equals(job.spec())) {
        return job;
      }
      tenants
          .project(job.tenant(), job.project())
          .ifPresent(project -> policies.require(job.tenant(), job.user(), project, spec));
      List<Transition> chain =
          List.of(OwnerTransitions.patch(job, spec, fields, order.actor().name()));
      return written(order, operation(JobAction.PATCH), job, chain);
    });
  }

  /**
   * Stores the report of an admission check. A repeated report changes nothing.
   *
   * @throws Refusal NOT_FOUND, ILLEGAL_STATE when the job does not wait for that request
   */
  public Job report(Order order, CheckTransitions.Report report) {
    return transactions.call(() -> {
      Job job = locked(order);
      if (job.checks().stream().anyMatch(report::repeats)) {
        return job;
      }
      Transition reported =
          CheckTransitions.report(job, report, jobs.now(), order.actor().name())
              .orElseThrow(() -> new Refusal(ProblemCode.ILLEGAL_STATE, unasked(job, report)));
      return written(order, "reportJobCheck", job, List.of(reported));
    });
  }

  private static String unasked(Job job, CheckTransitions.Report report) {
    String current =
        job.checks().stream()
            .filter(check -> check.name().equals(report.check()) && job.current(check))
            .map(check -> " The current request is " + check.request() + ".")
            .findFirst()
            .orElse("");
    return "Job %s in state %s does not wait for request %d of check '%s'.%s"
        .formatted(job.name(), job.state(), report.request(), report.check(), current);
  }

  private Job moved(Order order, JobAction action, Move move) {
    return transactions.call(() -> {
      RequestKey key = order.validateOnly() ? null : order.key();
      Optional<String> earlier = idempotency.earlier(order.actor(), operation(action), key);
      if (earlier.isPresent()) {
        return replayed(order.actor(), earlier.get());
      }
      Job job = locked(order);
      refuseUnless(action, job);
      List<Transition> chain =
          move.from(job, jobs.liveAttempts(job.id()), jobs.now())
              .orElseThrow(() -> refused(action, job, "its state does not allow it"));
      idempotency.remember(order.actor(), operation(action), key, job.id().text());
      return written(order, operation(action), job, chain);
    });
  }

  private Job written(Order order, String operation, Job before, List<Transition> chain) {
    Job after = chain.getLast().job();
    if (!order.validateOnly()) {
      writer.write(chain);
      audit.append(
          AuditRecord.change(order.actor(), operation, before, after, of -> of.id().text()));
    }
    return after;
  }

  private Job locked(Order order) {
    return jobs.find(order.actor().tenant(), order.job())
        .flatMap(
            seen -> jobs.lock(List.of(seen.id())).stream().findFirst().or(() -> Optional.of(seen)))
        .orElseThrow(() -> JobQueries.notFound(order.job()));
  }

  private Job replayed(Actor actor, String reference) {
    JobId id = new JobId(IdText.decode(IdKind.JOB, reference).orElseThrow());
    return jobs.find(actor.tenant(), id).orElseThrow(() -> JobQueries.notFound(id));
  }

  private static void refuseUnless(JobAction action, Job job) {
    action
        .refusedFor(job)
        .ifPresent(why -> {
          throw refused(action, job, why);
        });
  }

  private static Refusal refused(JobAction action, Job job, String why) {
    return new Refusal(ProblemCode.ILLEGAL_STATE, cannot(action, job, why));
  }

  private static String cannot(JobAction action, Job job, String why) {
    String done =
        switch (action) {
          case CANCEL -> "cancelled";
          case SUSPEND -> "suspended";
          case RESUME -> "resumed";
          case REQUEUE -> "requeued";
          case CHECKPOINT -> "asked for a checkpoint";
          case PATCH -> "changed";
          case DELETE -> "deleted";
        };
    return "Job " + job.name() + " cannot be " + done + ": " + why + ".";
  }

  /** Refuses a patch. A starting job can be patched once it runs. */
  private static Refusal unpatchable(Job job, String why) {
    TreeMap<String, Object> numbers = new TreeMap<>();
    if (!job.run().ended() && job.state() != JobState.CANCELLING) {
      numbers.put(Refusal.RETRY_AFTER, RETRY_SECONDS);
    }
    return new Refusal(
        ProblemCode.ILLEGAL_STATE, cannot(JobAction.PATCH, job, why), List.of(), numbers);
  }

  private static String operation(JobAction action) {
    return action.wire() + "Job";
  }
}
