package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.serving.ModelServiceId;
import dev.fairlead.work.serving.ServiceVersion;
import dev.fairlead.work.serving.cost.ReplicaTime;
import dev.fairlead.work.serving.cost.ReplicaTimes;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** GPUs that the replicas of a model service held, by a clock that the test sets. */
class ReplicaTimesTest extends BudgetsByClock {
  private static final long GPU_HOUR = 1000 * HOUR;
  private final ReplicaTimes times = stores.bean(ReplicaTimes.class);
  private final ModelServiceId chat = new ModelServiceId(stores.ids().next());

  private Attempt replica(ModelServiceId service, String name, String node) {
    Specs spec = Specs.job(name).gpus(2).annotation(ServiceVersion.OF_SERVICE, service.bare());
    return world.run(world.place(world.submit(spec), 0, node));
  }

  /** GPU-hours by the index of the span. */
  private SortedMap<Integer, Long> held(
      TenantId tenant, SortedSet<JobId> live, long to, Long... begins) {
    SortedMap<Integer, Long> sums = new TreeMap<>();
    for (ReplicaTime each : times.of(tenant, chat, live, List.of(begins), to)) {
      assertThat(each.cluster()).isEqualTo(world.cluster().id());
      sums.merge(each.span(), each.milliMillis() / GPU_HOUR, Long::sum);
    }
    return sums;
  }

  /** Fails when another job counts, or a replica counts twice or beyond the present time. */
  @Test
  void theTimeOfEndedAndPresentReplicasIsDividedIntoSpans() {
    Attempt ended = replica(chat, "chat-v1-0", "node-1");
    Attempt other = replica(new ModelServiceId(stores.ids().next()), "other-v1-0", "node-1");
    Attempt batch = world.run(world.place(world.submit(Specs.job("b").gpus(1)), 0, "node-2"));
    clock.to(MIDDLE + 3 * HOUR);
    world.succeed(ended);
    world.succeed(other);
    world.succeed(batch);
    Attempt present = replica(chat, "chat-v1-1", "node-1");
    clock.to(MIDDLE + 5 * HOUR);
    SortedSet<JobId> live = new TreeSet<>(List.of(ended.job(), present.job()));

    TenantId tenant = world.tenant().id();
    long to = MIDDLE + 24 * HOUR;
    assertThat(held(tenant, live, to, MIDDLE - HOUR, MIDDLE + HOUR, MIDDLE + 4 * HOUR))
        .containsEntry(0, 2L)
        .containsEntry(1, 4L + 2L)
        .containsEntry(2, 2L)
        .hasSize(3);
    assertThat(held(tenant, live, MIDDLE + 2 * HOUR, MIDDLE + HOUR)).containsOnly(entry(0, 2L));
    assertThat(held(tenant, live, to, MIDDLE + 6 * HOUR)).isEmpty();
    assertThat(held(tenant, new TreeSet<>(), to, MIDDLE)).containsOnly(entry(0, 6L));
  }

  /** Fails when a tenant reads the use of another one by the id of its service. */
  @Test
  void anotherTenantReadsNothing() {
    Attempt ended = replica(chat, "chat-v1-0", "node-1");
    Attempt present = replica(chat, "chat-v1-1", "node-1");
    clock.to(MIDDLE + HOUR);
    world.succeed(ended);
    TenantId foreign = new TenantId(stores.ids().next());
    assertThat(held(foreign, new TreeSet<>(List.of(present.job())), MIDDLE + 2 * HOUR, MIDDLE))
        .isEmpty();
  }
}
