package dev.fairlead.work.placement;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.quota.FlavorFallback;
import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.RunLimits;
import dev.fairlead.fleet.quota.UserLimits;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.placement.decision.Decision;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The concurrent limit of each user in a queue. */
class UserLimitTest {
  private final Scene scene = new Scene();

  @BeforeEach
  void aNode() {
    scene.cluster("eu-1").nodes(1, 8, "H100");
  }

  private QuotaNodeId queue(
      QueueSettings.Order order, @Nullable Integer running, @Nullable Long gpuMilli) {
    QueueSettings settings =
        QueueSettings.of(order, QueueSettings.State.ACTIVE, null, false, FlavorFallback.DEFAULT)
            .withUserLimits(new UserLimits(running, gpuMilli, null, null));
    return scene.queue("research", null, settings);
  }

  private JobBuilder job(QuotaNodeId queue, String name, String user) {
    return scene.job(name).user(user).gpus(1).queue("research", queue);
  }

  /** Fails when starts of one cycle are not counted: both jobs of the user would start. */
  @Test
  void startsOfOneCycleStayWithinTheUserLimit() {
    QuotaNodeId queue = queue(QueueSettings.Order.BEST_EFFORT_FIFO, 1, null);
    JobBuilder first = job(queue, "first", "anna").age(100);
    JobBuilder second = job(queue, "second", "anna").age(50);

    Scene.Planned plan = scene.plan();

    assertThat(plan.starts(first)).isTrue();
    assertThat(plan.starts(second)).isFalse();
    Blocker why = plan.first(second);
    assertThat(why.reason()).isEqualTo(Reason.USER_LIMIT);
    assertThat(why.message())
        .satisfies(reason("user-limit.anna-runs-jobs-queue", "anna", 1, 1, "research"));
    assertThat(why.numbers()).containsEntry("running", 1L).containsEntry("runningLimit", 1L);
    assertThat(why.action()).satisfies(reason("user-limit.starts-when-one-jobs", "anna"));
  }

  /** Fails when a job over its user's limit blocks a strict queue like a waiting head. */
  @Test
  void otherUsersOvertakeAJobOverItsUserLimitEvenInAStrictQueue() {
    QuotaNodeId queue = queue(QueueSettings.Order.STRICT_FIFO, 1, null);
    job(queue, "first", "anna").age(100);
    JobBuilder second = job(queue, "second", "anna").age(50);
    JobBuilder other = job(queue, "other", "bo").age(10);

    Scene.Planned plan = scene.plan();

    assertThat(plan.starts(second)).isFalse();
    assertThat(plan.starts(other)).isTrue();
  }

