package dev.fairlead.work.placement.routing;

import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.Saturating;
import dev.fairlead.work.placement.ledger.ClusterCapacity;
import dev.fairlead.work.placement.ledger.Fleet;
import dev.fairlead.work.placement.node.NodeCapacity;
import dev.fairlead.work.placement.shape.GangShape;
import dev.fairlead.work.placement.shape.MemberShape;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Models with a free amount that does not exceed the demand of the jobs that can use no other
 * model. Jobs with a choice try another model first.
 */
public final class ScarceModels {
  private final SortedMap<String, Long> memory = new TreeMap<>();
  private final SortedMap<String, Long> free = new TreeMap<>();
  private final SortedMap<String, Long> asked = new TreeMap<>();

  public ScarceModels(Fleet fleet) {
    for (ClusterCapacity cluster : fleet.clusters()) {
      for (String model : cluster.models()) {
        if (!model.equals(Flavor.CPU)) {
          count(model, cluster.capacities(model));
        }
      }
    }
  }

  private void count(String model, List<NodeCapacity> capacities) {
    long most = 0;
    long idle = 0;
    for (NodeCapacity capacity : capacities) {
      most = Math.max(most, capacity.node().gpuMemoryMiB());
      idle += capacity.open() ? capacity.slots().idleMilli() : 0;
    }
    memory.merge(model, most, Math::max);
    free.merge(model, idle, Long::sum);
  }

  /** Adds elements of the shape that wait and may start. */
  public void waits(GangShape gang, long elements) {
    for (MemberShape role : gang.roles()) {
      String model = memory.size() > 1 && role.asksGpu() ? only(role) : null;
      if (model != null) {
        long each = role.gpu().milliOn(model, memory.getOrDefault(model, 0L));
        long all = Saturating.times(Saturating.times(each, role.minCount()), elements);
        asked.merge(model, all, Saturating::plus);
      }
    }
  }

  /** Returns the only suitable model, null if none or several. */
  private @Nullable String only(MemberShape role) {
    String only = null;
    for (Map.Entry<String, Long> model : memory.entrySet()) {
      if (role.gpu().accepts(model.getKey(), model.getValue())) {
        if (only != null) {
          return null;
        }
        only = model.getKey();
      }
    }
    return only;
  }

  public SortedSet<String> found() {
    SortedSet<String> scarce = new TreeSet<>();
    asked.forEach((model, milli) -> {
      if (milli >= free.getOrDefault(model, 0L)) {
        scarce.add(model);
      }
    });
    return scarce;
  }
}
