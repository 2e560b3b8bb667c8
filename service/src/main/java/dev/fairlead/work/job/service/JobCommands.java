package dev.fairlead.work.job.service;

import dev.fairlead.fleet.limit.LimitBook;
import dev.fairlead.kernel.idempotency.Idempotency;
import dev.fairlead.kernel.idempotency.RequestKey;
import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.identity.IdSource;
import dev.fairlead.kernel.identity.IdText;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.kernel.transaction.UnknownOutcome;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.JobTransitions;
import dev.fairlead.work.job.Transition;
import dev.fairlead.work.job.service.query.JobQueries;
import dev.fairlead.work.job.service.query.Submitted;
import dev.fairlead.work.job.service.spi.JobSubmits;
import dev.fairlead.work.job.service.spi.WarmMembers;
import dev.fairlead.work.job.service.submit.BatchReference;
import dev.fairlead.work.job.service.submit.BatchResult;
import dev.fairlead.work.job.service.submit.NewJob;
import dev.fairlead.work.job.service.submit.NewJobs;
import dev.fairlead.work.job.service.submit.SingleSubmits;
import dev.fairlead.work.job.service.submit.SubmitRules;
import dev.fairlead.work.job.service.submit.SubmitWrites;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.job.store.JobWriter;
import dev.fairlead.work.job.submit.FeasibilityCheck;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/**
 * Submits and cancels jobs. Each command is one transaction: the job, its events, the audit row and
 * the response of its idempotency key.
 */
@Service
public class JobCommands {
  static final int MOST_IN_BATCH = 1_000;
  private static final int MOST_RACES = 10;
  private static final String SUBMIT_ALL = "submitJobs";
  private final Transactions transactions;
  private final JobStore jobs;
  private final JobWriter writer;

  /** Result of an idempotency key that was used although no job was stored. */
  private static final JobId NO_JOB = new JobId(new UUID(0, 0));

  private final SubmitRules rules;
  private final Idempotency idempotency;
  private final AuditLog audit;
  private final NewJobs newJobs;
  private final SubmitWrites writes;
  private final SingleSubmits singles;

  public JobCommands(
      Transactions transactions,
      JobStore jobs,
      JobWriter writer,
      SubmitRules rules,
      Idempotency idempotency,
      WarmMembers warm,
      AuditLog audit,
      IdSource ids) {
    this.transactions = transactions;
    this.jobs = jobs;
    this.writer = writer;
    this.rules = rules;
    this.idempotency = idempotency;
    this.audit = audit;
    this.newJobs = new NewJobs(ids, rules, jobs);
    this.writes = new SubmitWrites(jobs, writer, rules, warm, audit);
    this.singles = new SingleSubmits(transactions, jobs, rules, idempotency, newJobs, writes);
  }

  /**
   * Stores a job in state QUEUED. When the connection is lost during the commit, the outcome is
   * read: by the key, which waits for the end of that commit, or by the job's id.
   *
   * @param validateOnly rolls back instead of storing
   * @throws Refusal NOT_FOUND (project), INVALID_FIELD (queue), NAME_IN_USE, LIMIT_EXCEEDED,
   *     IDEMPOTENCY_*, UNAVAILABLE when limits were not read yet
   * @throws UnknownOutcome without a key, when the job does not exist, or not yet
   */
  public Submitted submit(
      Actor actor, String project, NewJob wanted, @Nullable RequestKey key, boolean validateOnly) {
    FeasibilityCheck.OfFleet fleet = rules.fleet(List.of(wanted));
    SingleSubmits.Single single = new SingleSubmits.Single(actor, project, fleet, wanted, key);
    return warned(fleet, singles.submit(single, validateOnly));
  }

  /**
   * The job that an earlier submit with the key stored, even if it was deleted since. Without a
   * stored result the key is used up: a later submit with the key is refused, including one that a
   * process began before.
   *
   * @throws Refusal IDEMPOTENCY_* as for a submit
   */
  Optional<JobId> submitted(Actor actor, RequestKey key) {
    return transactions
        .call(() -> {
          Optional<String> earlier = idempotency.earlier(actor, SubmitWrites.SUBMIT, key);
          if (earlier.isEmpty()) {
            idempotency.remember(actor, SubmitWrites.SUBMIT, key, NO_JOB.text());
          }
          return earlier;
        })
        .flatMap(reference -> IdText.decode(IdKind.JOB, reference))
        .map(JobId::new)
        .filter(job -> !job.equals(NO_JOB));
  }

