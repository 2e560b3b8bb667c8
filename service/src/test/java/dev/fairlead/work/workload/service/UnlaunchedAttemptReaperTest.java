package dev.fairlead.work.workload.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.e2e.ServiceParts;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.work.attempt.ActionRequest;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.workload.EpochClaim;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class UnlaunchedAttemptReaperTest {
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final List<ActionRequest.Window> read = new ArrayList<>();

  /** A cluster with an endless number of pages of launched attempts. */
  private JobStore endless() {
    return (JobStore)
        Proxy.newProxyInstance(
            JobStore.class.getClassLoader(),
            new Class<?>[] {JobStore.class},
            (self, method, arguments) -> {
              if (!method.getName().equals("actionable")) {
                return method.invoke(stores.jobs(), arguments);
              }
              read.add((ActionRequest.Window) arguments[1]);
              long first = (long) read.size() * ActionPages.EACH;
              return LongStream.range(first, first + ActionPages.EACH)
                  .mapToObj(UnlaunchedAttemptReaperTest::launched)
                  .toList();
            });
  }

  private static ActionRequest launched(long id) {
    return new ActionRequest(
        new AttemptId(new UUID(0, id)), ActionRequest.Kind.START, AttemptState.LAUNCHING, 1);
  }

  /** Fails when one pass reads all pages of a silent cluster. */
  @Test
  void turnReadsABoundedNumberOfPagesAndTheNextContinues() {
    UnlaunchedAttemptReaper unsent =
        new UnlaunchedAttemptReaper(world.cluster().id(), ServiceParts.attempts(stores, endless()));
    HeldLease lease = stores.leases().create("cluster/silent", "one").orElseThrow();
    unsent.claimed(lease, new EpochClaim.Unknown("no answer"), Instant.EPOCH);

    unsent.giveUp(lease, "it does not answer");
    assertThat(read).hasSize(UnlaunchedAttemptReaper.PAGES);
    unsent.giveUp(lease, "it does not answer");

    assertThat(read).hasSize(2 * UnlaunchedAttemptReaper.PAGES);
    assertThat(read.get(UnlaunchedAttemptReaper.PAGES).after())
        .containsEntry(
            ActionRequest.Kind.START,
            launched((UnlaunchedAttemptReaper.PAGES + 1L) * ActionPages.EACH - 1).attempt());
  }
}
