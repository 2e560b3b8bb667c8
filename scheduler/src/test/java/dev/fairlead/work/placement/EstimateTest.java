package dev.fairlead.work.placement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaLimit;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.explanation.Explanation.Estimate;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.estimate.LearnedRuntimes;
import dev.fairlead.work.job.estimate.RunGroup;
import dev.fairlead.work.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Possible start of a job, simulated from the longest runtimes, or unknown. */
class EstimateTest {
  private static final Instant IN_AN_HOUR = Scene.NOW.plus(Duration.ofHours(1));
  private final Scene scene = new Scene();
  private int made;

  private JobBuilder late(String name) {
    return new JobBuilder(name, 500 + ++made, scene.quotas.getFirst().id())
        .age(Math.max(1, 30 - made));
  }

  private Story fullForAnHour() {
    scene.cluster("eu-1").nodes(1, 8, "H100");
    scene.job("runs").gpus(8).maxRuntime(Duration.ofHours(1));
    Story story = new Story(scene);
    story.plan();
    return story;
  }

  @Test
  void equalJobsStartOneAfterAnother() {
    Story story = fullForAnHour();
    JobBuilder first = late("first").gpus(8).maxRuntime(Duration.ofMinutes(30));
    JobBuilder second = late("second").gpus(8).maxRuntime(Duration.ofMinutes(30));

    Estimate estimate = story.submit(first, second).plan().why(second).estimate();

    assertThat(estimate.p50()).isEqualTo(IN_AN_HOUR);
    assertThat(estimate.p90()).isEqualTo(IN_AN_HOUR.plus(Duration.ofMinutes(30)));
    assertThat(estimate.assumption()).contains("longest runtime");
  }

  @Test
  void jobBehindAnEndlessJobGetsNoEstimate() {
    Story story = fullForAnHour();
    JobBuilder endless = late("endless").gpus(8);
    JobBuilder behind = late("behind").gpus(4);

    Scene.Planned plan = story.submit(endless, behind).plan();

    assertThat(plan.why(endless).estimate().p50()).isEqualTo(IN_AN_HOUR);
    assertThat(plan.why(behind).estimate()).isNull();
  }

  @Test
  void runningJobWithoutARuntimeLeavesTheEstimateUnknown() {
    scene.cluster("eu-1").nodes(1, 8, "H100");
    scene.job("runs").gpus(8);
    Story story = new Story(scene);
    story.plan();
    JobBuilder waits = late("waits").gpus(8);

    assertThat(story.submit(waits).plan().why(waits).estimate()).isNull();
  }

  @Test
  void releasedQuotaCounts() {
    Flavor flavor = new Flavor("H100", CapacityType.RESERVED);
    QuotaNodeId small =
        scene.queue(
            "small", null, QueueSettings.DEFAULT, new QuotaLimit(flavor, "gpu", 8000L, null, null));
    scene.cluster("eu-1").nodes(2, 8, "H100");
    scene.job("runs").gpus(8).maxRuntime(Duration.ofHours(1)).queue("small", small);
    Story story = new Story(scene);
    story.plan();
    JobBuilder waits = late("waits").gpus(8).queue("small", small);

    assertThat(story.submit(waits).plan().why(waits).estimate().p90()).isEqualTo(IN_AN_HOUR);
  }

  /**
   * Fails when an attempt rejected by quota uses no work budget, although each end is simulated for
   * it.
   */
  @Test
  void quotaRejectionsCountAsSimulationWork() {
    QuotaLimit eight =
        new QuotaLimit(new Flavor("H100", CapacityType.RESERVED), "gpu", 8000L, null, null);
    QuotaNodeId full = scene.queue("full", null, QueueSettings.DEFAULT, eight);
    scene.cluster("eu-1").nodes(11, 8, "H100");
    scene.job("endless").gpus(8).queue("full", full);
    IntStream.rangeClosed(1, 80)
        .forEach(i -> scene.job("runs" + i).gpus(1).maxRuntime(Duration.ofMinutes(i)));
    Story story = new Story(scene);
    story.plan();
    for (int shape = 0; shape < 100; shape++) {
      story.submit(late("shape" + shape).gpus(8).memory(10 + shape).queue("full", full));
    }
    JobBuilder waits = late("waits").gang(10).gpus(8);
    story.submit(waits);

    assertThat(story.look().why(waits).estimate().p90())
        .isEqualTo(Scene.NOW.plus(Duration.ofMinutes(80)));
    assertThat(story.look(100_000, List.of()).why(waits).estimate())
        .as("8,000 tries, and work for 5,000")
        .isNull();
  }

