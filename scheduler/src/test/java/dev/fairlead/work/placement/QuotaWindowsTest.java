package dev.fairlead.work.placement;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.node.window.Cron;
import dev.fairlead.fleet.node.window.RecurringWindow;
import dev.fairlead.fleet.quota.FleetQuota;
import dev.fairlead.fleet.quota.LimitWindow;
import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaLimit;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.SharePolicy;
import dev.fairlead.fleet.quota.memory.MemoryQuotaStore;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.job.estimate.OpeningTiers;
import dev.fairlead.work.placement.decision.Decision;
import dev.fairlead.work.spec.PriorityClass;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Quota that changes while a window is open. Each scene starts at noon UTC. */
class QuotaWindowsTest {
  private static final Flavor H100 = new Flavor("H100", CapacityType.RESERVED);
  private final Scene scene = new Scene();

  private static QuotaLimit gpus(long nominal, long inWindow) {
    return gpus(nominal, inWindow, null);
  }

  private static QuotaLimit gpus(long nominal, long inWindow, @Nullable Duration evictLead) {
    RecurringWindow afternoon =
        RecurringWindow.of(
            Cron.parse("0 13 * * *"), Duration.ofHours(3), RecurringWindow.zone("UTC"));
    return new QuotaLimit(
        H100,
        "gpu",
        nominal * 1000,
        0L,
        null,
        List.of(new LimitWindow(afternoon, inWindow * 1000, null)),
        evictLead);
  }

  private static List<JobId> stopped(Scene.Planned planned) {
    return planned.plan().decisions().stream()
        .filter(Decision.Leftover.class::isInstance)
        .map(each -> ((Decision.Leftover) each).job())
        .toList();
  }

  private QuotaNodeId queue(QuotaLimit limit) {
    scene.cluster("eu-1").nodes(4, 8, "H100");
    return scene.queue("team", null, QueueSettings.DEFAULT, limit);
  }

  /** Fails when the plan uses a time other than its own, or the passing of time has no effect. */
  @Test
  void jobStartsOnlyWhileTheWindowIsOpen() {
    QuotaNodeId team = queue(gpus(8, 16));
    JobBuilder job = scene.job("wide").queue("team", team).gang(2).gpus(8, "H100");
    Story story = new Story(scene);

    assertThat(story.plan().starts(job)).isFalse();
    assertThat(story.pass(Duration.ofHours(1).minusNanos(1)).plan().starts(job)).isFalse();
    assertThat(story.pass(Duration.ofNanos(1)).look().starts(job)).isTrue();
    assertThat(story.pass(Duration.ofHours(3)).plan().starts(job)).isFalse();
  }

  /** Fails when a limit counts as permanent, or its next change is not reported. */
  @Test
  void jobThatNeedsTheWindowReportsItsOpening() {
    QuotaNodeId team = queue(gpus(8, 16));
    JobBuilder job = scene.job("wide").queue("team", team).gang(2).gpus(8, "H100");

    Blocker first = scene.plan().first(job);

    assertThat(first.reason()).isEqualTo(Reason.QUOTA);
    assertThat(first.message())
        .satisfies(
            reason(
                "quota-windows.needs-gpu-quota-team",
                16,
                "H100/RESERVED",
                "team",
                8,
                0,
                8,
                "2026-03-01 13:00 UTC",
                "3h",
                16));
    assertThat(first.numbers())
        .containsEntry(OpeningTiers.OPENS_AT, Scene.NOW.plusSeconds(3600).getEpochSecond());
    assertThat(first.action()).isNull();
  }

  /** Fails when capacity of a later window counts as never available. */
  @Test
  void requestBeyondEveryWindowIsInfeasible() {
    QuotaNodeId team = queue(gpus(8, 16));
    JobBuilder job = scene.job("widest").queue("team", team).gang(3).gpus(8, "H100");

    assertThat(scene.plan().first(job).message())
        .satisfies(reason("quota-windows.needs-gpu-queue-team", 24, "H100/RESERVED", "team", 16));
  }

  /** Fails when jobs started in a window are not counted after it, or are stopped at its end. */
  @Test
  void jobRunningPastTheWindowLeavesNothingToOthers() {
    QuotaNodeId team = queue(gpus(8, 16));
    JobBuilder first = scene.job("first").queue("team", team).gang(2).gpus(8, "H100");
    JobBuilder second = scene.job("second").queue("team", team).gpus(1, "H100");
    Story story = new Story(scene);

    assertThat(story.pass(Duration.ofHours(1)).plan().starts(first)).isTrue();
    Scene.Planned after = story.pass(Duration.ofHours(3)).plan();

    assertThat(after.starts(second)).isFalse();
    assertThat(after.plan().decisions()).noneMatch(d -> d instanceof Decision.Preempt);
    assertThat(after.first(second).message())
        .satisfies(
            reason(
                "quota-windows.needs-gpu-quota-team-2",
                1,
                "H100/RESERVED",
                "team",
                0,
                16,
                8,
                "2026-03-02 13:00 UTC",
                "3h",
                16));
  }

