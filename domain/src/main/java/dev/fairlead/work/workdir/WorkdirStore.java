package dev.fairlead.work.workdir;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Rows of archives of code, and the claims of the jobs that use them. An archive is uploaded,
 * stored and deleted. Only a stored archive is found.
 */
public interface WorkdirStore {
  /**
   * Returns the stored archive with the digest, and defers its deletion as if it had been stored
   * now, except in a transaction that only reads, such as the plan of a job.
   */
  Optional<Workdir> find(TenantId tenant, ProjectId project, String digest);

  /**
   * Reserves space for an upload.
   *
   * @param most maximum bytes of all archives of the project
   * @return false if the project would exceed the maximum
   */
  boolean begin(Workdir upload, long most);

  /**
   * Turns an upload into the stored archive of its digest.
   *
   * @return false if the upload was abandoned, or another upload of the digest was stored first
   */
  boolean complete(Workdir upload);

  /** Abandons an upload. Its space is free, and its pieces are deleted later. */
  void abandon(Workdir upload);

  /**
   * Claims a stored archive for a job of its project. The archive is retained as long as the job.
   *
   * @return false if the project has no such stored archive
   */
  boolean claim(TenantId tenant, ProjectId project, JobId job, String digest);

  /**
   * Ends uploads that are older than {@code upload}, and archives without a claim that were not
   * used for {@code unclaimed}. Ended uploads and archives can no longer be found or claimed.
   *
   * @return archives to delete, including archives of earlier calls that were not forgotten, at
   *     most {@code limit}
   */
  List<Workdir> condemn(Duration upload, Duration unclaimed, int limit);

  /** Removes the row of an archive after its pieces were deleted. */
  void forget(UUID id);
}
