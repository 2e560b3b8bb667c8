package dev.fairlead.placement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.explanation.Blocker;
import dev.fairlead.explanation.Reason;
import dev.fairlead.quota.FlavorFallback;
import dev.fairlead.quota.QueueSettings;
import dev.fairlead.quota.QuotaNodeId;
import dev.fairlead.quota.UserLimits;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What each user may have at once in a queue. */
class UserLimitTest {
  private final Scene scene = new Scene();

  @BeforeEach
  void aNode() {
    scene.cluster("eu-1").nodes(1, 8, "H100");
  }

  private QuotaNodeId queue(
      QueueSettings.Order order, @Nullable Integer running, @Nullable Long gpuMilli) {
    QueueSettings settings =
        new QueueSettings(order, QueueSettings.State.ACTIVE, null, false, FlavorFallback.DEFAULT)
            .limiting(new UserLimits(running, gpuMilli, null));
    return scene.queue("research", null, settings);
  }

  private JobBuilder job(QuotaNodeId queue, String name, String user) {
    return scene.job(name).user(user).gpus(1).queue("research", queue);
  }

  /** Fails when starts of one cycle are not counted: both jobs of the user would start. */
  @Test
  void oneCycleStartsNoMoreJobsOfAUserThanItsLimit() {
    QuotaNodeId queue = queue(QueueSettings.Order.BEST_EFFORT_FIFO, 1, null);
    JobBuilder first = job(queue, "first", "anna").age(100);
    JobBuilder second = job(queue, "second", "anna").age(50);

    Scene.Planned plan = scene.plan();

    assertThat(plan.starts(first)).isTrue();
    assertThat(plan.starts(second)).isFalse();
    Blocker why = plan.first(second);
    assertThat(why.reason()).isEqualTo(Reason.USER_LIMIT);
    assertThat(why.message()).isEqualTo("anna runs 1 of 1 jobs in queue research");
    assertThat(why.numbers()).containsEntry("running", 1L).containsEntry("runningLimit", 1L);
    assertThat(why.action()).isEqualTo("starts when one of the jobs of anna there ends");
  }

  /** Fails when a job over its user's limit blocks a strict queue as a head that waits does. */
  @Test
  void jobsOfOthersPassAJobOverTheLimitOfItsUserAlsoInAStrictQueue() {
    QuotaNodeId queue = queue(QueueSettings.Order.STRICT_FIFO, 1, null);
    job(queue, "first", "anna").age(100);
    JobBuilder second = job(queue, "second", "anna").age(50);
    JobBuilder other = job(queue, "other", "bo").age(10);

    Scene.Planned plan = scene.plan();

    assertThat(plan.starts(second)).isFalse();
    assertThat(plan.starts(other)).isTrue();
  }

  /** Fails when what runs already does not count, or counts for another user. */
  @Test
  void gpusThatAUserHasAlreadyCount() {
    QuotaNodeId queue = queue(QueueSettings.Order.BEST_EFFORT_FIFO, null, 3000L);
    scene.job("runs").user("anna").gpus(2).queue("research", queue);
    var running = RandomScene.started(scene.world());
    JobBuilder wide = scene.job("wide").user("anna").gpus(2).age(100).queue("research", queue);
    JobBuilder narrow = job(queue, "narrow", "anna");
    JobBuilder other = scene.job("other").user("bo").gpus(3).queue("research", queue);

    Plan plan =
        new SchedulingEngine()
            .plan(
                new Snapshot(
                    running.with(List.of(wide.pending(), narrow.pending(), other.pending())),
                    List.of(),
                    1_000_000));

    assertThat(plan.decisions())
        .filteredOn(Decision.Place.class::isInstance)
        .extracting(Decision::job)
        .containsExactlyInAnyOrder(narrow.id(), other.id());
  }

  /** Fails when the user is told to wait for what never comes. */
  @Test
  void aJobThatAsksForMoreThanAUserEverHasSaysSo() {
    QuotaNodeId queue = queue(QueueSettings.Order.BEST_EFFORT_FIFO, null, 3000L);
    JobBuilder wide = scene.job("wide").user("anna").gpus(4).queue("research", queue);

    Blocker why = scene.plan().first(wide);

    assertThat(why.message())
        .isEqualTo("anna uses 0 of 3 GPUs, and this asks for 4 in queue research");
    assertThat(why.action()).contains("a user never has that much in this queue");
  }
}
