package dev.fairlead.work.job.service.submit;

import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.identity.IdText;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobTransitions;
import dev.fairlead.work.job.service.query.JobQueries;
import dev.fairlead.work.job.service.query.Submitted;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.job.store.JobWriter;
import java.util.List;

/** Stores accepted jobs with their audit rows, and reads the jobs of earlier requests. */
public final class SubmitWrites {
  public static final String SUBMIT = "submitJob";
  private final JobStore jobs;
  private final JobWriter writer;
  private final SubmitRules rules;
  private final AuditLog audit;

  public SubmitWrites(JobStore jobs, JobWriter writer, SubmitRules rules, AuditLog audit) {
    this.jobs = jobs;
    this.writer = writer;
    this.rules = rules;
    this.audit = audit;
  }

  /**
   * An accepted job.
   *
   * @param actor with its request
   */
  public record Accepted(Actor actor, Job job) {}

  /**
   * Stores the jobs in the open transaction.
   *
   * @throws Refusal INVALID_FIELD for code that was deleted since it was checked
   */
  public void store(List<Accepted> accepted) {
    List<Job> made = accepted.stream().map(Accepted::job).toList();
    writer.write(made.stream().map(JobTransitions::submit).toList());
    rules.claim(made);
    audit.append(
        accepted.stream()
            .map(one ->
                AuditRecord.change(one.actor(), SUBMIT, null, one.job(), of -> of.id().text()))
            .toList());
  }

  /** The result of an earlier request with the same key. */
  public Submitted replayed(Actor actor, String reference) {
    JobId id = new JobId(IdText.decode(IdKind.JOB, reference).orElseThrow());
    return new Submitted(
        jobs.find(actor.tenant(), id).orElseThrow(() -> JobQueries.notFound(id)), List.of(), true);
  }
}