  /** Fails when running jobs do not count, or count for another user. */
  @Test
  void gpusInUseByTheUserCount() {
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

  /** Fails when the message tells the user to wait for an event that never happens. */
  @Test
  void jobAboveTheUserLimitReportsIt() {
    QuotaNodeId queue = queue(QueueSettings.Order.BEST_EFFORT_FIFO, null, 3000L);
    JobBuilder wide = scene.job("wide").user("anna").gpus(4).queue("research", queue);

    Blocker why = scene.plan().first(wide);

    assertThat(why.message())
        .satisfies(reason("user-limit.anna-uses-gpus-asks", "anna", 0, 3, 4, "research"));
    assertThat(why.action()).satisfies(reason("user-limit.user-never-much-queue"));
  }

  private QuotaNodeId minutes(long gpuMinutes) {
    QueueSettings settings =
        QueueSettings.DEFAULT.withUserLimits(new UserLimits(null, null, null, gpuMinutes));
    return scene.queue("research", null, settings);
  }

  private JobBuilder hours(QuotaNodeId queue, String name, long hours) {
    return scene
        .job(name)
        .user("anna")
        .gpus(2)
        .maxRuntime(Duration.ofHours(hours))
        .queue("research", queue);
  }

  /** Fails when the longest runtime of a job does not count, or starts of one cycle do not. */
  @Test
  void runningJobsStayWithinTheGpuMinutesOfTheLimit() {
    QuotaNodeId queue = minutes(600);
    JobBuilder first = hours(queue, "first", 4).age(100);
    JobBuilder second = hours(queue, "second", 2).age(50);
    JobBuilder brief = hours(queue, "brief", 1).age(10);

    Scene.Planned plan = scene.plan();

    assertThat(plan.starts(first)).isTrue();
    assertThat(plan.starts(second)).isFalse();
    assertThat(plan.starts(brief)).isTrue();
    Blocker why = plan.first(second);
    assertThat(why.reason()).isEqualTo(Reason.USER_LIMIT);
    assertThat(why.message())
        .satisfies(reason("user-limit.jobs-anna-may-still", "anna", 480, 600, 240));
    assertThat(why.numbers())
        .containsEntry("gpuMinutesLimit", 600L)
        .containsEntry("gpuMinutesAsked", 240L);
    assertThat(why.action()).satisfies(reason("user-limit.starts-when-jobs-anna", "anna"));
  }

  /** Fails when a job without an end is not counted, or its advice is to wait for others. */
  @Test
  void jobWithoutARuntimeNeverStartsUnderALimitOfGpuMinutes() {
    QuotaNodeId queue = minutes(600);
    JobBuilder endless = scene.job("endless").user("anna").gpus(1).queue("research", queue);
    JobBuilder withoutGpus = scene.job("cpu").user("anna").queue("research", queue);

    Scene.Planned plan = scene.plan();

    assertThat(plan.starts(endless)).isFalse();
    assertThat(plan.first(endless).message()).contains("it has no maxRuntime");
    assertThat(plan.first(endless).action()).startsWith("submit it with a maxRuntime");
    assertThat(plan.starts(withoutGpus)).isTrue();
  }

  /** Fails when the time that a job has run still counts, or more than it may still run. */
  @Test
  void remainingRuntimeCounts() {
    RunLimits limits = new RunLimits(null, null, 100L);

    assertThat(limits.admitOne(RunLimits.Demand.of(1000, Duration.ofMinutes(100)))).isTrue();
    assertThat(limits.admitOne(RunLimits.Demand.of(1000, Duration.ofMinutes(101)))).isFalse();
    assertThat(limits.admitOne(RunLimits.Demand.of(1000, Duration.ofMinutes(-5)))).isTrue();
    assertThat(limits.admitOne(RunLimits.Demand.of(1000, null))).isFalse();
    assertThat(limits.admitOne(RunLimits.Demand.of(0, null))).isTrue();
    assertThat(limits.admitOne(RunLimits.Demand.of(Long.MAX_VALUE / 8, Duration.ofDays(9000))))
        .isFalse();
  }

  private QuotaNodeId limited(RunLimits projects, RunLimits all) {
    return scene.queue(
        "research",
        null,
        QueueSettings.DEFAULT.with().projectLimits(projects).queueLimits(all).build());
  }

  /** Fails when users are counted by themselves, or projects together. */
  @Test
  void jobsOfAProjectCountTogether() {
    QuotaNodeId queue = limited(new RunLimits(1, null, null), RunLimits.NONE);
    JobBuilder first = job(queue, "first", "anna").age(100);
    JobBuilder second = job(queue, "second", "bo").age(50);
    JobBuilder other = job(queue, "other", "bo").project(new ProjectId(new UUID(7, 7))).age(10);

    Scene.Planned plan = scene.plan();

    assertThat(plan.starts(first)).isTrue();
    assertThat(plan.starts(second)).isFalse();
    assertThat(plan.starts(other)).isTrue();
    Blocker why = plan.first(second);
    assertThat(why.reason()).isEqualTo(Reason.QUEUE_LIMIT);
    assertThat(why.message())
        .satisfies(reason("user-limit.project-runs-jobs-queue", 1, 1, "research"));
    assertThat(why.action()).satisfies(reason("user-limit.starts-when-one-jobs-2"));
  }

  /** Fails when running jobs of other users in a queue do not count towards the shared limit. */
  @Test
  void allJobsOfAQueueCountTogether() {
    QuotaNodeId queue = limited(RunLimits.NONE, new RunLimits(null, null, 300L));
    JobBuilder first = hours(queue, "first", 2).user("bo").age(100);
    JobBuilder second = hours(queue, "second", 1).age(50);
    JobBuilder never = hours(queue, "never", 3).age(10);

    Scene.Planned plan = scene.plan();

    assertThat(plan.starts(first)).isTrue();
    assertThat(plan.starts(second)).isFalse();
    Blocker why = plan.first(second);
    assertThat(why.reason()).isEqualTo(Reason.QUEUE_LIMIT);
    assertThat(why.message())
        .satisfies(reason("user-limit.jobs-queue-research-may", "research", 240, 300, 120));
    assertThat(why.action()).satisfies(reason("user-limit.starts-when-jobs-queue"));
    assertThat(plan.first(never).action())
        .satisfies(reason("user-limit.queue-never-runs-much", "queueLimits"));
  }
}
