package dev.fairlead.fleet.quota;

import dev.fairlead.fleet.quota.Counters.Drift;
import dev.fairlead.kernel.resources.Flavor;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A cell of a quota node with counters that differ from the rows that they count.
 *
 * @param held held amount of the same node and cell
 */
public record QuotaMiscount(QuotaUse counted, QuotaUse held) {
  /**
   * Returns the differences by node and cell. A cell that is missing on one side counts as zero.
   */
  public static List<QuotaMiscount> between(
      Collection<QuotaUse> counted, Collection<QuotaUse> held) {
    SortedMap<QuotaNodeId, SortedMap<QuotaCell, QuotaMiscount>> all = new TreeMap<>();
    counted.forEach(use -> add(all, new QuotaMiscount(use, none(use))));
    held.forEach(use -> add(all, new QuotaMiscount(none(use), use)));
    List<QuotaMiscount> wrong = new ArrayList<>();
    all.values().forEach(cells -> wrong.addAll(cells.values()));
    wrong.removeIf(each -> each.counted.equals(each.held));
    return wrong;
  }

  private static QuotaUse none(QuotaUse use) {
    return new QuotaUse(use.node(), use.cell(), 0);
  }

  private static void add(
      SortedMap<QuotaNodeId, SortedMap<QuotaCell, QuotaMiscount>> all, QuotaMiscount side) {
    all.computeIfAbsent(side.held.node(), n -> new TreeMap<>())
        .merge(side.held.cell(), side, (a, b) -> new QuotaMiscount(a.counted, b.held));
  }

  /** Returns one drift for each wrong counter. */
  public List<Drift> drifts() {
    List<Drift> drifts = new ArrayList<>();
    Flavor flavor = held.cell().flavor();
    String name = flavor.model() + "/" + flavor.capacity() + "/" + held.cell().resource();
    if (counted.used() != held.used()) {
      drifts.add(drift(name, counted.used(), held.used()));
    }
    if (counted.nonPreemptible() != held.nonPreemptible()) {
      drifts.add(
          drift(name + ", not preemptible", counted.nonPreemptible(), held.nonPreemptible()));
    }
    return drifts;
  }

  private Drift drift(String counter, long says, long is) {
    return new Drift(Counters.Kind.QUOTA, held.node().value(), counter, says, is);
  }
}
