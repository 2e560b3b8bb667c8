package dev.fairlead.work.placement.share;

import io.soabase.recordbuilder.core.RecordBuilder;
import org.jspecify.annotations.Nullable;

/**
 * The claim of one queue in the division of one resource, in units of that resource.
 *
 * @param parent name of the queue that divides its share among its children, null at the root
 * @param created order of creation, 0 = oldest, breaks ties
 * @param priority queues of higher priority divide first
 * @param quota amount before the division, {@link #UNLIMITED} = everything
 * @param limit maximum amount, {@link #UNLIMITED} = no limit
 * @param weight share of the amount that remains after the quotas, 0 for none
 * @param request requested amount, for a group the sum of its children
 */
@RecordBuilder
public record Claim(
    String name,
    @Nullable String parent,
    long created,
    int priority,
    double quota,
    double limit,
    double weight,
    double request) {
  public static final double UNLIMITED = -1;

  /** Returns the maximum usable amount. */
  double wanted() {
    return limit == UNLIMITED ? request : Math.min(request, limit);
  }
}
