package dev.fairlead.work.placement.ordering;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.fleet.quota.QuotaTree;
import dev.fairlead.work.placement.RandomScene;
import dev.fairlead.work.placement.admission.Admission;
import dev.fairlead.work.placement.ledger.Fleet;
import dev.fairlead.work.world.World;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class PendingQueueTest {
  private static PendingQueues queues(World world) {
    return new PendingQueues(
        world,
        new Admission(world.quotaNodes(), world.quotaUses(), world.asOf()),
        Fleet.of(world.clusters(), world.nodes()),
        new History(
            new QuotaTree(world.quotaNodes(), List.of()),
            world.pastUses(),
            world.live(),
            world.asOf()),
        PendingJobCache.NONE);
  }

  /** Fails when each search for victims sums all waiting jobs, or a start is omitted. */
  @Test
  void waitingGpusAreAddedUpOnceUntilAnElementStarts() {
    int compared = 0;
    for (long seed = 0; compared < 20; seed++) {
      for (PendingQueue queue : queues(RandomScene.world(seed, 12)).all()) {
        SortedMap<QuotaCell, Long> waiting = queue.waitingGpus();
        assertThat(queue.waitingGpus()).isSameAs(waiting);
        PendingJobEntry head = queue.head();
        while (head != null) {
          SortedMap<QuotaCell, Long> left = new TreeMap<>(queue.waitingGpus());
          head.equivalenceClass()
              .gpus()
              .forEach((cell, each) -> left.merge(cell, -each, Long::sum));
          left.values().removeIf(milli -> milli == 0);
          head.placed(Objects.requireNonNull(head.offer()).index());
          assertThat(queue.waitingGpus()).isEqualTo(left);
          compared++;
          head = queue.head();
        }
      }
    }
  }
}
