package dev.fairlead.work.job;

import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.money.price.Money;

/**
 * Expected saving of a move back to reserved capacity.
 *
 * @param from paid capacity of the attempt, of the first member with a GPU
 * @param fromCluster its cluster's name
 * @param to reserved capacity, which is paid for in any case
 * @param toCluster its cluster's name
 * @param perHour saving for each further hour of the job
 * @param cost cost of the work since the last checkpoint and of the new start, at the price of the
 *     previous capacity
 */
public record Saving(
    Flavor from, String fromCluster, Flavor to, String toCluster, Money perHour, Money cost) {
  /** Message for its owner. */
  public String text() {
    return "moved back from %s on %s to %s on %s: saves %s an hour, costs %s once"
        .formatted(from.text(), fromCluster, to.text(), toCluster, perHour.text(), cost.text());
  }
}
