package dev.fairlead.front;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A Job of a front cluster that Fairlead has adopted, until the cluster shows its end or the Job is
 * deleted.
 *
 * @param uid UID of the Job, the key of its single submission
 * @param job the job that runs it, null until it is stored
 * @param suspended whether the Job requested that at its last check
 */
@RecordBuilder
public record FrontJob(
    ClusterId cluster,
    String uid,
    String namespace,
    String name,
    TenantId tenant,
    ProjectId project,
    @Nullable JobId job,
    boolean suspended,
    Instant takenAt)
    implements FrontJobBuilder.With {
  /** Returns the row with the id of the submitted job. */
  public FrontJob submitted(JobId as) {
    return withJob(as);
  }

  /** Returns the row after the Job requested a suspension or a resume. */
  public FrontJob suspended(boolean now) {
    return withSuspended(now);
  }

  /** Namespace and name, human-readable. */
  public String text() {
    return namespace + "/" + name;
  }
}
