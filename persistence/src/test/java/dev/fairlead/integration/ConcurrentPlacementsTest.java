package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.figures.Figure;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.PlacementRaceContract;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.Members;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.TestWorld;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** On PostgreSQL, where the guards live. */
class ConcurrentPlacementsTest extends PlacementRaceContract {
  private static final long BOUND_SECONDS = 60;

  /** Of a node of 64 cores. */
  private static final int MOST_OF_IT = 40_000;

  private final PostgresInstallation stores = Embedded.installation();

  @Override
  protected Stores stores() {
    return stores;
  }

  @Override
  protected int placements() {
    return Figure.times(300, 1_000_000);
  }

  @Test
  void lastCapacityOfANodeGoesToOneOfTwoTenants() throws Exception {
    // Both reach the node's row before either writes it. Fails when lock-rooms does not lock and
    // update-rooms does not test again. One of the two suffices.
    TestWorld one = TestWorld.in(stores);
    TestWorld other = TestWorld.in(stores);
    Node node = one.node("node-1");
    List<Callable<Boolean>> work = List.of(most(one, node), most(other, node));

    List<Boolean> in = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(work.size())) {
      List<Future<Boolean>> answers = new ArrayList<>();
      stores
          .transactions()
          .run(() -> {
            hold(node);
            work.forEach(w -> answers.add(threads.submit(w)));
            awaitWaiting(work.size());
          });
      for (Future<Boolean> answer : answers) {
        in.add(answer.get(BOUND_SECONDS, TimeUnit.SECONDS));
      }
    }

    assertThat(in).containsExactlyInAnyOrder(true, false);
    assertThat(one.node("node-1").allocated().cpuMilli()).isEqualTo(MOST_OF_IT);
  }

  /** Places a CPU-only job that leaves no capacity for a second one. */
  private static Callable<Boolean> most(TestWorld tenant, Node node) {
    Job job = tenant.submit(Specs.job("most").gpu(GpuRequest.NONE).cpuMilli(MOST_OF_IT));
    Attempt attempt =
        tenant.attempt(job, 0, Members.of(job.spec(), List.of(node), CapacityType.RESERVED));
    return () -> {
      try {
        tenant.append(tenant.admission(attempt));
        return true;
      } catch (Conflict full) {
        return false;
      }
    };
  }

  private void hold(Node node) {
    stores
        .jdbc()
        .sql("SELECT id FROM node WHERE id = :id FOR NO KEY UPDATE")
        .param("id", node.id().value())
        .query()
        .singleValue();
  }

  private void awaitWaiting(int many) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(BOUND_SECONDS);
    while (waiting() < many) {
      assertThat(System.nanoTime()).as("nobody waits for the row").isLessThan(end);
    }
  }

  private long waiting() {
    return stores
        .jdbc()
        .sql("SELECT count(*) FROM pg_locks WHERE NOT granted")
        .query(Long.class)
        .single();
  }
}
