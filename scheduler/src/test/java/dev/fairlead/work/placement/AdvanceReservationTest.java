package dev.fairlead.work.placement;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.care.reservation.AdvanceReservation;
import dev.fairlead.care.reservation.AdvanceReservationId;
import dev.fairlead.care.reservation.AdvanceReservationOwner;
import dev.fairlead.care.reservation.BookedNode;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.window.LeftoverPolicy;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.explanation.NearMiss;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.spec.PriorityClass;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Nodes reserved for a project or for maintenance during an interval. */
class AdvanceReservationTest {
  private static final ProjectId VISION = new ProjectId(new UUID(9, 77));
  private static final TenantId OTHER = new TenantId(new UUID(9, 99));
  private static final AdvanceReservationOwner OWNER =
      new AdvanceReservationOwner(Scene.TENANT, VISION, "vision");
  private final Scene scene = new Scene();

  /** Reserves this number of the scene's nodes, the first by name. */
  private AdvanceReservation booked(
      @Nullable AdvanceReservationOwner owner,
      int nodes,
      int fromHour,
      int untilHour,
      LeftoverPolicy leftoverPolicy) {
    List<BookedNode> its = new ArrayList<>();
    for (Node node : scene.nodes.subList(0, nodes)) {
      its.add(new BookedNode(node.id(), node.cluster(), node.name()));
    }
    AdvanceReservation advanceReservation =
        new AdvanceReservation(
            new AdvanceReservationId(new UUID(5, scene.advanceReservations.size())),
            "demo",
            owner,
            Scene.NOW.plus(Duration.ofHours(fromHour)),
            Scene.NOW.plus(Duration.ofHours(untilHour)),
            leftoverPolicy,
            "",
            its,
            "root",
            Scene.NOW);
    scene.advanceReservations.add(advanceReservation);
    return advanceReservation;
  }

  /** Fails when the filter of advance reservations accepts everything. */
  @Test
  void onlyJobsThatEndInTimeStartBeforeAnAdvanceReservation() {
    scene.cluster("eu-1").nodes(3, 8, "H100");
    booked(OWNER, 3, 2, 6, LeftoverPolicy.FINISH);
    JobBuilder fits = scene.job("fits").gpus(8).maxRuntime(Duration.ofHours(2));
    JobBuilder longer = scene.job("longer").gpus(8).maxRuntime(Duration.ofHours(3));
    JobBuilder endless = scene.job("endless").gpus(8);

    Scene.Planned plan = scene.plan();

    assertThat(plan.starts(fits)).isTrue();
    assertThat(plan.starts(longer)).isFalse();
    assertThat(plan.starts(endless)).isFalse();
  }

  /** Fails when the project of the advance reservation is ignored. */
  @ParameterizedTest
  @CsvSource({"2, 6", "-1, 3"})
  void projectUsesItsNodesBeforeAndDuringTheReservation(int from, int until) {
    scene.cluster("eu-1").nodes(2, 8, "H100");
    booked(OWNER, 2, from, until, LeftoverPolicy.FINISH);
    JobBuilder own = scene.job("own").project(VISION).gpus(8);
    JobBuilder foreign = scene.job("foreign").gpus(8);

    Scene.Planned plan = scene.plan();

    assertThat(plan.starts(own)).isTrue();
    assertThat(plan.starts(foreign)).isFalse();
  }

  @Test
  void maintenanceBlocksAllStartsUntilItsEnd() {
    scene.cluster("eu-1").nodes(1, 8, "H100");
    booked(null, 1, 0, 1, LeftoverPolicy.FINISH);
    JobBuilder brief = scene.job("brief").project(VISION).gpus(8).maxRuntime(Duration.ofMinutes(1));
    Story story = new Story(scene);

    Scene.Planned plan = story.plan();
    assertThat(plan.starts(brief)).isFalse();
    assertThat(plan.first(brief).message())
        .satisfies(
            reason(
                "advance-reservation.node-could-take-booked",
                1,
                "2026-03-01 12:00 UTC",
                "2026-03-01 13:00 UTC"));

    assertThat(story.pass(Duration.ofHours(1)).plan().starts(brief)).isTrue();
  }

  /**
   * Fails when a gang cannot use reserved nodes together with other nodes, or does not avoid them.
   */
  @Test
  void gangSpansBookedAndOtherNodesOnlyIfItEndsInTime() {
    scene.cluster("eu-1").nodes(4, 8, "H100");
    booked(OWNER, 2, 2, 6, LeftoverPolicy.FINISH);
    JobBuilder brief = scene.job("brief").gpus(8).gang(4).maxRuntime(Duration.ofHours(1));
    assertThat(scene.plan().starts(brief)).isTrue();

    scene.jobs.clear();
    JobBuilder longer = scene.job("longer").gpus(8).gang(2).maxRuntime(Duration.ofHours(9));
    assertThat(scene.plan().nodes(longer)).containsExactly("eu-1-n003", "eu-1-n004");
  }

  /** Fails when an advance reservation that evicts rejects jobs that it can evict in time. */
  @Test
  void preemptibleJobsStartBeforeAnEvictingAdvanceReservation() {
    scene.cluster("eu-1").nodes(2, 8, "H100");
    booked(OWNER, 2, 2, 6, LeftoverPolicy.EVICT);
    JobBuilder preempted = scene.job("preempted").gpus(8);
    JobBuilder firm = scene.job("firm").gpus(8).priority(PriorityClass.HIGH);

    Scene.Planned plan = scene.plan();

    assertThat(plan.starts(preempted)).isTrue();
    assertThat(plan.starts(firm)).isFalse();
  }

