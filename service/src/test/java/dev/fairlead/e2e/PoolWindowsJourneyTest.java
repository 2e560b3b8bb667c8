package dev.fairlead.e2e;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterSettings.NodeLabelPolicy;
import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeLabelsAndTaints;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.Spares;
import dev.fairlead.fleet.node.pool.Pool;
import dev.fairlead.fleet.node.pool.PoolId;
import dev.fairlead.fleet.node.pool.PoolSelector;
import dev.fairlead.fleet.node.window.Cron;
import dev.fairlead.fleet.node.window.LeftoverPolicy;
import dev.fairlead.fleet.node.window.PoolWindows;
import dev.fairlead.fleet.node.window.RecurringWindow;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.spec.PlacementSpec;
import dev.fairlead.work.spec.PriorityClass;
import dev.fairlead.work.workload.simulation.SimulatedCluster;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Teams of the day and of the night on the same nodes. */
class PoolWindowsJourneyTest {
  private static final Duration SHORTLY = Duration.ofSeconds(5);
  private static final Duration HAND_OVER = Duration.ofMinutes(1);

  private final InMemoryFairlead fairlead = InMemoryFairlead.empty(1);

  private final SimulatedCluster eu = fairlead.register("eu", new FleetPool(2, 8, "H100", 1, 1));

  private void showing(NodeLabelPolicy policy) {
    Cluster now = fairlead.stores().inventory().clusterNamed("eu").orElseThrow();
    Cluster said =
        now.configured(
            now.capacity(), now.pricePerGpuHour(), now.settings().withNodeLabelsAndTaints(policy));
    fairlead.stores().inventory().configure(said, null);
  }

  private List<NodeLabelsAndTaints> shown() {
    return eu.inventory().nodes().stream().map(NodeReport::labelsAndTaints).distinct().toList();
  }

  private static PoolWindows windows(
      String cron, int hours, LeftoverPolicy leftoverPolicy, Duration extension) {
    return new PoolWindows(
        List.of(
            RecurringWindow.of(
                Cron.parse(cron), Duration.ofHours(hours), RecurringWindow.zone("Europe/Berlin"))),
        Duration.ZERO,
        leftoverPolicy,
        extension);
  }

  private void pool(String name, @Nullable TenantId owner, PoolWindows windows) {
    PoolSelector all = new PoolSelector(List.of("eu"), List.of(), new TreeMap<>(), List.of());
    PoolId id = new PoolId(fairlead.stores().ids().next());
    fairlead.stores().pools().insert(new Pool(id, name, owner, all, "", Spares.NONE, windows, 1));
    int _ = fairlead.stores().inventory().assign(fairlead.stores().pools().pools());
  }

  private void teams(LeftoverPolicy leftoverPolicy, Duration extension) {
    pool("day", null, windows("0 6 * * *", 16, leftoverPolicy, extension));
    pool("night", null, windows("0 22 * * *", 8, leftoverPolicy, extension));
  }

  private Job submitted(String pool, PriorityClass priority) {
    PlacementSpec there = PlacementSpec.ANYWHERE.with().pools(List.of(pool)).build();
    return fairlead.submit(
        Specs.job(pool)
            .workers(2)
            .gpus(8)
            .priority(priority)
            .placement(there)
            .annotation("sim.fairlead.dev/run-for", "300h"));
  }

  private void stepTo(Instant time) {
    fairlead.stepClock(Duration.between(fairlead.stores().clock().instant(), time));
  }

  private List<String> poolsOfNodes() {
    return fairlead.stores().inventory().nodes(null).stream()
        .map(Node::pool)
        .map(pool -> pool == null ? "" : pool.name())
        .toList();
  }

  /**
   * Across days with a clock change. Fails when windows last for elapsed time, when nodes of a
   * closed pool accept or retain work, or when they are reassigned before they are empty.
   */
  @ParameterizedTest
  @CsvSource({
    "2030-03-30T12:00:00Z, 2030-03-30T21:00:00Z, 2030-03-31T04:00:00Z",
    "2030-10-26T12:00:00Z, 2030-10-26T20:00:00Z, 2030-10-27T05:00:00Z"
  })
  void eachTeamRunsInItsOwnHours(Instant noon, Instant evening, Instant morning) {
    stepTo(noon);
    teams(LeftoverPolicy.EVICT, Duration.ZERO);
    Job day = submitted("day", PriorityClass.NORMAL);
    Job night = submitted("night", PriorityClass.NORMAL);
    fairlead.until(day, JobState.RUNNING);
    assertThat(poolsOfNodes()).containsOnly("day");
    assertThat(fairlead.job(night).state()).isEqualTo(JobState.QUEUED);

    stepTo(evening.minus(SHORTLY));
    fairlead.pass(SHORTLY.minusMillis(100));
    assertThat(fairlead.state(day)).isEqualTo(JobState.RUNNING);
    fairlead.pass(HAND_OVER);
    assertThat(fairlead.state(night)).isEqualTo(JobState.RUNNING);
    assertThat(fairlead.state(day)).isEqualTo(JobState.QUEUED);
    assertThat(poolsOfNodes()).containsOnly("night");

    stepTo(morning.minus(SHORTLY));
    fairlead.pass(SHORTLY.minusMillis(100));
    assertThat(fairlead.state(night)).isEqualTo(JobState.RUNNING);
    fairlead.pass(HAND_OVER);
    assertThat(fairlead.state(day)).isEqualTo(JobState.RUNNING);
    assertThat(fairlead.state(night)).isEqualTo(JobState.QUEUED);
    Attempt first = fairlead.attempts(day).getFirst();
    assertThat(first.state()).isEqualTo(AttemptState.PREEMPTED);
    assertThat(first.failure().message())
        .satisfies(reason("pool-windows-journey.window-pool-day-closed", "day"));
    assertThat(fairlead.job(day).run().failures()).isZero();
  }

