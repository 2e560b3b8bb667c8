package dev.fairlead.work.output;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.AttemptId;
import java.util.Collection;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;

/** Outputs of attempts, in the rows of the attempts. */
public interface OutputStore {
  /**
   * Locks the attempt and all attempts of the job with outputs until the end of the transaction.
   *
   * @return outputs of the attempt, empty unless it is a live attempt of this job and tenant
   */
  Optional<SortedMap<String, String>> lock(TenantId tenant, JobId job, AttemptId attempt);

  /**
   * Replaces the outputs of a locked attempt, and deletes those of the other attempts of the job: a
   * job has one set of outputs.
   */
  void write(TenantId tenant, JobId job, AttemptId attempt, SortedMap<String, String> outputs);

  /** Outputs of the attempt, also of an archived job. Empty without any. */
  SortedMap<String, String> of(TenantId tenant, JobId job, AttemptId attempt);

  /**
   * Names of the outputs of the newest attempt of each job of any tenant, also of archived jobs,
   * for loops. Jobs without outputs are omitted.
   */
  SortedMap<JobId, SortedSet<String>> names(Collection<JobId> jobs);
}
