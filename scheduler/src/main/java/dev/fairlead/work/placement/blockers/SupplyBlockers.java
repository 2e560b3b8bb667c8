package dev.fairlead.work.placement.blockers;

import dev.fairlead.care.supply.StockOut;
import dev.fairlead.care.supply.SupplyOffer;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.placement.ledger.ClusterCapacity;
import dev.fairlead.work.placement.ledger.Fleet;
import dev.fairlead.work.placement.routing.FlavorAssignments;
import dev.fairlead.work.placement.shape.GangShape;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** Explains the state of nodes that a provisioner may add to a pool for the job. */
public final class SupplyBlockers {
  private static final int HALF_A_MINUTE = 30;

  private SupplyBlockers() {}

  /** Returns blockers for pools that are open to the gang and could hold it on supplied nodes. */
  public static List<Blocker> of(GangShape gang, Fleet fleet) {
    Fleet supplied = fleet.supplied();
    if (supplied == null) {
      return List.of();
    }
    List<ClusterCapacity> holding =
        FlavorAssignments.of(gang, supplied).stream()
            .filter(assignment -> NeverFits.holds(gang, assignment))
            .map(assignment -> assignment.cluster())
            .toList();
    List<Blocker> blockers = new ArrayList<>();
    for (SupplyOffer offer : fleet.offers()) {
      holding.stream()
          .filter(part -> part.cluster().id().equals(offer.cluster()))
          .filter(part -> offer.nodePool().equals(part.pool()))
          .findFirst()
          .ifPresent(part -> blockers.add(of(offer, part.name())));
    }
    return blockers;
  }

  private static Blocker of(SupplyOffer offer, String cluster) {
    SortedMap<String, Long> numbers = new TreeMap<>();
    StockOut stockOut = offer.stockOut();
    String pool = offer.nodePool().name();
    Instant since = offer.since();
    if (since != null) {
      numbers.put("coming", (long) offer.coming());
      String text =
          "%d nodes were requested for pool %s at %s"
              .formatted(offer.coming(), pool, since.truncatedTo(ChronoUnit.SECONDS));
      return new Blocker(Reason.CAPACITY, Blockers.cluster(cluster), text, numbers, null);
    }
    if (stockOut != null) {
      numbers.put("refusals", (long) stockOut.refusals());
      numbers.put("untilEpochSeconds", stockOut.until().getEpochSecond());
      String text =
          stockOut.misfit() != null
              ? misfit(stockOut, pool)
              : "STOCK_OUT until about %s, %d %s: the provisioner of pool %s has no %s nodes for %s"
                  .formatted(
                      minute(stockOut.until()),
                      stockOut.refusals(),
                      stockOut.refusals() == 1 ? "refusal" : "refusals",
                      pool,
                      offer.kind().model(),
                      cluster);
      return new Blocker(Reason.STOCK_OUT, Blockers.cluster(cluster), text, numbers, null);
    }
    numbers.put("room", (long) offer.room());
    String text =
        "pool %s may get %d more nodes from its provisioner".formatted(pool, offer.room());
    return new Blocker(Reason.CAPACITY, Blockers.cluster(cluster), text, numbers, null);
  }

  private static String misfit(StockOut stockOut, String pool) {
    return ("pool %s requests no nodes from its provisioner until about %s, or until its supply is set again: %s; correct the "
            + "provisioner, or the supply's description of its nodes (fairlead pool supply set %s)")
        .formatted(pool, minute(stockOut.until()), stockOut.misfit(), pool);
  }

  private static Instant minute(Instant time) {
    return time.plusSeconds(HALF_A_MINUTE).truncatedTo(ChronoUnit.MINUTES);
  }
}
