package dev.fairlead.work.placement;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaLimit;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.work.attempt.Preflight.Verdict;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.job.submit.PreflightProgress;
import dev.fairlead.work.spec.PreflightSpec.OnUntested;
import dev.fairlead.work.spec.PriorityClass;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A job whose nodes are tested before it starts. */
class PreflightTest {
  private static final String HOSTNAME = "kubernetes.io/hostname";
  private final Scene scene = new Scene();
  private QuotaNodeId team;
  private QuotaNodeId tests;
  private int made;

  /** Two nodes, whose GPUs all belong to the team. The queue of the tests has none. */
  @BeforeEach
  void aFullQuota() {
    QuotaNodeId root = scene.group("root");
    team = scene.queue("team", root, QueueSettings.DEFAULT, gpus(16));
    tests = scene.queue("tests", root, QueueSettings.DEFAULT, gpus(0));
    NodeBuilder nodes = scene.cluster("eu-1");
    nodes.label(HOSTNAME, "eu-1-n001").nodes(1, 8, "H100");
    nodes.label(HOSTNAME, "eu-1-n002").nodes(1, 8, "H100");
  }

  private static QuotaLimit gpus(long count) {
    Flavor flavor = new Flavor("H100", CapacityType.RESERVED);
    return new QuotaLimit(flavor, "gpu", count * 1000, null, null);
  }

  private JobBuilder job(String name, int members) {
    return new JobBuilder(name, ++made, team).gang(members).gpus(8, "H100").queue("team", team);
  }

  private JobBuilder tester(String node) {
    return new JobBuilder("test-" + node, ++made, tests)
        .gpus(8, "H100")
        .queue("tests", tests)
        .priority(PriorityClass.LOW)
        .label(HOSTNAME, node);
  }

  private Story waiting(JobBuilder job) {
    scene.jobs.add(job);
    Story story = new Story(scene);
    assertThat(story.plan().starts(job)).isFalse();
    return story;
  }

  /**
   * Fails when the tests lack quota or capacity in addition to the reservation, or when other jobs
   * can use the tested nodes.
   */
  @Test
  void preflightTestsExclusivelyUseTheReservationAndQuota() {
    JobBuilder gang = job("gang", 2).preflight(OnUntested.WAIT);
    Story story = waiting(gang);
    assertThat(story.reservations())
        .singleElement()
        .matches(r -> r.kind() == Reservation.Kind.PREFLIGHT);

    JobBuilder rival = job("rival", 1);
    JobBuilder one = tester("eu-1-n001");
    JobBuilder two = tester("eu-1-n002");
    story.submit(rival, one, two);
    story.tests(gang, "eu-1-n001", one, Verdict.RUNS);
    Scene.Planned testing = story.tests(gang, "eu-1-n002", two, Verdict.RUNS).plan();
    assertThat(testing.nodes(one)).containsExactly("eu-1-n001");
    assertThat(testing.nodes(two)).containsExactly("eu-1-n002");
    assertThat(testing.starts(rival)).isFalse();
    assertThat(testing.first(gang).reason()).isEqualTo(Reason.PREFLIGHT);

    story.ends(one).tests(gang, "eu-1-n001", one, Verdict.PASSED);
    Scene.Planned half = story.plan();
    assertThat(half.places()).isEmpty();
    assertThat(half.first(gang).message())
        .satisfies(reason("preflight.nodes-passed", 1, 2, "eu-1"));

    story.ends(two).tests(gang, "eu-1-n002", two, Verdict.PASSED);
    assertThat(story.plan().nodes(gang)).containsExactly("eu-1-n001", "eu-1-n002");
    assertThat(story.reservations()).isEmpty();
  }

  /** Fails when an unrelated job is admitted by its name or node. */
  @Test
  void testOfAnotherJobIsNotAdmitted() {
    JobBuilder gang = job("gang", 2).preflight(OnUntested.WAIT);
    JobBuilder stranger = tester("eu-1-n001");
    assertThat(waiting(gang).submit(stranger).plan().starts(stranger)).isFalse();
  }

  /** Fails when a test for a place that no longer exists is admitted to the next one. */
  @Test
  void testOfAFormerPlacementIsNotAdmitted() {
    JobBuilder gang = job("gang", 2).preflight(OnUntested.WAIT);
    JobBuilder late = tester("eu-1-n001");
    Story story = waiting(gang).submit(late).tests(gang, "eu-1-n001", late, Verdict.RUNS);
    assertThat(story.formerTests().plan().starts(late)).isFalse();
  }

  /** Fails when the job starts on a failed node, or stays on its reservation. */
  @Test
  void failedNodeEndsTheReservationAndIsAvoided() {
    JobBuilder one = job("one", 1).preflight(OnUntested.START);
    Story story = waiting(one);
    JobBuilder test = tester("eu-1-n001");
    story.tests(one, "eu-1-n001", test, Verdict.FAILED);

    assertThat(story.plan().places()).isEmpty();
    assertThat(story.reservations())
        .singleElement()
        .matches(r -> r.members().getFirst().nodeName().equals("eu-1-n002"));
  }

  /** Fails when a job starts before the time limit of its tests, or never starts. */
  @Test
  void jobStartsUntestedAtTheTimeLimit() {
    JobBuilder gang = job("gang", 2).preflight(OnUntested.START);
    Story story = waiting(gang).pass(Duration.ofMinutes(9));
    assertThat(story.plan().starts(gang)).isFalse();
    assertThat(story.pass(Duration.ofMinutes(1)).plan().nodes(gang)).hasSize(2);
  }

  /** Fails when capacity stays reserved forever for a job whose tests do not release it. */
  @Test
  void reservationThatNeverBecomesFreeIsAbandoned() {
    JobBuilder gang = job("gang", 2).preflight(OnUntested.START);
    Story story = waiting(gang);
    JobBuilder stuck = tester("eu-1-n001");
    story.submit(stuck).tests(gang, "eu-1-n001", stuck, Verdict.RUNS);
    assertThat(story.plan().starts(stuck)).isTrue();
    story.pass(Duration.ofMinutes(10)).tests(gang, "eu-1-n001", stuck, Verdict.UNTESTED);
    Scene.Planned leaving = story.plan();
    assertThat(leaving.first(gang).message()).satisfies(reason("preflight.starts-when-tests-left"));
    assertThat(story.reservations()).hasSize(1);

    story.pass(PreflightProgress.LEAVING).plan();
    assertThat(story.reservations()).isEmpty();
  }

  /** Fails when a job that waits for tested nodes continues with one that could not be tested. */
  @Test
  void waitingJobReleasesAnUntestedNode() {
    JobBuilder one = job("one", 1).preflight(OnUntested.WAIT);
    Story story = waiting(one).tests(one, "eu-1-n001", tester("eu-1-n001"), Verdict.UNTESTED);
    assertThat(story.plan().places()).isEmpty();
    assertThat(story.reservations())
        .singleElement()
        .matches(r -> r.members().getFirst().nodeName().equals("eu-1-n002"));
  }

  /** Fails when a place outlives its job. */
  @Test
  void cancelledJobHasNoReservation() {
    JobBuilder gang = job("gang", 2).preflight(OnUntested.START);
    JobBuilder rival = job("rival", 2);
    Story story = waiting(gang).submit(rival).withdraw(gang);
    assertThat(story.plan().starts(rival)).isTrue();
  }
}
