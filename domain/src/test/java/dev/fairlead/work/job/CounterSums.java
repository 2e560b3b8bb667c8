package dev.fairlead.work.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.QuotaUse;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.world.TestWorld;
import java.util.SortedMap;
import java.util.TreeMap;

/** The counters of a world, compared with the sum of its live allocations. */
final class CounterSums {
  private CounterSums() {}

  /** Sums of its queue, its nodes and their GPUs. */
  static void assertRight(TestWorld world) {
    SortedMap<QuotaCell, Long> charges = new TreeMap<>();
    SortedMap<String, ResourceVector> rooms = new TreeMap<>();
    SortedMap<String, Integer> shares = new TreeMap<>();
    for (Attempt attempt : world.stores().jobs().unretired(world.cluster().id())) {
      if (attempt.live()) {
        attempt.charges().forEach((cell, amount) -> charges.merge(cell, amount, Long::sum));
        for (Member m : attempt.members()) {
          rooms.merge(m.nodeName(), m.request(), ResourceVector::plus);
          m.gpus()
              .forEach(g -> shares.merge(m.nodeName() + "/" + g.index(), g.milli(), Integer::sum));
        }
      }
    }
    QuotaNodeId queue = world.queue().id();
    SortedMap<QuotaCell, Long> used = new TreeMap<>();
    for (QuotaUse use : world.stores().quotas().uses(world.tenant().id())) {
      if (use.node().equals(queue) && use.used() != 0) {
        used.put(use.cell(), use.used());
      }
    }
    assertThat(used).isEqualTo(charges);
    for (Node node : world.stores().inventory().nodes(world.cluster().id())) {
      assertThat(node.allocated()).isEqualTo(rooms.getOrDefault(node.name(), ResourceVector.ZERO));
      for (Gpu gpu : node.gpus()) {
        assertThat(gpu.allocatedMilli())
            .isEqualTo(shares.getOrDefault(node.name() + "/" + gpu.index(), 0));
      }
    }
  }
}
