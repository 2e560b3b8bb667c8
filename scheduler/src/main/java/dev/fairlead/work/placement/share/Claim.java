package dev.fairlead.work.placement.share;

import org.jspecify.annotations.Nullable;

/**
 * What one queue brings to the division of one resource, in units of that resource.
 *
 * @param parent name of the queue that it divides the share of; null at the root
 * @param created order of creation, 0 = oldest; breaks ties
 * @param priority queues of higher priority divide first
 * @param quota what it is due before anything is divided; {@link #UNLIMITED} = everything
 * @param limit most that it may have; {@link #UNLIMITED} = no limit
 * @param weight part of what is left beyond the quotas; 0 = none of it
 * @param request what it asks for; of a group, the sum of its children
 */
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

  /** What it could use at most. */
  double wanted() {
    return limit == UNLIMITED ? request : Math.min(request, limit);
  }
}
