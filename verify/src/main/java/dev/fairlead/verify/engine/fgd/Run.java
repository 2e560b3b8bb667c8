package dev.fairlead.verify.engine.fgd;

import dev.fairlead.verify.CoreTime;
import dev.fairlead.work.placement.ledger.ClusterCapacity;
import dev.fairlead.work.placement.ledger.Fleet;
import dev.fairlead.work.placement.ledger.Ledger;
import dev.fairlead.work.placement.ledger.NodeChoice;
import dev.fairlead.work.placement.ledger.WorkBudget;
import dev.fairlead.work.placement.score.NodePreference;
import dev.fairlead.work.placement.score.ShapeMix;
import dev.fairlead.work.placement.shape.MemberShape;
import java.util.ArrayList;
import java.util.List;

/**
 * One list, one policy, one seed: pods arrive one by one and never leave, and a pod that does not
 * fit is dropped.
 */
final class Run {
  /** Percent of the capacity at which fragmentation is measured. */
  static final List<Integer> FRAGMENTATION_AT = List.of(50, 80, 90, 100);

  private final NodeList nodes;
  private final PodList list;
  private final Ledger ledger = new Ledger();
  private final WorkBudget work = WorkBudget.unbounded();
  private final Fragmentation fragmentation;

  /**
   * Figures in percent of the GPUs of all nodes.
   *
   * @param nanos CPU time of the decisions
   */
  record Figures(
      double allocatedAt100,
      double allocatedAt130,
      List<Double> fragmented,
      int decisions,
      long nanos) {}

  Run(NodeList nodes, PodList list) {
    this.nodes = nodes;
    this.list = list;
    fragmentation = new Fragmentation(list);
  }

  Figures of(Policy policy, long seed) {
    long capacity = nodes.gpuMilli();
    List<MemberShape> pods = Arrivals.of(list, capacity, seed);
    ClusterCapacity cluster =
        Fleet.of(List.of(nodes.cluster()), nodes.nodes()).clusters().getFirst();
    ShapeMix mix = new ShapeMix();
    list.pods().forEach(p -> mix.add(p, 1));
    CoreTime time = new CoreTime();
    time.go();
    cluster.chooseBy(policy.on(cluster, mix, seed));
    List<Double> fragmented = new ArrayList<>();
    long requested = 0;
    long allocated = 0;
    long allocatedAt100 = -1;
    int decisions = 0;
    for (MemberShape pod : pods) {
      long before = requested;
      requested += PodList.milli(pod);
      allocated += place(cluster, pod) ? PodList.milli(pod) : 0;
      decisions++;
      for (int percent : FRAGMENTATION_AT) {
        if (passes(before, requested, percent, capacity)) {
          time.stop();
          fragmented.add(100 * fragmentation.of(cluster.capacities()) / capacity);
          time.go();
        }
      }
      allocatedAt100 = passes(before, requested, 100, capacity) ? allocated : allocatedAt100;
      if (passes(before, requested, Arrivals.LAST_PERCENT, capacity)) {
        break;
      }
    }
    time.stop();
    return new Figures(
        100.0 * allocatedAt100 / capacity,
        100.0 * allocated / capacity,
        fragmented,
        decisions,
        time.nanos());
  }

  private static boolean passes(long before, long after, int percent, long capacity) {
    return before * 100 < capacity * percent && after * 100 >= capacity * percent;
  }

  private boolean place(ClusterCapacity cluster, MemberShape pod) {
    NodeChoice.Chosen chosen = cluster.choose(pod, null, NodePreference.FULLEST_FIRST, work);
    if (chosen == null) {
      return false;
    }
    ledger.take(chosen, pod);
    return true;
  }
}
