package dev.fairlead.work.job.store;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.work.job.DecisionRecord;
import java.time.Instant;
import java.util.UUID;

/**
 * Selects the decisions of a tenant to read, by time.
 *
 * @param since lower bound, inclusive
 * @param until upper bound, exclusive
 * @param after rows after this position in their order
 * @param most maximum number, 1 or more
 */
public record DecisionRange(Instant since, Instant until, Place after, int most) {
  /**
   * Position of a decision in the order of all decisions.
   *
   * @param id rises with the decisions of one job
   */
  public record Place(Instant at, JobId job, long id) {
    public static final Place START = new Place(Instant.EPOCH, new JobId(new UUID(0, 0)), 0);
  }

  /**
   * A decision of a tenant.
   *
   * @param project project of its job
   * @param name name of its job
   */
  public record Row(Place place, ProjectId project, String name, DecisionRecord decision) {}
}
