package dev.fairlead.work.raypool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.work.raypool.RayPoolPlan.Cluster;
import dev.fairlead.work.raypool.RayPoolPlan.Driver;
import dev.fairlead.work.raypool.RayPoolPlan.Phase;
import dev.fairlead.work.warmpool.WarmPool;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Assignment of drivers to Ray clusters, and the number of clusters. */
class RayPoolPlanTest {
  private static WarmPool pool(int min, int most, int jobs) {
    WarmPool.Sharing sharing = new WarmPool.Sharing(min, jobs, Duration.ofMinutes(10));
    return new WarmPool("small", "nlp", most, sharing, "{}", false);
  }

  private static Cluster running(String name, boolean idle) {
    return new Cluster(name, true, "ray://" + name, idle);
  }

  private static JobId job(int number) {
    return new JobId(new UUID(0, number));
  }

  private static Driver waits(int number) {
    return new Driver(job(number), Phase.WAITS, null, null, false);
  }

  private static Driver runs(int number, String cluster) {
    return new Driver(job(number), Phase.RUNS, cluster, "ray://" + cluster, false);
  }

  private static Driver stalled(int number, String cluster) {
    return new Driver(job(number), Phase.WAITS, cluster, "ray://" + cluster, true);
  }

  /** Fails when a driver without quota keeps a place that another driver could use. */
  @Test
  void aStalledDriverYieldsItsPlaceToOneThatWaits() {
    List<Cluster> full = List.of(running("a", false));
    RayPoolPlan plan =
        RayPoolPlan.of(pool(0, 1, 2), full, List.of(stalled(1, "a"), runs(2, "a"), waits(3)));
    assertThat(plan.released()).containsExactly(job(1));
    assertThat(plan.assigned()).as("it may start before its release").isEmpty();
    assertThat(RayPoolPlan.of(pool(0, 1, 2), full, List.of(stalled(1, "a"))).released())
        .as("no other waits")
        .isEmpty();
  }

  /** Fails when a stalled driver gets the place again that it has just lost. */
  @Test
  void aStalledDriverIsAssignedAfterTheOthers() {
    Driver lost = new Driver(job(1), Phase.WAITS, null, null, true);
    RayPoolPlan plan =
        RayPoolPlan.of(pool(0, 1, 1), List.of(running("a", false)), List.of(lost, waits(2)));
    assertThat(plan.assigned()).containsOnlyKeys(job(2));
  }

  /** Fails when drivers are spread, so that no surplus cluster becomes idle. */
  @Test
  void aDriverGetsTheFullestClusterWithRoom() {
    RayPoolPlan plan =
        RayPoolPlan.of(
            pool(0, 3, 2),
            List.of(running("a", false), running("b", false), running("c", false)),
            List.of(runs(1, "a"), runs(2, "a"), runs(3, "b"), waits(4)));
    assertThat(plan.assigned().get(job(4))).extracting(Cluster::name).isEqualTo("b");
    assertThat(plan.missing()).isZero();
  }

  /** Fails when the pool starts too many clusters, too few, or more than its maximum. */
  @Test
  void theNumberOfClustersFollowsTheNumberOfJobs() {
    List<Driver> five = List.of(waits(1), waits(2), waits(3), waits(4), waits(5));
    assertThat(RayPoolPlan.of(pool(0, 9, 2), List.of(), five).missing()).isEqualTo(3);
    assertThat(RayPoolPlan.of(pool(0, 2, 2), List.of(), five).missing()).isEqualTo(2);
    assertThat(RayPoolPlan.of(pool(2, 9, 2), List.of(), List.of()).missing()).isEqualTo(2);
    Cluster starts = new Cluster("a", true, null, false);
    assertThat(RayPoolPlan.of(pool(0, 9, 2), List.of(starts), five).missing()).isEqualTo(2);
    Cluster drains = new Cluster("a", false, "ray://a", false);
    assertThat(RayPoolPlan.of(pool(0, 1, 2), List.of(drains), List.of(runs(1, "a"))).missing())
        .as("a busy cluster of an earlier job uses the maximum")
        .isZero();
  }

  /** Fails when a cluster with a driver is cancelled, or an idle one remains. */
  @Test
  void onlyClustersWithoutDriversAreCancelled() {
    List<Cluster> idle = List.of(running("a", true), running("b", true), running("c", true));
    assertThat(RayPoolPlan.of(pool(1, 3, 1), idle, List.of(runs(1, "a"))).cancelled())
        .containsExactly("b", "c");
    assertThat(RayPoolPlan.of(pool(2, 3, 1), idle, List.of()).cancelled()).containsExactly("a");
    List<Cluster> young = List.of(running("a", false), new Cluster("b", false, "ray://b", false));
    assertThat(RayPoolPlan.of(pool(0, 3, 1), young, List.of()).cancelled())
        .as("before the idle time, except with an earlier job")
        .containsExactly("b");
    assertThat(RayPoolPlan.of(pool(1, 3, 1).deleted(), young, List.of()).cancelled())
        .containsExactly("a", "b");
  }

  /** Fails when a driver connects to a head that has ended, or continues without its cluster. */
  @Test
  void aDriverWhoseClusterHasANewHeadLosesIt() {
    Cluster again = new Cluster("a", true, "ray://new", false);
    Driver stale = new Driver(job(2), Phase.WAITS, "a", "ray://a", false);
    RayPoolPlan plan = RayPoolPlan.of(pool(0, 1, 1), List.of(again), List.of(runs(1, "a"), stale));
    assertThat(plan.stopped()).containsExactly(job(1));
    assertThat(plan.assigned()).containsOnlyKeys(job(2));
    RayPoolPlan none = RayPoolPlan.of(pool(0, 1, 1), List.of(), List.of(stale));
    assertThat(none.released()).containsExactly(job(2));
  }

  /** Fails when a suspended driver holds a slot, or a stopping driver is replaced too early. */
  @Test
  void suspendedDriverLosesItsSlotAndAStoppingDriverRetainsIt() {
    Driver held = new Driver(job(1), Phase.HELD, "a", "ray://a", false);
    Driver stops = new Driver(job(1), Phase.STOPS, "a", "ray://a", false);
    List<Cluster> one = List.of(running("a", false));
    RayPoolPlan after = RayPoolPlan.of(pool(0, 1, 1), one, List.of(held, waits(2)));
    assertThat(after.released()).containsExactly(job(1));
    assertThat(after.assigned()).containsOnlyKeys(job(2));
    assertThat(RayPoolPlan.of(pool(0, 1, 1), one, List.of(stops, waits(2))).assigned()).isEmpty();
  }
}