  /**
   * The result of an earlier {@link #submit} with the key.
   *
   * @throws Refusal IDEMPOTENCY_*, NOT_FOUND for a job that was deleted
   */
  public Optional<Submitted> repeated(Actor actor, RequestKey key) {
    return transactions.call(() ->
        idempotency
            .earlier(actor, SubmitWrites.SUBMIT, key)
            .map(reference -> writes.replayed(actor, reference)));
  }

  /**
   * The results of an earlier {@link #submitAll} with the key.
   *
   * @throws Refusal as {@link #repeated}
   */
  public Optional<List<BatchResult>> repeatedAll(Actor actor, RequestKey key) {
    return transactions.call(() -> earlierAll(actor, key));
  }

  private Optional<List<BatchResult>> earlierAll(Actor actor, @Nullable RequestKey key) {
    return idempotency
        .earlier(actor, SUBMIT_ALL, key)
        .map(earlier ->
            BatchReference.results(earlier, reference -> writes.replayed(actor, reference)));
  }

  /** Number of single submits of the caller to the project that wait for others to be stored. */
  int waiting(Actor actor, String project) {
    return singles.waiting(actor, project);
  }

  /**
   * Shared state of the steps of a batch.
   *
   * @param fleet read at most once
   * @param limits read before the transaction
   */
  private record Request(
      Actor actor, String project, FeasibilityCheck.OfFleet fleet, LimitBook limits) {}

  private Request request(Actor actor, String project, FeasibilityCheck.OfFleet fleet) {
    return new Request(actor, project, fleet, rules.limits());
  }

  /** Adds warnings after the commit: they hold no lock and add nothing to the transaction. */
  private static Submitted warned(FeasibilityCheck.OfFleet fleet, Submitted accepted) {
    if (accepted.replayed()) {
      return accepted;
    }
    List<String> warnings = new ArrayList<>(fleet.warnings(accepted.job()));
    warnings.addAll(accepted.warnings());
    return new Submitted(accepted.job(), warnings, false);
  }

  private static BatchResult warned(FeasibilityCheck.OfFleet fleet, BatchResult result) {
    return result instanceof BatchResult.Accepted accepted
        ? new BatchResult.Accepted(accepted.index(), warned(fleet, accepted.submitted()))
        : result;
  }

  /**
   * Submits several jobs in one transaction that holds the key. When another request concurrently
   * takes a name of the batch, the whole transaction is repeated and finds that name taken. After
   * {@value #MOST_RACES} such races every item is refused.
   *
   * @param atomic whether all items are stored or none. Otherwise each item is stored independently
   * @return one result per item, in order. With {@code atomic} either all accepted or at least one
   *     refused and none stored
   * @throws Refusal NOT_FOUND (project), LIMIT_EXCEEDED, IDEMPOTENCY_*
   */
  public List<BatchResult> submitAll(
      Actor actor,
      String project,
      List<NewJob> wanted,
      boolean atomic,
      @Nullable RequestKey key,
      boolean validateOnly) {
    FeasibilityCheck.OfFleet fleet = rules.fleet(wanted);
    Request request = request(actor, project, fleet);
    List<BatchResult> results = decided(request, wanted, atomic, key, validateOnly);
    return results.stream().map(result -> warned(fleet, result)).toList();
  }

  /**
   * A submit in a transaction that the caller opens later. Unlike a single submit, it does not
   * share its transaction with other requests, and reads no warnings, because they need another
   * view.
   */
  JobSubmits.Prepared prepared(Actor actor, String project, NewJob wanted) {
    List<NewJob> one = List.of(wanted);
    Request request = request(actor, project, rules.fleet(one));
    return () ->
        switch (decided(request, one, true, null, false).getFirst()) {
          case BatchResult.Accepted accepted -> accepted.submitted().job().id();
          case BatchResult.Refused refused -> throw refused.refusal();
        };
  }