  /**
   * Fails when a node shows another pool before it is empty, does not show its new pool, or retains
   * an outdated label.
   */
  @Test
  void nodesShowThePoolThatTheyWereHandedTo() {
    stepTo(Instant.parse("2030-06-01T12:00:00Z"));
    teams(LeftoverPolicy.EXTEND_UP_TO, Duration.ofMinutes(30));
    Job day = fairlead.until(submitted("day", PriorityClass.NORMAL), JobState.RUNNING);
    fairlead.pass(SHORTLY.multipliedBy(2));
    assertThat(shown()).containsExactly(NodeLabelsAndTaints.NONE);
    showing(NodeLabelPolicy.POOL);
    fairlead.pass(SHORTLY.multipliedBy(2));
    assertThat(shown()).containsExactly(new NodeLabelsAndTaints("day", null));

    stepTo(Instant.parse("2030-06-01T20:10:00Z"));
    fairlead.pass(HAND_OVER);
    assertThat(fairlead.state(day)).isEqualTo(JobState.RUNNING);
    assertThat(shown()).as("still in use").containsExactly(new NodeLabelsAndTaints("day", null));
    stepTo(Instant.parse("2030-06-01T20:30:00Z"));
    fairlead.pass(HAND_OVER);
    assertThat(fairlead.state(day)).isEqualTo(JobState.QUEUED);
    assertThat(shown()).containsExactly(new NodeLabelsAndTaints("night", null));

    showing(NodeLabelPolicy.NEVER);
    fairlead.pass(SHORTLY.multipliedBy(2));
    assertThat(shown()).containsExactly(NodeLabelsAndTaints.NONE);
  }

  /**
   * Fails when a busy node without a pool, or of an always open one, moves to one with windows, or
   * when a pool stops work that it cannot have admitted.
   */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void closingPoolStopsNothingThatItDidNotAdmit(boolean alwaysOpen) {
    stepTo(Instant.parse("2030-06-01T19:00:00Z"));
    if (alwaysOpen) {
      pool("day", null, PoolWindows.NONE);
    }
    Job longer =
        fairlead.until(
            fairlead.submit(
                Specs.job("longer")
                    .workers(1)
                    .gpus(8)
                    .annotation("sim.fairlead.dev/run-for", "300h")),
            JobState.RUNNING);
    pool("night", longer.tenant(), windows("0 22 * * *", 8, LeftoverPolicy.EVICT, Duration.ZERO));
    fairlead.pass(HAND_OVER);
    assertThat(fairlead.state(longer)).isEqualTo(JobState.RUNNING);

    stepTo(Instant.parse("2030-06-01T20:00:00Z"));
    fairlead.pass(HAND_OVER);
    assertThat(poolsOfNodes()).containsOnlyOnce("night");

    stepTo(Instant.parse("2030-06-02T04:00:00Z"));
    fairlead.pass(HAND_OVER);
    assertThat(fairlead.state(longer)).isEqualTo(JobState.RUNNING);

    stepTo(Instant.parse("2030-06-02T20:00:00Z"));
    Job _ = fairlead.commands().cancel(fairlead.ana(), longer.id());
    fairlead.until(longer, JobState.CANCELLED);
    fairlead.pass(HAND_OVER);
    assertThat(poolsOfNodes()).containsExactly("night", "night");
  }

  @Test
  void extensionIsGrantedAndEnds() {
    Instant evening = Instant.parse("2030-06-01T20:00:00Z");
    stepTo(evening.minus(Duration.ofHours(1)));
    teams(LeftoverPolicy.EXTEND_UP_TO, Duration.ofMinutes(30));
    Job day = fairlead.until(submitted("day", PriorityClass.NORMAL), JobState.RUNNING);
    Job night = submitted("night", PriorityClass.NORMAL);

    stepTo(evening.plus(Duration.ofMinutes(30)).minus(SHORTLY));
    fairlead.pass(SHORTLY.minusMillis(100));
    assertThat(fairlead.state(day)).isEqualTo(JobState.RUNNING);
    assertThat(poolsOfNodes()).containsOnly("day");
    assertThat(fairlead.state(night)).isEqualTo(JobState.QUEUED);

    fairlead.pass(HAND_OVER);
    assertThat(fairlead.state(night)).isEqualTo(JobState.RUNNING);
  }

  /** Fails when nodes with work of the previous team are reassigned. */
  @Test
  void jobAllowedToFinishKeepsItsNodes() {
    Instant evening = Instant.parse("2030-06-01T20:00:00Z");
    stepTo(evening.minus(Duration.ofHours(1)));
    teams(LeftoverPolicy.FINISH, Duration.ZERO);
    Job day = fairlead.until(submitted("day", PriorityClass.HIGH), JobState.RUNNING);
    Job night = submitted("night", PriorityClass.NORMAL);

    stepTo(evening);
    fairlead.pass(HAND_OVER);
    assertThat(fairlead.state(day)).isEqualTo(JobState.RUNNING);
    assertThat(poolsOfNodes()).containsOnly("day");
    assertThat(fairlead.state(night)).isEqualTo(JobState.QUEUED);

    Job _ = fairlead.commands().cancel(fairlead.ana(), day.id());
    fairlead.until(night, JobState.RUNNING);
    assertThat(poolsOfNodes()).containsOnly("night");
  }
}
