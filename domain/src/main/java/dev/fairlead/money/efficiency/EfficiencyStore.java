package dev.fairlead.money.efficiency;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.AttemptId;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What is kept of the efficiency of attempts: one row for each that was sampled. */
public interface EfficiencyStore {
  /** Most attempts of one call. */
  int MOST = 1_000;

  /** Time of the database. */
  Instant now();

  /**
   * Those of the attempts that run on the cluster, of all tenants; by id.
   *
   * @param attempts at most {@link #MOST}, by what their pods are called; ids of nothing are left
   *     out
   */
  List<SampledAttempt> running(ClusterId cluster, Collection<AttemptId> attempts);

  /**
   * Stores them in place of what was stored of their attempts, in one statement; those whose
   * attempt is gone are left out.
   *
   * @param rows at most {@link #MOST}
   */
  void write(Collection<Efficiency> rows);

  /**
   * Running attempts of the tenant that are idle, those idle longest first.
   *
   * @param projects only those of jobs of these projects; null for all of the tenant
   * @param most of them, from 1
   */
  List<IdleAttempt> idle(TenantId tenant, @Nullable Collection<ProjectId> projects, int most);

  /** What was got back from idle jobs of the tenant. */
  ReclaimedSum reclaimed(TenantId tenant);

  /** Of these attempts of the tenant, those that were sampled; by attempt. */
  List<Efficiency> of(TenantId tenant, Collection<AttemptId> attempts);
}
