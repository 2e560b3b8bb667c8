package dev.fairlead.work.placement.ordering;

import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.job.Job;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A rule that holds jobs back before capacity is evaluated. One computation decides and explains: a
 * refusal contains the numbers of the decision, and builds its text on request.
 */
interface Constraint {
  /**
   * Charges an element that starts or gets a reservation.
   *
   * @param as the class of the job, null for a job that was not tried yet
   */
  void takes(Job job, @Nullable EquivalenceClass as, QuotaNode queue);

  /** Returns why one more element of the job is refused, empty if it is admitted. */
  List<Supplier<Blocker>> refusals(Job job, @Nullable EquivalenceClass as, QuotaNode queue);
}
