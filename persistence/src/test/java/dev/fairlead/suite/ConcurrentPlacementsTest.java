package dev.fairlead.suite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.cluster.Gpu;
import dev.fairlead.cluster.Node;
import dev.fairlead.job.Attempt;
import dev.fairlead.job.AttemptEvent;
import dev.fairlead.job.AttemptState;
import dev.fairlead.job.Failure;
import dev.fairlead.job.FailureCause;
import dev.fairlead.job.Job;
import dev.fairlead.job.Specs;
import dev.fairlead.quota.QuotaCell;
import dev.fairlead.quota.QuotaLimit;
import dev.fairlead.resources.CapacityType;
import dev.fairlead.resources.Flavor;
import dev.fairlead.resources.GpuRequest;
import dev.fairlead.resources.ResourceNames;
import dev.fairlead.transaction.Conflict;
import dev.fairlead.world.Members;
import dev.fairlead.world.TestWorld;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Several planners that know nothing of one another place and end jobs; the rows decide. */
class ConcurrentPlacementsTest {
  private static final int PLANNERS = 6;
  private static final long SECONDS = 4;
  private static final long QUOTA_MILLI = 10_000;
  private static final Flavor H100 = new Flavor("H100", CapacityType.RESERVED);
  private static final Flavor CPU = new Flavor(Flavor.CPU, CapacityType.RESERVED);

  private final PostgresInstallation stores = Embedded.installation();
  private final TestWorld world = TestWorld.in(stores);
  private final TestWorld neighbour = TestWorld.in(stores);

  @Test
  void nothingIsEverOverAllocated() throws Exception {
    // Two tenants share nodes but no lock of a quota tree. Fails without the lock of the quota
    // path;
    // fails when lock-rooms does not lock and update-rooms does not test again.
    world.limit(
        world.queue(),
        new QuotaLimit(H100, ResourceNames.GPU, QUOTA_MILLI, 0L, null),
        new QuotaLimit(H100, ResourceNames.CPU, null, null, null),
        new QuotaLimit(H100, ResourceNames.MEMORY, null, null, null),
        new QuotaLimit(CPU, ResourceNames.CPU, null, null, null),
        new QuotaLimit(CPU, ResourceNames.MEMORY, null, null, null));
    List<Callable<Integer>> planners = new ArrayList<>();
    for (int i = 0; i < PLANNERS; i++) {
      Planner planner = new Planner(i % 2 == 0 ? world : neighbour, i);
      planners.add(planner::run);
    }

    int placed = 0;
    try (ExecutorService threads = Executors.newFixedThreadPool(PLANNERS)) {
      for (Future<Integer> answer : threads.invokeAll(planners, 60, TimeUnit.SECONDS)) {
        placed += answer.get();
      }
    }

    System.out.println(placed + " placements by " + PLANNERS + " planners in " + SECONDS + " s");
    assertThat(placed).isPositive();
    assertThat(stores.quotas().uses(world.tenant().id())).allMatch(use -> use.used() == 0);
    assertThat(stores.inventory().nodes(world.cluster().id()))
        .allMatch(node -> node.allocated().pods() == 0)
        .allMatch(node -> node.gpus().stream().allMatch(gpu -> gpu.allocatedMilli() == 0));
  }

  /** Places and ends jobs of its tenant on the nodes of the first one, from what it last saw. */
  private final class Planner {
    private final TestWorld tenant;
    private final int number;
    private final Random random;
    private final Deque<Attempt> live = new ArrayDeque<>();

    private Planner(TestWorld tenant, int number) {
      this.tenant = tenant;
      this.number = number;
      this.random = new Random(number);
    }

    private int run() {
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
      int placed = 0;
      for (int i = 0; System.nanoTime() < end; i++) {
        if (live.size() < 3 && place("job-" + number + "-" + i)) {
          placed++;
          assertBounds();
        } else if (!live.isEmpty()) {
          end(live.removeFirst());
        }
      }
      live.forEach(this::end);
      return placed;
    }

    private boolean place(String name) {
      int gpus = random.nextInt(4);
      GpuRequest request = gpus == 0 ? GpuRequest.NONE : GpuRequest.whole(gpus);
      Job job = tenant.submit(Specs.job(name).gpu(request).cpuMilli(20_000));
      try {
        Node node = world.node(random.nextBoolean() ? "node-1" : "node-2");
        Attempt attempt =
            tenant.attempt(job, 0, Members.of(job.spec(), List.of(node), CapacityType.RESERVED));
        tenant.append(tenant.admission(attempt));
        live.addLast(attempt);
        return true;
      } catch (Conflict | IllegalStateException full) {
        tenant.cancel(job);
        return false;
      }
    }

    private void end(Attempt attempt) {
      Failure failure = Failure.of(FailureCause.PLATFORM, "over", attempt.number());
      tenant.apply(attempt, new AttemptEvent.Ended(AttemptState.CANCELLED, failure));
    }
  }

  private void assertBounds() {
    assertThat(stores.quotas().uses(world.tenant().id()))
        .filteredOn(use -> use.node().equals(world.queue().id()))
        .filteredOn(use -> use.cell().equals(new QuotaCell(H100, ResourceNames.GPU)))
        .allMatch(use -> use.used() <= QUOTA_MILLI);
    for (Node node : stores.inventory().nodes(world.cluster().id())) {
      assertThat(node.free().gpuMilli()).isNotNegative();
      assertThat(node.free().cpuMilli()).isNotNegative();
      assertThat(node.gpus()).extracting(Gpu::allocatedMilli).allMatch(milli -> milli <= 1000);
    }
  }
}
