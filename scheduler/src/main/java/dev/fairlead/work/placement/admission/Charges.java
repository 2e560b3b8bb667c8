package dev.fairlead.work.placement.admission;

import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.QuotaTree;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.ResourceNames;
import dev.fairlead.kernel.resources.Saturating;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.placement.node.NodeAllocation;
import dev.fairlead.work.placement.routing.FlavorAssignment;
import dev.fairlead.work.placement.shape.GangShape;
import dev.fairlead.work.placement.shape.MemberShape;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** Charges of an element: CPU, memory and GPUs of the flavor that each member runs on. */
public final class Charges {
  private final SortedMap<QuotaCell, Long> cells = new TreeMap<>();
  private final boolean nonPreemptible;

  private Charges(boolean nonPreemptible) {
    this.nonPreemptible = nonPreemptible;
  }

  /** Returns the charges of a job for these amounts. */
  public static Charges of(Job job, SortedMap<QuotaCell, Long> cells) {
    Charges charges = new Charges(job.spec().nonPreemptible());
    charges.cells.putAll(cells);
    return charges;
  }

  /**
   * Returns the charges before nodes are known. A share of device memory counts on the smallest GPU
   * that satisfies it.
   */
  public static Charges expected(GangShape gang, FlavorAssignment assignment, int[] counts) {
    Charges charges = new Charges(gang.nonPreemptible());
    for (MemberShape role : gang.roles()) {
      String model = assignment.models().get(role.role());
      long deviceMemory = assignment.cluster().leastDeviceMemory(model, role.gpu().minMemoryMiB());
      charges.add(assignment, role, role.gpu().milliOn(model, deviceMemory), counts[role.role()]);
    }
    return charges;
  }

  /** Returns the charges of the nodes that were chosen. */
  public static Charges of(
      GangShape gang, List<NodeAllocation> members, FlavorAssignment assignment) {
    Charges charges = new Charges(gang.nonPreemptible());
    for (NodeAllocation member : members) {
      MemberShape shape = member.shape();
      Node node = member.capacity().node();
      charges.add(assignment, shape, shape.gpu().milliOn(node.gpuModel(), node.gpuMemoryMiB()), 1);
    }
    return charges;
  }

  /**
   * Counts like {@link dev.fairlead.work.attempt.Attempt#charges}. Pods are limited by nodes, not
   * by quota.
   */
  private void add(FlavorAssignment assignment, MemberShape shape, long gpuMilli, long members) {
    Flavor flavor = assignment.flavor(shape.role());
    add(flavor, ResourceNames.CPU, Saturating.times(shape.cpuMilli(), members));
    add(flavor, ResourceNames.MEMORY, Saturating.times(shape.memoryMiB(), members));
    add(flavor, ResourceNames.GPU, Saturating.times(gpuMilli, members));
    String fabric = assignment.cluster().cluster().settings().rdmaResource();
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

  /**
   * Returns whether the job may use nominal quota only, see {@link
   * dev.fairlead.fleet.quota.QuotaTree}.
   */
  public boolean nonPreemptible() {
    return nonPreemptible;
  }

  /** Returns whether the queue can be charged the full amount now. */
  public boolean fit(QuotaTree tree, QuotaNodeId queue) {
    for (Map.Entry<QuotaCell, Long> cell : cells.entrySet()) {
      if (!tree.admits(queue, cell.getKey(), cell.getValue(), nonPreemptible)) {
        return false;
      }
    }
    return true;
  }

  /** Charges the full amount. */
  public void use(QuotaTree tree, QuotaNodeId queue) {
    cells.forEach((cell, amount) -> tree.use(queue, cell, amount, nonPreemptible));
  }

  /** Returns the full amount. */
  public void free(QuotaTree tree, QuotaNodeId queue) {
    cells.forEach((cell, amount) -> tree.free(queue, cell, amount, nonPreemptible));
  }
}
