package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.fleet.node.NodeReports;
import dev.fairlead.kernel.loop.Loop;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.InventoryView;
import dev.fairlead.work.workload.WorkloadView;
import dev.fairlead.work.workload.judgement.ObservedMember;
import dev.fairlead.work.workload.judgement.ObservedWorkload;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The cost of a cluster that changes at every check is bounded. */
class LoudClusterTest {
  private static final Duration STEP = Duration.ofMillis(100);
  private final InMemoryFairlead fairlead = InMemoryFairlead.empty(1);
  private int shown;
  private boolean loud = true;

  private void register() {
    fairlead.register("loud", new FleetPool(1, 8, "H100", 1, 1));
  }

  private ClusterGateway otherNodes(ClusterGateway real) {
    return Between.on(
        real,
        (method, arguments, call) -> method.getName().equals("inventory") ? nodes() : call.now());
  }

  private InventoryView nodes() {
    shown += loud ? 1 : 0;
    return new InventoryView(shown, List.of(NodeReports.node("flaps").cpuMilli(shown).build()));
  }

  private long taken() {
    return fairlead.stores().inventory().nodes(null).stream()
        .filter(node -> node.name().equals("flaps"))
        .findFirst()
        .orElseThrow()
        .allocatable()
        .cpuMilli();
  }

  /** Fails when its nodes are stored in each pass, or the latest state is not stored. */
  @Test
  void nodesThatChangeInEveryReportAreReadOnceASecondWithTheLatestState() {
    fairlead.reachThrough(this::otherNodes);
    register();
    SortedSet<Long> taken = new TreeSet<>();
    for (int turn = 0; turn < 200; turn++) {
      fairlead.pass(STEP);
      taken.add(taken());
    }
    assertThat(shown).isEqualTo(200);
    assertThat(taken).as("taken in 20 s, ten of them at once").hasSizeBetween(28, 31);

    loud = false;
    fairlead.pass(Duration.ofSeconds(1));

    assertThat(taken()).isEqualTo(shown);
  }

  private ClusterGateway strays(ClusterGateway real) {
    return Between.on(
        real,
        (method, arguments, call) ->
            method.getName().equals("workloadsSince")
                ? withStray((WorkloadView) call.now())
                : call.now());
  }

  private WorkloadView withStray(WorkloadView view) {
    AttemptId stray = new AttemptId(new UUID(9, 9));
    MemberKey key = new MemberKey("worker", 0, 0);
    ObservedMember pod = ObservedMember.of(key, "u-" + shown++, MemberState.PENDING, null);
    TreeMap<AttemptId, ObservedWorkload> all = new TreeMap<>(view.workloads());
    if (loud) {
      all.put(stray, new ObservedWorkload(stray, new TreeMap<>(Map.of(key, pod)), false));
    }
    return new WorkloadView(view.revision(), view.complete(), all);
  }

  /** Fails when it is handled at its own rate, or not at all. */
  @Test
  void clusterWithIneffectiveReportsIsReadFiveTimesASecond() {
    fairlead.reachThrough(this::strays);
    register();
    Loop supervisor = fairlead.supervisors().getFirst();
    assertThat(rests(20, supervisor)).as("turns after which it rests, at first").isZero();
    assertThat(rests(100, supervisor)).as("of 100 in ten seconds").isBetween(85, 91);

    Job job = fairlead.submit(Specs.job("train").gpus(1));
    fairlead.until(job, JobState.RUNNING);
    assertThat(supervisor.rest()).as("after something came of it").isZero();
    assertThat(rests(100, supervisor)).isBetween(65, 75);

    loud = false;
    assertThat(rests(20, supervisor)).as("when it is quiet").isZero();
  }

  private int rests(int turns, Loop supervisor) {
    int rests = 0;
    for (int turn = 0; turn < turns; turn++) {
      fairlead.pass(STEP);
      rests += supervisor.rest().isPositive() ? 1 : 0;
    }
    return rests;
  }
}
