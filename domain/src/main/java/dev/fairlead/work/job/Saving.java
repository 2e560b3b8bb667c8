package dev.fairlead.work.job;

import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.money.price.Money;

/**
 * What a move back to reserved capacity is expected to bring.
 *
 * @param from what the attempt is paid for, of the first member with a GPU
 * @param fromCluster its cluster's name
 * @param to reserved capacity, which is paid for in any case
 * @param toCluster its cluster's name
 * @param perHour what is not paid any more for each hour that the job goes on
 * @param cost work since the last checkpoint and the new start, at the price of where it ran
 */
public record Saving(
    Flavor from, String fromCluster, Flavor to, String toCluster, Money perHour, Money cost) {
  /** What its owner reads. */
  public String text() {
    return "moved back from %s on %s to %s on %s: saves %s an hour, costs %s once"
        .formatted(from.text(), fromCluster, to.text(), toCluster, perHour.text(), cost.text());
  }
}
