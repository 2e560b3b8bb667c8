package dev.fairlead.money.efficiency;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.AttemptId;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Stored efficiency of attempts: one row for each sampled attempt. */
public interface EfficiencyStore {
  /** Maximum number of attempts of one call. */
  int MOST = 1_000;

  /** Time of the database. */
  Instant now();

  /**
   * Running attempts of the given ids on the cluster, of all tenants. By id.
   *
   * @param attempts at most {@link #MOST}, by pod names. Unknown ids are skipped
   */
  List<SampledAttempt> running(ClusterId cluster, Collection<AttemptId> attempts);

  /**
   * Replaces the rows of their attempts, in one statement. Skips rows of attempts that no longer
   * exist.
   *
   * @param rows at most {@link #MOST}
   */
  void write(Collection<Efficiency> rows);

  /**
   * Running attempts of the tenant that are idle, those idle longest first.
   *
   * @param projects only jobs of these projects, null for the whole tenant
   * @param most maximum number of results, from 1
   */
  List<IdleAttempt> idle(TenantId tenant, @Nullable Collection<ProjectId> projects, int most);

  /** GPU-hours recovered from idle jobs of the tenant. */
  ReclaimedSum reclaimed(TenantId tenant);

  /** Efficiency of the sampled attempts of these ids in the tenant. Keyed by attempt. */
  List<Efficiency> of(TenantId tenant, Collection<AttemptId> attempts);
}
