package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.figures.Figure;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobTransitions;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.Transition;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.World;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Prints the duration of batches and reads, and asserts their results, never the time. */
class SpeedTest {
  private static final int BATCH = 500;
  private static final int BATCHES = Figure.times(5, 20);

  private final PostgresInstallation stores = Embedded.installation();
  private final TestWorld world = TestWorld.in(stores);

  @Tag(Figure.TAG)
  @Test
  void batchesOfFiveHundredAndAWorldOfThousands() {
    List<Long> millis = new ArrayList<>();
    for (int i = 0; i < BATCHES; i++) {
      List<Transition> batch = batch(i);
      long start = System.nanoTime();
      stores.transactions().run(() -> stores.jobs().append(batch));
      millis.add((System.nanoTime() - start) / 1_000_000);
    }
    System.out.println("append of " + BATCH + " submits, ms: " + millis);

    for (int i = 0; i < 4; i++) {
      long start = System.nanoTime();
      World read = stores.world().read();
      System.out.println(
          "world of "
              + read.pending().size()
              + " pending, ms: "
              + (System.nanoTime() - start) / 1_000_000);
    }
    assertThat(stores.jobs().activeCount(world.project().id(), Long.MAX_VALUE))
        .isEqualTo(BATCH * BATCHES);
    cancelAll();
  }

  private List<Transition> batch(int number) {
    List<Transition> batch = new ArrayList<>();
    for (int i = 0; i < BATCH; i++) {
      Job job =
          world.newJob(
              Specs.job("job-" + number + "-" + i)
                  .gpu(GpuRequest.whole(1))
                  .label("team", "nlp")
                  .build());
      batch.add(JobTransitions.submit(job));
    }
    return batch;
  }

  /** The installation is shared: every later world reads jobs that wait here. */
  private void cancelAll() {
    List<Transition> end = new ArrayList<>();
    stores.world().read().pending().stream()
        .map(p -> p.job())
        .filter(job -> job.tenant().equals(world.tenant().id()))
        .forEach(job ->
            end.add(JobTransitions.cancel(job, false, world.now(), TestWorld.ACTOR).orElseThrow()));
    stores.transactions().run(() -> stores.jobs().append(end));
    assertThat(stores.jobs().activeCount(world.project().id(), Long.MAX_VALUE)).isZero();
  }
}