  /** Fails when the explanation does not name the reserved nodes, or the runtime that would fit. */
  @Test
  void explanationNamesTheReservationAndAFeasibleRuntime() {
    scene.cluster("eu-1").nodes(3, 8, "H100");
    booked(OWNER, 2, 2, 6, LeftoverPolicy.FINISH);
    JobBuilder gang = scene.job("gang").gpus(8).gang(2).maxRuntime(Duration.ofHours(3));

    Scene.Planned plan = scene.plan();

    Blocker why = plan.first(gang);
    assertThat(why.reason()).isEqualTo(Reason.BOOKED);
    assertThat(why.message())
        .satisfies(
            reason(
                "advance-reservation.nodes-could-take-booked",
                2,
                "vision",
                "2026-03-01 14:00 UTC",
                "2026-03-01 18:00 UTC"));
    assertThat(why.numbers())
        .containsEntry("nodes", 2L)
        .containsEntry("startsAtEpochSeconds", Scene.NOW.plusSeconds(7200).getEpochSecond());
    assertThat(plan.why(gang).clusters().getFirst().filtered()).containsEntry("BOOKED", 2);
    assertThat(plan.why(gang).nearMisses())
        .contains(new NearMiss("maxRuntime", "longer or none", "119m", "starts now on eu-1"));
  }

  /** Fails when the project of another tenant is named. */
  @Test
  void tenantDoesNotSeeTheProjectOfAnotherTenantsReservation() {
    scene.cluster("eu-1").nodes(1, 8, "H100");
    booked(new AdvanceReservationOwner(OTHER, VISION, "secret"), 1, -1, 6, LeftoverPolicy.FINISH);
    JobBuilder job = scene.job("a").gpus(8);

    Scene.Planned plan = scene.plan();

    assertThat(plan.first(job).message()).contains("reserved for another tenant");
    assertThat(plan.why(job).toString()).doesNotContain("secret");
  }

  /** An advance reservation does not affect whether a job can ever start. */
  @Test
  void advanceReservationMakesNoJobInfeasible() {
    scene.cluster("eu-1").nodes(2, 8, "H100");
    booked(null, 2, -1, 6, LeftoverPolicy.FINISH);
    JobBuilder gang = scene.job("gang").gpus(8).gang(2);

    assertThat(scene.plan().why(gang).blockers())
        .extracting(Blocker::reason)
        .contains(Reason.BOOKED)
        .doesNotContain(Reason.NEVER_FITS);
  }

  /**
   * It would end in time if it started now, but not if it started when the reserved node is
   * released. Fails when EarliestStart considers only the nodes that advance reservations close
   * now.
   */
  @Test
  void reservedNodesAreWhereTheJobMayStartThen() {
    scene.cluster("eu-1").nodes(2, 8, "H100");
    booked(OWNER, 1, 2, 6, LeftoverPolicy.FINISH);
    JobBuilder first = scene.job("one").gpus(8).maxRuntime(Duration.ofHours(1));
    scene.job("two").gpus(8).maxRuntime(Duration.ofMinutes(100));
    Story story = new Story(scene);
    assertThat(story.plan().nodes(first)).containsExactly("eu-1-n001");
    JobBuilder late = new JobBuilder("late", 501, scene.quotas.getFirst().id());
    story.submit(late.gpus(8).maxRuntime(Duration.ofMinutes(90))).plan();

    Reservation kept = story.reservations().getFirst();
    assertThat(kept.startsAt()).isEqualTo(Scene.NOW.plus(Duration.ofMinutes(100)));
    assertThat(kept.members()).noneMatch(m -> scene.advanceReservations.getFirst().holds(m.node()));
  }

  /**
   * Fails when the end of an advance reservation does not count as a time when capacity becomes
   * free.
   */
  @Test
  void forecastIncludesTheEndOfAnAdvanceReservation() {
    scene.cluster("eu-1").nodes(1, 8, "H100");
    booked(null, 1, 0, 3, LeftoverPolicy.FINISH);
    JobBuilder job = scene.job("a").gpus(8).maxRuntime(Duration.ofHours(1));

    Scene.Planned plan = scene.plan();

    assertThat(plan.why(job).estimate()).isNotNull();
    assertThat(plan.why(job).estimate().toString())
        .contains(Scene.NOW.plus(Duration.ofHours(3)).toString());
  }

  /** Fails when two advance reservations are mistaken for one. */
  @Test
  void jobOfTheProjectEndsBeforeTheNextForeignAdvanceReservation() {
    scene.cluster("eu-1").nodes(1, 8, "H100");
    booked(OWNER, 1, -1, 2, LeftoverPolicy.FINISH);
    booked(null, 1, 2, 4, LeftoverPolicy.FINISH);
    JobBuilder longer = scene.job("a").project(VISION).gpus(8).maxRuntime(Duration.ofHours(3));
    JobBuilder fits = scene.job("b").project(VISION).gpus(8).maxRuntime(Duration.ofHours(1));

    Scene.Planned plan = scene.plan();

    assertThat(List.of(plan.starts(longer), plan.starts(fits))).containsExactly(false, true);
  }
}
