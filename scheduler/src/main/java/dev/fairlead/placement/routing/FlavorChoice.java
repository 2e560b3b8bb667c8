package dev.fairlead.placement.routing;

import dev.fairlead.quota.QuotaCell;
import dev.fairlead.quota.QuotaNodeId;
import dev.fairlead.quota.QuotaTree;
import dev.fairlead.resources.Flavor;
import dev.fairlead.resources.Saturating;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Picks a flavor for resources that get theirs together, by what the quota tree has (the flavor
 * assignment of Kueue): the flavors in order, until the search may stop, else the best of all.
 */
public final class FlavorChoice {
  private final QuotaTree tree;
  private final QuotaTree unused;
  private final Subtrees subtrees;
  private final QuotaNodeId queue;
  private final FlavorSearch search;
  private final EvictionOutlook outlook;

  public FlavorChoice(
      QuotaTree tree, QuotaNodeId queue, FlavorSearch search, EvictionOutlook outlook) {
    this.tree = tree;
    this.queue = queue;
    this.search = search;
    this.outlook = outlook;
    unused = new QuotaTree(tree.nodes(), List.of());
    subtrees = new Subtrees(tree);
  }

  /**
   * What was picked.
   *
   * @param flavor null when none fits
   * @param fits by resource
   */
  public record Pick(@Nullable Flavor flavor, SortedMap<String, Fit> fits, Standing standing) {
    static final Pick NONE = new Pick(null, new TreeMap<>(), new Standing(Fit.DOES_NOT_FIT, 0));
  }

  /**
   * The flavor for a group of resources.
   *
   * @param flavors those that the members can run on, in order of search
   * @param asked base units by resource
   * @param before base units that the same job already takes, by cell
   */
  public Pick pick(
      List<Flavor> flavors, SortedMap<String, Long> asked, Map<QuotaCell, Long> before) {
    Pick best = Pick.NONE;
    for (Flavor flavor : flavors) {
      Pick pick = on(flavor, asked, before);
      if (search.stopsAt(pick.standing())) {
        return pick;
      }
      if (pick.standing().betterThan(best.standing(), search.preferPreemption())) {
        best = pick;
      }
    }
    return best;
  }

  private Pick on(Flavor flavor, SortedMap<String, Long> asked, Map<QuotaCell, Long> before) {
    SortedMap<String, Fit> fits = new TreeMap<>();
    Standing worst = Standing.BEST;
    for (Map.Entry<String, Long> resource : asked.entrySet()) {
      QuotaCell cell = new QuotaCell(flavor, resource.getKey());
      long amount = Saturating.plus(before.getOrDefault(cell, 0L), resource.getValue());
      Standing standing = standing(cell, amount);
      fits.put(resource.getKey(), standing.fit());
      worst = worst.worse(standing);
    }
    return new Pick(flavor, fits, worst);
  }

  private Standing standing(QuotaCell cell, long amount) {
    Subtrees.Smallest room = subtrees.holding(queue, cell, amount);
    if (amount > unused.available(queue, cell)) {
      return new Standing(Fit.DOES_NOT_FIT, room.height());
    }
    if (amount <= tree.available(queue, cell)) {
      return new Standing(Fit.FITS, room.height());
    }
    boolean within = amount <= tree.nominal(queue, cell);
    if (within || room.reclaims() || search.evictWhileBorrowing()) {
      return outlook.after(cell, amount);
    }
    return new Standing(Fit.DOES_NOT_FIT, room.height());
  }
}
