package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.TestWorld;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Members of an attempt that report outputs at the same time. */
class OutputWritersTest {
  private static final int WRITERS = 4;
  private final PostgresInstallation stores = Embedded.installation();
  private final TestWorld world = TestWorld.in(stores);

  /** Fails when one report overwrites another, or reports deadlock. */
  @Test
  void noReportIsLostToAConcurrentOne() throws Exception {
    Job job = world.submit(Specs.job("prep").outputs("model"));
    Attempt first = world.run(world.place(job));
    write(first, "model");
    world.fail(first, FailureCause.NODE_FAILURE);
    Attempt second = world.run(world.place(world.job(job)));

    CyclicBarrier start = new CyclicBarrier(WRITERS);
    SortedMap<String, String> all = new TreeMap<>();
    try (ExecutorService pool = Executors.newFixedThreadPool(WRITERS)) {
      List<Future<Boolean>> reports = new ArrayList<>();
      for (int i = 0; i < WRITERS; i++) {
        String name = "name-" + i;
        all.put(name, name);
        reports.add(
            pool.submit(() -> {
              start.await(30, TimeUnit.SECONDS);
              write(second, name);
              return true;
            }));
      }
      for (Future<Boolean> report : reports) {
        assertThat(report.get(30, TimeUnit.SECONDS)).isTrue();
      }
    }

    assertThat(stores.outputs().of(job.tenant(), job.id(), second.id())).isEqualTo(all);
    assertThat(stores.outputs().of(job.tenant(), job.id(), first.id())).isEqualTo(Map.of());
  }

  private void write(Attempt attempt, String name) {
    stores
        .transactions()
        .run(() -> {
          SortedMap<String, String> outputs =
              stores.outputs().lock(world.tenant().id(), attempt.job(), attempt.id()).orElseThrow();
          outputs.put(name, name);
          stores.outputs().write(world.tenant().id(), attempt.job(), attempt.id(), outputs);
        });
  }
}
