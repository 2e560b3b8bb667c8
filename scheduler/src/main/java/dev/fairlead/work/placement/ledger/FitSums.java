package dev.fairlead.work.placement.ledger;

import dev.fairlead.kernel.resources.ResourceNames;
import dev.fairlead.work.placement.filter.Filters;
import dev.fairlead.work.placement.node.NodeCapacity;
import dev.fairlead.work.placement.shape.MemberShape;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;

/** Sums over open nodes for one member. A node can be added and removed again. */
final class FitSums {
  private static final String MODEL = "MODEL";
  private static final List<String> RESOURCES =
      List.of(
          ResourceNames.GPU,
          ResourceNames.CPU,
          ResourceNames.MEMORY,
          ResourceNames.PODS,
          NodeCapacity.FABRIC,
          NodeCapacity.NEIGHBOURS,
          NodeCapacity.BACK_OFF,
          NodeCapacity.SPARE);

  private final MemberShape member;
  private final int gpus;
  private final int[] refused;
  private final int[] exhausted;
  private int[] byWhole;
  private int otherModel;
  private int admitting;
  private long fits;

  FitSums(MemberShape member) {
    this(member, new int[Filters.count()], new int[RESOURCES.size()], new int[9]);
  }

  private FitSums(MemberShape member, int[] refused, int[] exhausted, int[] byWhole) {
    this.member = member;
    this.refused = refused;
    this.exhausted = exhausted;
    this.byWhole = byWhole;
    gpus = member.wholeGpus();
  }

  FitSums copy() {
    FitSums copy = new FitSums(member, refused.clone(), exhausted.clone(), byWhole.clone());
    copy.otherModel = otherModel;
    copy.admitting = admitting;
    copy.fits = fits;
    return copy;
  }

  /**
   * @param filter position of the filter that refuses the node
   */
  void refused(int filter, int sign) {
    refused[filter] += sign;
  }

  void otherModel(int sign) {
    otherModel += sign;
  }

  /** Counts a node that admits the member, using its columns. */
  void plain(CapacityColumns of, int rank, int sign) {
    int whole = of.whole(rank);
    admitted(whole, sign);
    exhausted[0] += whole < gpus ? sign : 0;
    exhausted[1] += of.cpu(rank) < member.cpuMilli() ? sign : 0;
    exhausted[2] += of.memory(rank) < member.memoryMiB() ? sign : 0;
    exhausted[3] += of.pods(rank) < 1 ? sign : 0;
    if (of.avoided(rank)) {
      exhausted[RESOURCES.indexOf(of.spare(rank) ? NodeCapacity.SPARE : NodeCapacity.BACK_OFF)] +=
          sign;
      return;
    }
    int byGpu = gpus == 0 ? Integer.MAX_VALUE : whole / gpus;
    fits +=
        sign
            * (long)
                NodeCapacity.least(byGpu, member, of.cpu(rank), of.memory(rank), of.pods(rank));
  }

  /**
   * Counts a node that admits the member, using the node itself, if the columns do not contain
   * everything that the member requests.
   */
  void any(NodeCapacity capacity) {
    admitted(capacity.slots().freeWhole(), 1);
    fits += capacity.fits(member);
    if (!capacity.takes(member)) {
      for (int i = 0; i < exhausted.length; i++) {
        exhausted[i] += capacity.shortOf(RESOURCES.get(i), member) ? 1 : 0;
      }
    }
  }

  private void admitted(int whole, int sign) {
    if (whole >= byWhole.length) {
      byWhole = Arrays.copyOf(byWhole, whole + 1);
    }
    byWhole[whole] += sign;
    admitting += sign;
  }

  /**
   * @param closed nodes that accept no new members at all, by constraint
   */
  FitSummary summary(SortedMap<String, Integer> closed) {
    SortedMap<String, Integer> filtered = new TreeMap<>(closed);
    for (int i = 0; i < refused.length; i++) {
      if (refused[i] > 0) {
        filtered.merge(Filters.constraint(i), refused[i], Integer::sum);
      }
    }
    if (otherModel > 0) {
      filtered.merge(MODEL, otherModel, Integer::sum);
    }
    SortedMap<String, Integer> byName = new TreeMap<>();
    for (int i = 0; i < exhausted.length; i++) {
      if (exhausted[i] > 0) {
        byName.put(RESOURCES.get(i).toUpperCase(Locale.ROOT), exhausted[i]);
      }
    }
    int most = byWhole.length - 1;
    while (most > 0 && byWhole[most] == 0) {
      most--;
    }
    return new FitSummary(
        admitting, (int) Math.min(fits, Integer.MAX_VALUE), most, filtered, byName);
  }
}
