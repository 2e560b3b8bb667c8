package dev.fairlead.work.job.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.JobTransitions;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.spec.JobSpec.Dependency.Condition;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PipelineTest {
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final List<Job> submitted = new ArrayList<>();

  private Job submit(Specs spec) {
    Job job = world.submit(spec);
    submitted.add(job);
    return job;
  }

  private Pipeline pipeline() {
    return new Pipeline(submitted.stream().map(world::job).toList().reversed());
  }

  private static List<String> names(List<Job> jobs) {
    return jobs.stream().map(Job::name).toList();
  }

  /** Fails when the length of the chain is ignored, or an ended job delays others. */
  @Test
  void jobBeforeTheLongestChainIsCritical() {
    Job one = submit(Specs.job("one"));
    Job two = submit(Specs.job("two"));
    submit(Specs.job("short").dependsOn(one, Condition.SUCCEEDED));
    Job middle = submit(Specs.job("middle").dependsOn(two, Condition.SUCCEEDED));
    submit(Specs.job("last").dependsOn(middle, Condition.ENDED));
    assertThat(pipeline().critical().orElseThrow().job().id()).isEqualTo(two.id());
    assertThat(pipeline().critical().orElseThrow().chain()).isEqualTo(2);

    world.succeed(world.run(world.place(two)));
    world.succeed(world.run(world.place(middle)));
    assertThat(pipeline().critical().orElseThrow().job().id()).isEqualTo(one.id());
    assertThat(names(pipeline().jobs())).containsExactly("one", "two", "short", "middle", "last");
  }

  /** Fails when a job is repeated without need, or a job behind a repeated job is not. */
  @Test
  void retryRepeatsFailedJobsAndTheirDependents() {
    Job good = submit(Specs.job("good"));
    Job bad = submit(Specs.job("bad"));
    submit(Specs.job("watch").dependsOn(bad, Condition.STARTED));
    submit(Specs.job("alarm").dependsOn(bad, Condition.FAILED));
    submit(Specs.job("idle").dependsOn(good, Condition.FAILED));
    submit(Specs.job("behind").dependsOn(bad, Condition.SUCCEEDED));
    assertThat(pipeline().unfinished()).isEmpty();
    world.succeed(world.run(world.place(good)));
    world.fail(world.run(world.place(bad)), FailureCause.USER_ERROR);
    world.succeed(world.run(world.place(submitted.get(2))));
    world.succeed(world.run(world.place(submitted.get(3))));
    ended(submitted.get(4), FailureCause.SKIPPED);
    ended(submitted.get(5), FailureCause.DEPENDENCY_FAILED);

    assertThat(names(pipeline().unfinished())).containsExactly("bad", "alarm", "behind");
    assertThat(pipeline().critical().orElseThrow().job().id()).isEqualTo(bad.id());

    Job again = submit(Specs.job("bad"));
    assertThat(pipeline().earlier("bad")).containsExactly(bad.id());
    assertThat(pipeline().present(bad.id()).id()).isEqualTo(again.id());
    assertThat(pipeline().states()).containsEntry(JobState.QUEUED, 1);
  }

  /** Fails when a retry repeats only the job that would lack the output again. */
  @Test
  void retryRepeatsTheJobWithoutItsOutput() {
    Job prep = submit(Specs.job("prep").outputs("model"));
    Job other = submit(Specs.job("other"));
    Job train =
        submit(
            Specs.job("train")
                .dependsOn(prep, Condition.SUCCEEDED)
                .dependsOn(other, Condition.SUCCEEDED)
                .env("MODEL", "${outputs.prep.model}"));
    world.succeed(world.run(world.place(prep)));
    world.succeed(world.run(world.place(other)));
    ended(train, FailureCause.OUTPUT_MISSING);

    assertThat(pipeline().critical().orElseThrow().job().id()).isEqualTo(train.id());
    assertThat(names(pipeline().unfinished())).containsExactly("prep", "train");
  }

  /** Fails when a pipeline whose next run follows the last one is shown as empty. */
  @Test
  void continuedRunShowsAllItsJobs() {
    Job first = submit(Specs.job("prep"));
    Job clean = submit(Specs.job("clean").dependsOn(first, Condition.ENDED));
    world.succeed(world.run(world.place(first)));
    Job next = submit(Specs.job("prep").dependsOn(clean, Condition.ENDED));

    assertThat(names(pipeline().jobs())).containsExactly("clean", "prep");
    assertThat(pipeline().critical().orElseThrow().job().id()).isEqualTo(clean.id());
    assertThat(pipeline().critical().orElseThrow().chain()).isEqualTo(1);
    assertThat(pipeline().dependency(clean, first.id())).isEqualTo(first.id());

    world.fail(world.run(world.place(clean)), FailureCause.USER_ERROR);
    world.succeed(world.run(world.place(next)));
    assertThat(names(pipeline().unfinished())).containsExactly("clean", "prep");
  }

  /** Fails when a job that continues an earlier run of itself waits for itself. */
  @Test
  void continuedRunDependsOnItsPredecessor() {
    Job first = submit(Specs.job("train"));
    world.fail(world.run(world.place(first)), FailureCause.USER_ERROR);
    Job next = submit(Specs.job("train").dependsOn(first, Condition.ENDED));
    assertThat(pipeline().dependency(next, first.id())).isEqualTo(first.id());
    assertThat(pipeline().critical().orElseThrow().job().id()).isEqualTo(next.id());
  }

  /** Fails when a dependency that reported its output in a later run is repeated. */
  @Test
  void resubmittedDependencyIsNotRepeated() {
    Job prep = submit(Specs.job("prep").outputs("model"));
    Job train =
        submit(
            Specs.job("train")
                .dependsOn(prep, Condition.SUCCEEDED)
                .env("MODEL", "${outputs.prep.model}"));
    world.succeed(world.run(world.place(prep)));
    ended(train, FailureCause.OUTPUT_MISSING);
    Job again = submit(Specs.job("prep").outputs("model"));
    world.succeed(world.run(world.place(again)));

    assertThat(names(pipeline().unfinished())).containsExactly("train");
    assertThat(pipeline().dependency(train, prep.id())).isEqualTo(again.id());
  }

  /** Fails when a retry takes the run of the higher time for the newest one. */
  @Test
  void newestRunStaysNewestAfterABackwardClockStep() {
    Job first = submit(Specs.job("prep"));
    Job behind = submit(Specs.job("behind").dependsOn(first, Condition.SUCCEEDED));
    world.fail(world.run(world.place(first)), FailureCause.USER_ERROR);
    ended(behind, FailureCause.DEPENDENCY_FAILED);
    stores.clock().set(world.now().minus(Duration.ofHours(1)));
    Job next = submit(Specs.job("prep"));
    Job last = submit(Specs.job("behind").dependsOn(next, Condition.SUCCEEDED));
    assertThat(next.createdAt()).isBefore(first.createdAt());
    assertThat(pipeline().jobs()).extracting(Job::id).containsExactly(next.id(), last.id());

    world.succeed(world.run(world.place(next)));
    world.succeed(world.run(world.place(last)));
    assertThat(pipeline().unfinished()).isEmpty();
    assertThat(pipeline().earlier("prep")).containsExactly(first.id());
  }

  private void ended(Job job, FailureCause cause) {
    world.append(
        JobTransitions.dependencyFailed(world.job(job), cause, "why", false, world.now(), "test")
            .orElseThrow());
  }
}
