package dev.fairlead.work.placement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.quota.FlavorFallback;
import dev.fairlead.fleet.quota.PastUse;
import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.work.placement.laws.Changed;
import dev.fairlead.work.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Past usage affects the order where a group or queue has a half-life. */
class HistoryTest {
  private static final Duration DAY = Duration.ofDays(1);
  private final Scene scene = new Scene();
  private final QuotaNodeId root = scene.group("root", OrderTest.gpus(8));
  private final QuotaNodeId busy = scene.queue("busy", root, QueueSettings.DEFAULT);
  private final QuotaNodeId idle = scene.queue("idle", root, QueueSettings.DEFAULT);
  private final List<PastUse> past = new ArrayList<>();

  private void used(QuotaNodeId node, QuotaNodeId queue, String user, long gpus, Duration ago) {
    Instant end = Scene.NOW.minus(ago);
    long use = PastUse.milliSeconds(gpus * 1000, end.minus(DAY), end, DAY);
    past.add(new PastUse(node, queue, user, use, end));
  }

  /** Both request all capacity. The older job is in the busy queue. */
  private JobId first(JobBuilder... jobs) {
    World world = Changed.past(scene.world(), past);
    Plan plan = new SchedulingEngine().plan(new Snapshot(world, List.of(), 1_000_000));
    return plan.decisions().getFirst().job();
  }

  @Test
  void queueWithMorePastUsageComesLater() {
    // fails when Turns ignores History
    scene.cluster("eu-1").nodes(1, 8, "H100");
    JobBuilder older = scene.job("older").gpus(8).age(60).queue("busy", busy);
    JobBuilder younger = scene.job("younger").gpus(8).age(1).queue("idle", idle);
    used(root, busy, "ada", 4, Duration.ofHours(1));

    assertThat(first()).isEqualTo(older.id());
    scene.remembers(root, DAY);
    assertThat(first()).isEqualTo(younger.id());
  }

  @Test
  void olderUseCountsLess() {
    scene.cluster("eu-1").nodes(1, 8, "H100");
    JobBuilder older = scene.job("older").gpus(8).age(60).queue("busy", busy);
    scene.job("younger").gpus(8).age(1).queue("idle", idle);
    scene.remembers(root, DAY);
    used(root, busy, "ada", 4, Duration.ofDays(3));
    used(root, idle, "bob", 1, Duration.ZERO);

    assertThat(first()).isEqualTo(older.id());
  }

  @Test
  void usersOfAFairQueueAreOrderedByPastUse() {
    scene.cluster("eu-1").nodes(1, 8, "H100");
    QuotaNodeId fair =
        scene.queue(
            "fair",
            root,
            QueueSettings.of(
                QueueSettings.Order.BEST_EFFORT_FIFO,
                QueueSettings.State.ACTIVE,
                null,
                true,
                FlavorFallback.DEFAULT));
    JobBuilder older = scene.job("older").user("ada").gpus(8).age(60).queue("fair", fair);
    JobBuilder younger = scene.job("younger").user("bob").gpus(8).age(1).queue("fair", fair);
    used(fair, fair, "ada", 4, Duration.ofHours(1));

    assertThat(first()).isEqualTo(older.id());
    scene.remembers(fair, DAY);
    assertThat(first()).isEqualTo(younger.id());
  }
}
