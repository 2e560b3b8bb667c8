package dev.fairlead.job.service;

import dev.fairlead.audit.AuditLog;
import dev.fairlead.audit.AuditRecord;
import dev.fairlead.identity.IdKind;
import dev.fairlead.identity.IdText;
import dev.fairlead.identity.JobId;
import dev.fairlead.job.Job;
import dev.fairlead.job.JobStore;
import dev.fairlead.job.JobTransitions;
import dev.fairlead.job.JobWriter;
import dev.fairlead.tenant.Actor;
import java.util.List;

/** Stores accepted jobs with their audit rows, and finds those of earlier requests. */
final class SubmitWrites {
  static final String SUBMIT = "submitJob";
  private final JobStore jobs;
  private final JobWriter writer;
  private final AuditLog audit;

  SubmitWrites(JobStore jobs, JobWriter writer, AuditLog audit) {
    this.jobs = jobs;
    this.writer = writer;
    this.audit = audit;
  }

  /**
   * A job that is accepted.
   *
   * @param actor with the request that sent it
   */
  record Accepted(Actor actor, Job job) {}

  /** In a transaction. */
  void store(List<Accepted> accepted) {
    writer.write(accepted.stream().map(Accepted::job).map(JobTransitions::submit).toList());
    audit.append(
        accepted.stream()
            .map(one ->
                AuditRecord.change(one.actor(), SUBMIT, null, one.job(), of -> of.id().text()))
            .toList());
  }

  /** What an earlier request with the same key made. */
  Submitted replayed(Actor actor, String reference) {
    JobId id = new JobId(IdText.decode(IdKind.JOB, reference).orElseThrow());
    return new Submitted(
        jobs.find(actor.tenant(), id).orElseThrow(() -> JobQueries.notFound(id)), List.of(), true);
  }
}