  private List<BatchResult> decided(
      Request request,
      List<NewJob> wanted,
      boolean atomic,
      @Nullable RequestKey key,
      boolean validateOnly) {
    if (wanted.isEmpty() || wanted.size() > MOST_IN_BATCH) {
      throw new Refusal(
          ProblemCode.LIMIT_EXCEEDED,
          "A batch has 1 to " + MOST_IN_BATCH + " items, not " + wanted.size() + ".");
    }
    Actor actor = request.actor();
    RequestKey effective = validateOnly ? null : key;
    for (int tries = 1; ; tries++) {
      try {
        return transactions.call(() -> {
          Optional<List<BatchResult>> earlier = earlierAll(actor, effective);
          if (earlier.isPresent()) {
            return earlier.get();
          }
          List<BatchResult> results = batch(request, wanted, atomic, validateOnly);
          boolean stored =
              !atomic || results.stream().allMatch(r -> r instanceof BatchResult.Accepted);
          idempotency.remember(
              actor, SUBMIT_ALL, stored ? effective : null, BatchReference.of(results));
          return results;
        });
      } catch (Conflict raced) {
        if (tries == MOST_RACES) {
          return refusedBy(raced, wanted.size());
        }
      }
    }
  }

  /**
   * Stores the intent to cancel. A job without live attempts is cancelled immediately. A repeated
   * call has no effect.
   *
   * @throws Refusal NOT_FOUND, ILLEGAL_STATE when it has ended in another way
   */
  public Job cancel(Actor actor, JobId id) {
    return cancel(actor, id, false);
  }

  /** Like {@link #cancel(Actor, JobId)}. {@code validateOnly} rolls back instead of storing. */
  public Job cancel(Actor actor, JobId id, boolean validateOnly) {
    return transactions.call(() -> {
      Job job =
          jobs.find(actor.tenant(), id)
              .flatMap(seen -> jobs.lock(List.of(seen.id())).stream().findFirst())
              .orElseThrow(() -> JobQueries.notFound(id));
      if (job.state() == JobState.CANCELLED || job.state() == JobState.CANCELLING) {
        return job;
      }
      List<Attempt> live = jobs.liveAttempts(id);
      Transition transition =
          JobTransitions.cancel(job, !live.isEmpty(), jobs.now(), actor.name())
              .orElseThrow(() -> ended(job));
      if (!validateOnly) {
        writer.write(List.of(transition));
        audit.append(entry(actor, "cancelJob", job, transition.job()));
      }
      return transition.job();
    });
  }

  private List<BatchResult> batch(
      Request request, List<NewJob> wanted, boolean atomic, boolean validateOnly) {
    Actor actor = request.actor();
    Project owner = rules.project(actor, request.project());
    rules.room(owner, wanted.size(), request.limits());
    List<BatchResult> results = new ArrayList<>();
    NewJobs.Making making = newJobs.making(actor, owner, request.fleet(), wanted);
    for (int i = 0; i < wanted.size(); i++) {
      try {
        Job job = making.accept(i);
        results.add(new BatchResult.Accepted(i, new Submitted(job, rules.warnings(owner), false)));
      } catch (Refusal refusal) {
        results.add(new BatchResult.Refused(i, refusal));
      }
    }
    List<Job> accepted = making.accepted();
    boolean all = accepted.size() == wanted.size();
    if (!validateOnly && !accepted.isEmpty() && (all || !atomic)) {
      writes.store(accepted.stream().map(job -> new SubmitWrites.Accepted(actor, job)).toList());
    }
    return results;
  }

  private static List<BatchResult> refusedBy(Conflict raced, int size) {
    List<BatchResult> results = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      results.add(
          new BatchResult.Refused(
              i,
              new Refusal(
                  ProblemCode.NAME_IN_USE,
                  "Another request used a name of this batch: " + raced.subject())));
    }
    return results;
  }

  private static AuditRecord entry(Actor actor, String operation, @Nullable Job before, Job after) {
    return AuditRecord.change(actor, operation, before, after, of -> of.id().text());
  }

  private static Refusal ended(Job job) {
    return new Refusal(
        ProblemCode.ILLEGAL_STATE,
        "Job " + job.name() + " has ended as " + job.state() + " and cannot be cancelled.");
  }
}
