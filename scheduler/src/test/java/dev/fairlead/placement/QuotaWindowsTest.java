package dev.fairlead.placement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.explanation.Blocker;
import dev.fairlead.explanation.Reason;
import dev.fairlead.job.OpeningTiers;
import dev.fairlead.node.Cron;
import dev.fairlead.node.RecurringWindow;
import dev.fairlead.quota.LimitWindow;
import dev.fairlead.quota.QueueSettings;
import dev.fairlead.quota.QuotaLimit;
import dev.fairlead.quota.QuotaNodeId;
import dev.fairlead.resources.CapacityType;
import dev.fairlead.resources.Flavor;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Quota that is another while a window is open; a scene begins at noon UTC. */
class QuotaWindowsTest {
  private static final Flavor H100 = new Flavor("H100", CapacityType.RESERVED);
  private final Scene scene = new Scene();

  private static QuotaLimit gpus(long nominal, long inWindow) {
    RecurringWindow afternoon =
        RecurringWindow.of(
            Cron.parse("0 13 * * *"), Duration.ofHours(3), RecurringWindow.zone("UTC"));
    return new QuotaLimit(
        H100,
        "gpu",
        nominal * 1000,
        0L,
        null,
        List.of(new LimitWindow(afternoon, inWindow * 1000, null)));
  }

  private QuotaNodeId queue(QuotaLimit limit) {
    scene.cluster("eu-1").nodes(4, 8, "H100");
    return scene.queue("team", null, QueueSettings.DEFAULT, limit);
  }

  /** Fails when the plan goes by another time than its own, or a pass of time changes nothing. */
  @Test
  void aJobStartsWhileTheWindowIsOpenAndNotAfter() {
    QuotaNodeId team = queue(gpus(8, 16));
    JobBuilder job = scene.job("wide").queue("team", team).gang(2).gpus(8, "H100");
    Story story = new Story(scene);

    assertThat(story.plan().starts(job)).isFalse();
    assertThat(story.pass(Duration.ofHours(1).minusNanos(1)).plan().starts(job)).isFalse();
    assertThat(story.pass(Duration.ofNanos(1)).look().starts(job)).isTrue();
    assertThat(story.pass(Duration.ofHours(3)).plan().starts(job)).isFalse();
  }

  /** Fails when a limit is held to be for good, or the next change of it is not told. */
  @Test
  void aJobThatOnlyTheWindowLetsStartIsToldWhenItOpens() {
    QuotaNodeId team = queue(gpus(8, 16));
    JobBuilder job = scene.job("wide").queue("team", team).gang(2).gpus(8, "H100");

    Blocker first = scene.plan().first(job);

    assertThat(first.reason()).isEqualTo(Reason.QUOTA);
    assertThat(first.message())
        .isEqualTo(
            "needs 16 gpu of H100/RESERVED, quota of 'team' leaves 8 (0 used of 8); from 2026-03-01"
                + " 13:00 UTC for 3h its limit is 16");
    assertThat(first.numbers())
        .containsEntry(OpeningTiers.OPENS_AT, Scene.NOW.plusSeconds(3600).getEpochSecond());
    assertThat(first.action()).isNull();
  }

  /** Fails when what a window gives at another time is left out of what is never there. */
  @Test
  void whatNoWindowGivesIsNeverThere() {
    QuotaNodeId team = queue(gpus(8, 16));
    JobBuilder job = scene.job("widest").queue("team", team).gang(3).gpus(8, "H100");

    assertThat(scene.plan().first(job).message())
        .isEqualTo("needs 24 gpu of H100/RESERVED, queue 'team' can have at most 16");
  }

  /** Fails when what started in a window is not counted after it, or is stopped at its end. */
  @Test
  void whatRunsOnAfterTheWindowLeavesNothingToOthers() {
    QuotaNodeId team = queue(gpus(8, 16));
    JobBuilder first = scene.job("first").queue("team", team).gang(2).gpus(8, "H100");
    JobBuilder second = scene.job("second").queue("team", team).gpus(1, "H100");
    Story story = new Story(scene);

    assertThat(story.pass(Duration.ofHours(1)).plan().starts(first)).isTrue();
    Scene.Planned after = story.pass(Duration.ofHours(3)).plan();

    assertThat(after.starts(second)).isFalse();
    assertThat(after.plan().decisions()).noneMatch(d -> d instanceof Decision.Preempt);
    assertThat(after.first(second).message())
        .isEqualTo(
            "needs 1 gpu of H100/RESERVED, quota of 'team' leaves 0 (16 used of 8); from 2026-03-02"
                + " 13:00 UTC for 3h its limit is 16");
  }
}
