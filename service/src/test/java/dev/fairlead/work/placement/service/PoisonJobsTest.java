package dev.fairlead.work.placement.service;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.placement.Plan;
import dev.fairlead.work.placement.decision.Decision;
import dev.fairlead.work.world.PendingJob;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.World;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** One job whose planning always fails, among others. */
class PoisonJobsTest {
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final PoisonJobs setAside = new PoisonJobs();
  private final List<Integer> planned = new ArrayList<>();
  private boolean broken = true;
  private long nanos;

  private Plan plan(World all) {
    planned.add(all.pending().size());
    if (broken && all.pending().stream().anyMatch(p -> p.job().name().equals("bad"))) {
      throw new IllegalStateException("no number fits");
    }
    List<Decision> holds = new ArrayList<>();
    for (PendingJob pending : all.pending()) {
      holds.add(new Decision.Hold(pending.job().id(), pending.job().version(), "waits"));
    }
    return Plan.of(all.asOf(), holds, new TreeMap<>(), List.of());
  }

  private Plan cycle() {
    planned.clear();
    return setAside.plan(stores.world().read(), this::plan, nanos);
  }

  private void submit(int jobs) {
    for (int i = 0; i < jobs; i++) {
      world.submit(Specs.job("good-" + i));
    }
  }

  /** Fails when the whole cycle fails with the job. */
  @Test
  void othersArePlannedAndTheCauseIsTheExplanationOfThePoisonJob() {
    submit(20);
    Job bad = world.submit(Specs.job("bad"));
    submit(0);

    Plan plan = cycle();

    assertThat(plan.decisions()).hasSize(21);
    assertThat(plan.explanations().get("set-aside/" + bad.id().bare()).first())
        .matches(blocker -> blocker.reason() == Reason.MISCONFIGURED)
        .matches(blocker -> blocker.message().contains("no number fits"));
  }

  @Test
  void poisonJobCostsNothingAfterThreeFailures() {
    submit(20);
    world.submit(Specs.job("bad"));
    for (int i = 0; i < PoisonJobs.TRIES; i++) {
      assertThat(setAside.setAside()).isEmpty();
      cycle();
    }

    cycle();

    assertThat(setAside.setAside()).hasSize(1);
    assertThat(planned).containsExactly(20);
  }

  @Test
  void poisonJobIsRetriedLater() {
    world.submit(Specs.job("bad"));
    for (int i = 0; i < PoisonJobs.TRIES; i++) {
      cycle();
    }
    broken = false;
    nanos = Duration.ofMinutes(11).toNanos();

    assertThat(cycle().decisions()).hasSize(1);
    assertThat(setAside.setAside()).isEmpty();
  }

  @Test
  void failureWithoutASinglePoisonJobIsReported() {
    submit(5);
    assertThatThrownBy(() ->
            setAside.plan(
                stores.world().read(),
                all -> {
                  throw new IllegalStateException("always");
                },
                0))
        .hasMessage("always");
  }

  /** Fails when a planning error of one job affects all jobs. */
  @Test
  void errorOfOneJobAffectsOnlyThatJob() {
    submit(3);
    Job bad = world.submit(Specs.job("bad"));

    Plan plan =
        setAside.plan(
            stores.world().read(),
            all -> {
              if (all.pending().stream().anyMatch(p -> p.job().id().equals(bad.id()))) {
                throw new StackOverflowError();
              }
              return plan(all);
            },
            0);

    assertThat(plan.decisions()).hasSize(4);
  }

  private static Applied failed(Job job, int written) {
    Decision.Place place =
        new Decision.Place(
            job.id(),
            job.version(),
            0,
            new ClusterId(new UUID(0, 1)),
            List.of(),
            List.of(),
            List.of(),
            null);
    return new Applied(
        written, 0, List.of(new Applied.Failure(place, new IllegalStateException("no row"))));
  }

  /**
   * Fails when a job whose start cannot be written is retried forever and without an explanation.
   */
  @Test
  void aJobWhoseStartCannotBeWrittenIsExplainedAndThenSetAside() {
    broken = false;
    Job bad = world.submit(Specs.job("bad"));
    for (int i = 0; i < PoisonJobs.TRIES; i++) {
      cycle();
      setAside.blame(failed(bad, 1), 0);
    }

    Plan plan = cycle();

    assertThat(planned).containsExactly(0);
    assertThat(plan.explanations().get("set-aside/" + bad.id().bare()).first().message())
        .satisfies(
            reason("poison-jobs.start-job-failed-times", 3, "java.lang.IllegalStateException"));
  }

  /** Fails when one job is blamed for an unavailable database. */
  @Test
  void noJobIsBlamedIfNothingCouldBeWritten() {
    broken = false;
    Job job = world.submit(Specs.job("fine"));
    for (int i = 0; i < PoisonJobs.TRIES; i++) {
      cycle();
      setAside.blame(failed(job, 0), 0);
    }

    assertThat(setAside.setAside()).isEmpty();
  }
}