  /**
   * Fails when work from before the window is evicted with work of the window, or more than the
   * excess is evicted.
   */
  @Test
  void evictingLimitEndsWindowJobsWithTheWindow() {
    QuotaNodeId team = queue(gpus(8, 24, Duration.ZERO));
    JobBuilder base = scene.job("base").queue("team", team).gpus(4, "H100");
    Story story = new Story(scene);
    assertThat(story.plan().starts(base)).isTrue();
    JobBuilder early =
        scene.job("early").queue("team", team).priority(PriorityClass.LOW).gpus(4, "H100");
    story.pass(Duration.ofMinutes(70)).submit(early).plan();
    JobBuilder late = scene.job("late").queue("team", team).gpus(8, "H100");
    assertThat(story.pass(Duration.ofMinutes(10)).submit(late).plan().starts(late)).isTrue();

    assertThat(stopped(story.pass(Duration.ofMinutes(160).minusNanos(1)).plan())).isEmpty();
    assertThat(stopped(story.pass(Duration.ofNanos(1)).plan())).containsExactly(late.id());
    assertThat(stopped(story.plan())).isEmpty();
  }

  /** Fails when jobs from before the window are stopped for jobs that the window admitted. */
  @Test
  void jobFromBeforeTheWindowStays() {
    QuotaNodeId team = queue(gpus(8, 16, Duration.ZERO));
    JobBuilder base =
        scene.job("base").queue("team", team).priority(PriorityClass.LOW).gpus(8, "H100");
    Story story = new Story(scene);
    assertThat(story.plan().starts(base)).isTrue();
    JobBuilder late = scene.job("late").queue("team", team).gpus(8, "H100");
    assertThat(story.pass(Duration.ofHours(2)).submit(late).plan().starts(late)).isTrue();

    assertThat(stopped(story.pass(Duration.ofHours(2)).plan())).containsExactly(late.id());
  }

  /** Fails when jobs are stopped only at the close, or stopped jobs start again immediately. */
  @Test
  void limitAfterTheWindowAppliesDuringItsLeadTime() {
    QuotaNodeId team = queue(gpus(8, 16, Duration.ofMinutes(30)));
    JobBuilder wide = scene.job("wide").queue("team", team).gang(2).gpus(8, "H100");
    JobBuilder small = scene.job("small").queue("team", team).gpus(8, "H100");
    Story story = new Story(scene);
    assertThat(story.pass(Duration.ofHours(1)).plan().starts(wide)).isTrue();

    assertThat(stopped(story.pass(Duration.ofMinutes(150).minusNanos(1)).look())).isEmpty();
    assertThat(stopped(story.pass(Duration.ofNanos(1)).plan())).containsExactly(wide.id());
    Scene.Planned after = story.leaves(wide).plan();
    assertThat(after.starts(wide)).isFalse();
    assertThat(after.starts(small)).isTrue();
  }

  /** Fails when admitted jobs continue above the platform's limit of a tenant. */
  @Test
  void windowJobsOfAFleetLimitEndWithTheWindow() {
    QuotaNodeId team = queue(gpus(32, 32));
    QuotaNode tenant = FleetQuota.unlimited(Scene.TENANT);
    scene.quotas.add(MemoryQuotaStore.unlimitedRoot());
    scene.quotas.add(
        new QuotaNode(
            tenant.id(),
            tenant.tenant(),
            tenant.name(),
            tenant.parent(),
            tenant.depth(),
            tenant.weight(),
            List.of(gpus(8, 16, Duration.ZERO)),
            tenant.preemption(),
            null,
            SharePolicy.DOMINANT_SHARE,
            null,
            tenant.version()));
    JobBuilder late = scene.job("late").queue("team", team).gang(2).gpus(8, "H100");
    Story story = new Story(scene);
    assertThat(story.pass(Duration.ofHours(1)).plan().starts(late)).isTrue();

    assertThat(stopped(story.pass(Duration.ofHours(3)).plan())).containsExactly(late.id());
  }

  /** Fails when work of before the window grows into it, since the close would not stop it. */
  @Test
  void jobFromBeforeTheWindowGrowsWithinThePermanentLimit() {
    QuotaNodeId team = queue(gpus(16, 32, Duration.ZERO));
    JobBuilder early = scene.job("early").queue("team", team).elastic(1, 4).gpus(8, "H100");
    Story story = new Story(scene);
    story.plan();
    story.pass(Duration.ofMinutes(5)).plan();
    assertThat(story.members(early)).isEqualTo(2);
    story.pass(Duration.ofHours(2)).plan();
    assertThat(story.members(early)).isEqualTo(2);
  }

  /** Fails when work of a window cannot grow during the window. */
  @Test
  void windowJobGrowsWithinTheWindow() {
    QuotaNodeId team = queue(gpus(8, 32, Duration.ZERO));
    JobBuilder other = scene.job("other").queue("team", team).gang(2).gpus(8, "H100");
    JobBuilder late = scene.job("late").queue("team", team).elastic(1, 4).gpus(8, "H100");
    Story story = new Story(scene);
    story.pass(Duration.ofHours(1)).plan();
    int before = story.members(late);
    story.ends(other).pass(Duration.ofHours(1)).plan();
    assertThat(story.members(late)).isGreaterThan(before).isEqualTo(4);
  }

  /** Fails when work that is never evicted starts on quota that a window takes back. */
  @Test
  void nonPreemptibleJobGetsOnlyThePermanentLimit() {
    QuotaNodeId team = queue(gpus(8, 16, Duration.ZERO));
    JobBuilder firm =
        scene.job("firm").queue("team", team).priority(PriorityClass.HIGH).gang(2).gpus(8, "H100");
    JobBuilder fits =
        scene.job("fits").queue("team", team).priority(PriorityClass.HIGH).gpus(8, "H100");
    Story story = new Story(scene);

    Scene.Planned open = story.pass(Duration.ofHours(1)).plan();

    assertThat(open.starts(firm)).isFalse();
    assertThat(open.starts(fits)).isTrue();
    assertThat(stopped(story.pass(Duration.ofHours(3)).plan())).isEmpty();
  }
}
