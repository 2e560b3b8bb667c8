package dev.fairlead.work.placement;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.licence.Licence;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.RoutingPolicy;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.money.price.Money;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.placement.decision.Decision;
import dev.fairlead.work.spec.PriorityClass;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Jobs that return from capacity that is paid by the hour to reserved capacity. */
class MoveBackTest {
  private final Scene scene = new Scene();
  private QuotaNodeId queue;

  @BeforeEach
  void aReservedAndAnOnDemandCluster() {
    queue = scene.quotas.getFirst().id();
    scene.cluster("reserved").nodes(1, 8, "H100");
    scene.cluster("dear", ClusterState.ACTIVE, CapacityType.ON_DEMAND, false).nodes(2, 8, "H100");
    scene.costs("H100", CapacityType.ON_DEMAND, 3_000_000, "USD");
    movesBack(new RoutingPolicy.MoveBack(1, Duration.ofMinutes(10)));
  }

  private void movesBack(RoutingPolicy.MoveBack rule) {
    scene.routing(
        queue,
        new RoutingPolicy(
            List.of(tier(CapacityType.RESERVED), tier(CapacityType.ON_DEMAND)), rule));
  }

  private static RoutingPolicy.Tier tier(CapacityType type) {
    return new RoutingPolicy.Tier(
        List.of(type), List.of(), List.of(), Duration.ZERO, null, RoutingPolicy.Order.FIXED);
  }

  private JobBuilder low(String name) {
    return scene.job(name).gpus(8).priority(PriorityClass.LOW);
  }

  private static List<Decision.MoveBack> moves(Scene.Planned planned) {
    return planned.plan().decisions().stream()
        .filter(Decision.MoveBack.class::isInstance)
        .map(Decision.MoveBack.class::cast)
        .toList();
  }

  /** The first job uses the reserved node and ends. The others have run on demand for this time. */
  private Story spilled(JobBuilder first, Duration since) {
    Story story = new Story(scene);
    story.plan();
    return story.pass(since).ends(first);
  }

  /**
   * Fails when the place is not reserved, or the saving is not based on the price of the present
   * place.
   */
  @Test
  void jobMovesToCapacityReservedForIt() {
    JobBuilder first = low("first").age(1000);
    JobBuilder spilled = low("spilled").maxRuntime(Duration.ofHours(5));
    Story story = spilled(first, Duration.ofMinutes(18));

    Scene.Planned plan = story.plan();

    Decision.MoveBack move = moves(plan).getFirst();
    assertThat(move.saving().text())
        .satisfies(
            reason(
                "move-back.moved-back-dear-reserved",
                "H100/ON_DEMAND",
                "dear",
                "H100/RESERVED",
                "24.00",
                "USD",
                "8.00",
                "USD"));
    assertThat(move.saving().perHour()).isEqualTo(new Money(24_000_000, "USD"));
    Reservation kept = move.reservation();
    assertThat(kept.victims()).containsExactly(move.attempt());
    assertThat(kept.members())
        .extracting(Member::flavor)
        .allMatch(flavor -> flavor.capacity() == CapacityType.RESERVED);
    JobBuilder late = new JobBuilder("late", 50, queue).gpus(8).age(5000);
    assertThat(story.submit(late).look().places())
        .as("the place is kept from others while the job leaves")
        .noneMatch(place -> place.cluster().equals(kept.cluster()));
    assertThat(story.leaves(spilled).plan().cluster(spilled)).isEqualTo("reserved");
  }

  /**
   * Fails when a job moves despite its rest period, its minimum run time, its price or its rule.
   */
  @Test
  void recentNonPreemptibleOrUnconfiguredJobStays() {
    JobBuilder first = low("first").age(1000);
    low("young").maxRuntime(Duration.ofHours(5));
    assertThat(moves(spilled(first, Duration.ofMinutes(9)).look())).isEmpty();
    assertThat(moves(spilled(first, Duration.ofMinutes(10)).look())).hasSize(1);

    movesBack(null);
    assertThat(moves(spilled(first, Duration.ofMinutes(18)).look())).isEmpty();
  }

  /**
   * Fails when a job releases a licence that others wait for, and then waits for the licence
   * itself.
   */
  @Test
  void jobWithALicenceStays() {
    scene.licences.add(new Licence("ansys", 1));
    JobBuilder first = low("first").age(1000);
    low("licensed").maxRuntime(Duration.ofHours(5)).licence("ansys", 1);

    assertThat(moves(spilled(first, Duration.ofMinutes(18)).look())).isEmpty();
  }

  /** Fails when the known end of a job is ignored. */
  @Test
  void jobThatEndsSoonStays() {
    JobBuilder first = low("first").age(1000);
    low("ending").maxRuntime(Duration.ofMinutes(38));

    assertThat(moves(spilled(first, Duration.ofMinutes(18)).look())).isEmpty();
    assertThat(moves(spilled(first, Duration.ofMinutes(17)).look())).hasSize(1);
  }

  /**
   * Fails when a job of unknown length moves before it has run for the time that the move discards.
   */
  @Test
  void jobOfUnknownLengthMovesOnceItsRuntimeExceedsTheMoveCost() {
    JobBuilder first = low("first").age(1000);
    JobBuilder unknown = low("unknown");
    Story story = spilled(first, Duration.ofMinutes(30));

    assertThat(moves(story.look())).as("nothing of it is saved").isEmpty();
    assertThat(moves(story.saves(unknown).look())).hasSize(1);
  }

  /** Fails when a move back takes capacity that a waiting job could use. */
  @Test
  void nothingMovesWhileAJobWaitsForReservedCapacity() {
    JobBuilder first = low("first").age(1000);
    low("spilled").maxRuntime(Duration.ofHours(5));
    Story story = spilled(first, Duration.ofMinutes(18));

    story.submit(new JobBuilder("wide", 50, queue).gang(2).gpus(8).age(5000));

    assertThat(moves(story.look())).isEmpty();
  }

  /** Fails when the limit of an hour does not hold inside a cycle, or over cycles. */
  @Test
  void queueMovesOneJobAnHour() {
    JobBuilder first = low("first").age(1000);
    scene.job("a").gpus(4).priority(PriorityClass.LOW).maxRuntime(Duration.ofHours(5));
    scene.job("b").gpus(4).priority(PriorityClass.LOW).maxRuntime(Duration.ofHours(5));
    Story story = spilled(first, Duration.ofMinutes(18));

    assertThat(moves(story.look())).hasSize(1);
    Plan spent =
        new SchedulingEngine()
            .plan(
                new Snapshot(
                    story.world().toBuilder().movedBack(new TreeMap<>(Map.of(queue, 1))).build(),
                    List.of(),
                    Snapshot.WORK_BUDGET));
    assertThat(spent.decisions()).noneMatch(Decision.MoveBack.class::isInstance);
  }

  /** Fails when a job moves that has no price, so that nothing is saved. */
  @Test
  void jobWithoutAPriceStays() {
    scene.costs("dear", "H100", CapacityType.ON_DEMAND, new Money(0, "USD"));
    JobBuilder first = low("first").age(1000);
    low("spilled").maxRuntime(Duration.ofHours(5));

    assertThat(moves(spilled(first, Duration.ofMinutes(18)).look())).isEmpty();
  }
}
