package dev.fairlead.people.legalhold;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Prevents the deletion of jobs and of decisions about them: in a tenant, in a project, or for a
 * single job.
 *
 * @param name a DNS label, unique in the tenant
 * @param reason 1 to {@value #LONGEST_REASON} characters
 * @param project the only covered project, null for all, and if it covers one job
 * @param job the only covered job, null for all
 * @param from covers decisions at this time or later, and jobs that had not ended before, null for
 *     all times before {@code to}
 * @param to covers decisions before this time, and jobs that were submitted before, null to include
 *     all future ones
 */
@RecordBuilder
public record LegalHold(
    TenantId tenant,
    String name,
    String reason,
    @Nullable ProjectId project,
    @Nullable JobId job,
    @Nullable Instant from,
    @Nullable Instant to,
    Change changed) {
  /** Maximum number in a tenant. */
  public static final int MOST = 200;

  /** Maximum length in characters. */
  public static final int LONGEST_REASON = 500;

  /**
   * The last change.
   *
   * @param by principal that created it
   */
  public record Change(Instant at, String by) {}

  public LegalHold {
    if (project != null && job != null) {
      throw new IllegalArgumentException("of a project and of a job: " + name);
    }
    if (from != null && to != null && !from.isBefore(to)) {
      throw new IllegalArgumentException("from " + from + " to " + to);
    }
  }

  /**
   * Returns whether the hold covers a job of its tenant.
   *
   * @param ended null while it has not ended
   */
  public boolean keeps(JobId id, ProjectId of, Instant submitted, @Nullable Instant ended) {
    return (job == null || job.equals(id))
        && (project == null || project.equals(of))
        && (to == null || submitted.isBefore(to))
        && (from == null || ended == null || !ended.isBefore(from));
  }

  /** Returns whether the hold covers the whole project of its tenant at some time. */
  public boolean keeps(ProjectId of) {
    return job == null && (project == null || project.equals(of));
  }

  /** Returns the refusal of a deletion. */
  public Refusal refusal(String what) {
    return new Refusal(
        ProblemCode.IN_USE,
        ("%s is protected by legal hold \"%s\". It can be deleted after an owner of the tenant"
                + " deletes the hold.")
            .formatted(what, name));
  }
}
