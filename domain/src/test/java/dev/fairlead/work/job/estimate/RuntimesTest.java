package dev.fairlead.work.job.estimate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.node.window.Cron;
import dev.fairlead.fleet.node.window.LeftoverPolicy;
import dev.fairlead.fleet.node.window.PoolWindows;
import dev.fairlead.fleet.node.window.RecurringWindow;
import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.Transition;
import dev.fairlead.work.spec.PriorityClass;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RuntimesTest {
  private static final PoolWindows NIGHTS =
      new PoolWindows(
          List.of(
              RecurringWindow.of(
                  Cron.parse("0 22 * * *"), Duration.ofHours(8), RecurringWindow.zone("UTC"))),
          Duration.ZERO,
          LeftoverPolicy.EVICT,
          Duration.ZERO);
  private final TestWorld world = TestWorld.in(MemoryStores.empty(1));

  /** A job that may not be preempted. Fails when the maximum runtime of its queue is ignored. */
  @ParameterizedTest
  @CsvSource({
    "2h, 23:00, TAKE, true",
    "2h, 05:00, TAKE, false",
    "2h, 05:00, JOIN, true",
    "2h, 06:00, JOIN, false",
    ", 23:00, TAKE, false"
  })
  void openWindowsAdmitJobsThatEndInThemAndGangMembers(
      @Nullable String runtime, String time, Transition.AllocationChange change, boolean taken) {
    Job job = world.newJob(Specs.job("job").priority(PriorityClass.HIGH).build());
    Transition transition = new Transition(job, List.of(), null, change, List.of(), "scheduler");
    Instant start = Instant.parse("2030-06-01T" + time + ":00Z");

    assertThat(Runtimes.take(NIGHTS, transition, queue(runtime), start)).isEqualTo(taken);
  }

  private QuotaNode queue(@Nullable String runtime) {
    Duration most = runtime == null ? null : Duration.parse("PT" + runtime);
    QuotaNode queue = world.queue();
    return queue
        .with()
        .parent(null)
        .depth(0)
        .limits(List.of())
        .queue(
            QueueSettings.of(
                QueueSettings.Order.BEST_EFFORT_FIFO, QueueSettings.State.ACTIVE, most))
        .version(1)
        .build();
  }
}
