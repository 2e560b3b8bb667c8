package dev.fairlead.people.legalhold;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Keeps jobs, and what was decided of them, from being deleted: those of a tenant, of one of its
 * projects, or one job.
 *
 * @param name a DNS label, unique in the tenant
 * @param reason why, 1 to {@value #LONGEST_REASON} characters
 * @param project the only one whose jobs it keeps; null for all, and where it keeps one job
 * @param job the only one that it keeps; null for all
 * @param from it keeps what was decided at this time or later, and jobs that had not ended before;
 *     null for all times before {@code to}
 * @param to it keeps what was decided before this time, and jobs that were submitted before; null
 *     for what is still to come, too
 */
public record LegalHold(
    TenantId tenant,
    String name,
    String reason,
    @Nullable ProjectId project,
    @Nullable JobId job,
    @Nullable Instant from,
    @Nullable Instant to,
    Change changed) {
  /** Of one tenant. */
  public static final int MOST = 200;

  /** In characters. */
  public static final int LONGEST_REASON = 500;

  /**
   * The last change.
   *
   * @param by principal that made it
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
   * Whether it keeps a job, which is of its tenant.
   *
   * @param ended null while it has not
   */
  public boolean keeps(JobId id, ProjectId of, Instant submitted, @Nullable Instant ended) {
    return (job == null || job.equals(id))
        && (project == null || project.equals(of))
        && (to == null || submitted.isBefore(to))
        && (from == null || ended == null || !ended.isBefore(from));
  }

  /** Whether it keeps all of the project, which is of its tenant, at some time. */
  public boolean keeps(ProjectId of) {
    return job == null && (project == null || project.equals(of));
  }

  /** What a deletion is refused with. */
  public Refusal refusal(String what) {
    return new Refusal(
        ProblemCode.IN_USE,
        "%s is kept by legal hold \"%s\". It can be deleted when an owner of the tenant has deleted the hold."
            .formatted(what, name));
  }
}
