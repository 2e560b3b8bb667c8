package dev.fairlead.placement.admission;

import dev.fairlead.cluster.Node;
import dev.fairlead.placement.ledger.Taken;
import dev.fairlead.placement.routing.Route;
import dev.fairlead.placement.shape.GangShape;
import dev.fairlead.placement.shape.MemberShape;
import dev.fairlead.quota.QuotaCell;
import dev.fairlead.resources.Flavor;
import dev.fairlead.resources.ResourceNames;
import dev.fairlead.resources.Saturating;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** What an element is charged: cpu, memory and GPUs of the flavor that each member runs on. */
public final class Charges {
  private final SortedMap<QuotaCell, Long> cells = new TreeMap<>();

  private Charges() {}

  /**
   * Before nodes are known: a share of device memory is counted on the smallest GPU that will do.
   */
  public static Charges expected(GangShape gang, Route route, int[] counts) {
    Charges charges = new Charges();
    for (MemberShape role : gang.roles()) {
      String model = route.models().get(role.role());
      long deviceMemory = route.cluster().leastDeviceMemory(model, role.gpu().minMemoryMiB());
      charges.add(route, role, role.gpu().milliOn(model, deviceMemory), counts[role.role()]);
    }
    return charges;
  }

  /** What was taken in the end. */
  public static Charges of(List<Taken> members, Route route) {
    Charges charges = new Charges();
    for (Taken member : members) {
      MemberShape shape = member.shape();
      Node node = member.room().node();
      charges.add(route, shape, shape.gpu().milliOn(node.gpuModel(), node.gpuMemoryMiB()), 1);
    }
    return charges;
  }

  /** As {@link dev.fairlead.job.Attempt#charges}: pods are bounded by nodes, not by quota. */
  private void add(Route route, MemberShape shape, long gpuMilli, long members) {
    Flavor flavor = route.flavor(shape.role());
    add(flavor, ResourceNames.CPU, Saturating.times(shape.cpuMilli(), members));
    add(flavor, ResourceNames.MEMORY, Saturating.times(shape.memoryMiB(), members));
    add(flavor, ResourceNames.GPU, Saturating.times(gpuMilli, members));
    String fabric = route.cluster().cluster().settings().rdmaResource();
    if (shape.rdma() && fabric != null) {
      add(flavor, fabric, members);
    }
  }

  private void add(Flavor flavor, String resource, long amount) {
    if (amount > 0) {
      cells.merge(new QuotaCell(flavor, resource), amount, Saturating::plus);
    }
  }

  public SortedMap<QuotaCell, Long> cells() {
    return cells;
  }
}