  /** Fails when the play by the longest runtimes leaves its traces in the working copy. */
  @Test
  void startIsEstimatedByLearnedAndMaximumRuntimes() {
    Story story = fullForAnHour();
    JobBuilder first = late("first").gpus(8).maxRuntime(Duration.ofHours(1));
    JobBuilder second = late("second").gpus(8);
    story.submit(first, second);
    World world = story.world();
    LearnedRuntimes learned = new LearnedRuntimes();
    world.live().forEach(live -> learned(learned, live.job(), Duration.ofMinutes(10)));

    Plan plan =
        new SchedulingEngine().plan(new Snapshot(world, List.of(), List.of(), 1_000_000, learned));

    Instant start = plan.foreseen().get(first.job().id());
    assertThat(start).isBetween(Scene.NOW.plusSeconds(400), Scene.NOW.plusSeconds(900));
    assertThat(plan.foreseen().get(second.job().id()))
        .isBetween(start.plusSeconds(400), start.plusSeconds(1800));
    assertThat(new SchedulingEngine().plan(new Snapshot(world, List.of(), 1_000_000)).foreseen())
        .as("when it is not asked for")
        .isEmpty();
  }

  /**
   * Fails when jobs that ended in the simulation by maximum runtimes are still missing in the next
   * simulation.
   */
  @Test
  void eachSimulationStartsWithAllRunningJobs() {
    scene.cluster("eu-1").nodes(2, 8, "H100");
    scene.job("short").gpus(8).maxRuntime(Duration.ofHours(1));
    scene.job("long").gpus(7).maxRuntime(Duration.ofHours(1));
    Story story = new Story(scene);
    story.plan();
    JobBuilder gang = late("gang").gang(2).gpus(8);
    World world = story.submit(gang).world();
    LearnedRuntimes learned = new LearnedRuntimes();
    for (World.LiveAttempt live : world.live()) {
      boolean quick = live.job().name().equals("short");
      learned(learned, live.job(), quick ? Duration.ofMinutes(10) : Duration.ofDays(1));
    }

    Plan plan =
        new SchedulingEngine().plan(new Snapshot(world, List.of(), List.of(), 1_000_000, learned));

    assertThat(plan.foreseen().get(gang.job().id())).isEqualTo(IN_AN_HOUR);
  }

  private static Plan plan(World world, @Nullable LearnedRuntimes learned, Instant reported) {
    SortedMap<AttemptId, Instant> ends = new TreeMap<>();
    world.live().forEach(live -> ends.put(live.attempt().id(), reported));
    return new SchedulingEngine()
        .plan(new Snapshot(world, List.of(), List.of(), 1_000_000, learned, ends));
  }

  private static @Nullable Estimate estimate(Plan plan) {
    return plan.explanations().values().iterator().next().estimate();
  }

  /** Fails when reported progress does not count, or is trusted beyond the longest runtime. */
  @Test
  void runningJobEndsByItsReportedProgressWithinItsLimit() {
    World world = fullForAnHour().submit(late("waits").gpus(8)).world();
    Instant soon = Scene.NOW.plus(Duration.ofMinutes(10));

    Estimate estimate = estimate(plan(world, null, soon));
    assertThat(estimate.p90()).isEqualTo(soon);
    assertThat(estimate.assumption()).contains("by reported progress");

    Estimate limited = estimate(plan(world, null, IN_AN_HOUR.plusSeconds(1)));
    assertThat(limited.p90()).isEqualTo(IN_AN_HOUR);
    assertThat(limited.assumption()).doesNotContain("progress");
  }

  /** Fails when a job that always reports 99 % always counts as about to end. */
  @Test
  void pastReportedEndIsIgnored() {
    World world = fullForAnHour().submit(late("waits").gpus(8)).world();

    Plan plan = plan(world, null, Scene.NOW);

    assertThat(estimate(plan)).isEqualTo(estimate(plan(world, null, Instant.EPOCH)));
    assertThat(estimate(plan).p90()).isEqualTo(IN_AN_HOUR);
    assertThat(estimate(plan).assumption()).doesNotContain("progress");
  }

  @Test
  void jobWithoutALimitThatReportsProgressGivesAnEstimate() {
    scene.cluster("eu-1").nodes(1, 8, "H100");
    scene.job("runs").gpus(8);
    Story story = new Story(scene);
    story.plan();
    World world = story.submit(late("waits").gpus(8)).world();

    assertThat(estimate(plan(world, null, IN_AN_HOUR)).p50()).isEqualTo(IN_AN_HOUR);
  }

  /** Fails when the learned play ignores reports, or prefers similar runs to them. */
  @Test
  void reportedEndOutranksSimilarRuns() {
    JobBuilder waits = late("waits").gpus(8);
    World world = fullForAnHour().submit(waits).world();
    LearnedRuntimes learned = new LearnedRuntimes();
    world.live().forEach(live -> learned(learned, live.job(), Duration.ofMinutes(10)));
    Instant reported = Scene.NOW.plus(Duration.ofMinutes(50));

    assertThat(plan(world, learned, reported).foreseen().get(waits.job().id())).isEqualTo(reported);
    assertThat(plan(world, learned, Scene.NOW).foreseen().get(waits.job().id()))
        .isBefore(Scene.NOW.plus(Duration.ofMinutes(20)));
  }

  private static void learned(LearnedRuntimes learned, Job job, Duration took) {
    for (int i = 0; i < 100; i++) {
      learned.add(new LearnedRuntimes.Run(RunGroup.of(job), Scene.NOW, took));
    }
  }
}
