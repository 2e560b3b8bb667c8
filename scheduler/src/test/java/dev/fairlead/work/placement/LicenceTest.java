package dev.fairlead.work.placement;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.licence.Licence;
import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.placement.decision.Decision;
import dev.fairlead.work.world.World;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Starts that a lack of licences prevents. */
class LicenceTest {
  private final Scene scene = new Scene();

  @BeforeEach
  void aNodeAndLicences() {
    scene.cluster("eu-1").nodes(1, 8, "H100");
    scene.licences.add(new Licence("ansys", 3));
  }

  private JobBuilder job(String name) {
    return scene.job(name).gpus(1);
  }

  /** Fails when starts of one cycle are not deducted from the licence: both would start. */
  @Test
  void startsOfOneCycleStayWithinTheLicences() {
    JobBuilder first = job("first").licence("ansys", 2).age(100).maxRuntime(Duration.ofHours(3));
    JobBuilder second = job("second").licence("ansys", 2).age(50);
    JobBuilder without = job("without").age(10);

    Scene.Planned plan = scene.plan();

    assertThat(plan.starts(first)).isTrue();
    assertThat(plan.starts(second)).isFalse();
    assertThat(plan.starts(without)).isTrue();
    Blocker why = plan.first(second);
    assertThat(why.reason()).isEqualTo(Reason.LICENCE);
    assertThat(why.message())
        .isEqualTo(
            "licence ansys: the job requests 2, and 1 of 3 are free. 2 are held by 1 job, the"
                + " first of which ends by "
                + Scene.NOW.plus(Duration.ofHours(3)));
    assertThat(why.numbers())
        .containsEntry("asked", 2L)
        .containsEntry("free", 1L)
        .containsEntry("held", 2L)
        .containsEntry("there", 3L)
        .containsEntry("jobs", 1L)
        .containsKey("firstEndsAtEpochSeconds");
  }

  /**
   * Fails when a smaller job does not overtake a job that waits for licences, even in a strict
   * queue.
   */
  @Test
  void jobRequestingFewerLicencesPassesEvenInAStrictQueue() {
    QuotaNodeId queue =
        scene.queue(
            "strict",
            null,
            QueueSettings.of(QueueSettings.Order.STRICT_FIFO, QueueSettings.State.ACTIVE, null));
    JobBuilder many = job("many").licence("ansys", 4).age(100).queue("strict", queue);
    JobBuilder few = job("few").licence("ansys", 1).age(50).queue("strict", queue);

    Scene.Planned plan = scene.plan();

    assertThat(plan.starts(many)).isFalse();
    assertThat(plan.starts(few)).isTrue();
    assertThat(plan.first(many).action()).satisfies(reason("licence.there-never-many"));
  }

  /** Fails when running jobs do not count, or a lowered licence stops running jobs. */
  @Test
  void runningJobsHoldLicencesAfterALowering() {
    job("runs").licence("ansys", 3);
    World running = RandomScene.started(scene.world());
    JobBuilder next = job("next").licence("ansys", 1);

    for (int count : List.of(3, 1, 0)) {
      World world =
          running.with(List.of(next.pending())).toBuilder()
              .licences(List.of(new Licence("ansys", count)))
              .build();
      assertThat(decided(world)).hasOnlyElementsOfType(Decision.Hold.class).hasSize(1);
    }
    World raised =
        running.with(List.of(next.pending())).toBuilder()
            .licences(List.of(new Licence("ansys", 4)))
            .build();
    assertThat(decided(raised)).hasOnlyElementsOfType(Decision.Place.class).hasSize(1);
  }

  /** Fails when the elements of an array do not hold separate licences. */
  @Test
  void eachArrayElementHoldsALicence() {
    JobBuilder array = job("array").licence("ansys", 1).array(5);

    assertThat(decided(scene.world()))
        .filteredOn(Decision.Place.class::isInstance)
        .extracting(Decision::job)
        .containsOnly(array.id())
        .hasSize(3);
  }

  /**
   * Fails when a job that may run on another cluster holds the licence of a cluster, or a job of
   * that cluster does not.
   */
  @Test
  void clusterLicenceIsHeldOnlyByJobsOnThatCluster() {
    scene.licences.set(0, new Licence("ansys", 3, "eu-1"));
    JobBuilder there = job("there").licence("ansys", 1).on("eu-1");
    JobBuilder anywhere = job("anywhere").licence("ansys", 1);

    Scene.Planned plan = scene.plan();

    assertThat(plan.starts(there)).isTrue();
    assertThat(plan.starts(anywhere)).isFalse();
    assertThat(plan.first(anywhere).message())
        .satisfies(reason("licence.licence-ansys-cluster-job", "ansys", "eu-1"));
  }

  /** Fails when jobs start that wait for a removed licence. */
  @Test
  void removedLicenceHasNoSeats() {
    JobBuilder job = job("job").licence("gone", 1);

    assertThat(scene.plan().first(job).message())
        .satisfies(reason("licence.licence-gone-job-asks", 1, 0, 0, 0, 0));
  }

  private static List<Decision> decided(World world) {
    return new SchedulingEngine().plan(new Snapshot(world, List.of(), 1_000_000)).decisions();
  }
}
