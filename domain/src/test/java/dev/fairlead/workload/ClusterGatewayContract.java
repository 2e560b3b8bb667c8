package dev.fairlead.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.cluster.NodeReport;
import dev.fairlead.identity.memory.SeededIds;
import dev.fairlead.job.AttemptId;
import dev.fairlead.job.Member;
import dev.fairlead.job.MemberKey;
import dev.fairlead.job.MemberState;
import dev.fairlead.job.ObjectNames;
import dev.fairlead.job.Specs;
import dev.fairlead.lease.Installation;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What every {@link ClusterGateway} keeps, the simulated one and a real one whose nodes obey the
 * annotations under {@code sim.fairlead.dev/}. Needs a cluster of two ready nodes with two free
 * GPUs each. Each test removes what it launched.
 */
public abstract class ClusterGatewayContract {
  private static final Duration STEP = Duration.ofMillis(100);
  private static final Duration GRACE = Duration.ofSeconds(30);

  private final List<LaunchOrder> launched = new ArrayList<>();
  private LaunchOrders orders;

  /** The gateway under test, connected and synced; the same one during a test. */
  protected abstract ClusterGateway gateway();

  /** Lets time pass: moves a virtual clock, or waits. */
  protected abstract void advance(Duration by);

  /** The node's kubelet falls silent. */
  protected abstract void loseNode(String name);

  /** The node's kubelet answers again. */
  protected abstract void returnNode(String name);

  /** Somebody else marks the node unschedulable, or takes the mark away. */
  protected abstract void cordon(String node, boolean cordoned);

  /** Somebody evicts the member as a drain does; false when its budget forbids it now. */
  protected abstract boolean evict(LaunchOrder order, MemberKey member);

  /** Whether the identity of the gateway may mark nodes. */
  protected boolean marksNodes() {
    return true;
  }

  /** Puts a pod that is not ours on this name in the orders' namespace. */
  protected abstract void occupy(LaunchOrder order, String podName);

  /** Whether that pod is still there, unchanged. */
  protected abstract boolean occupied(LaunchOrder order, String podName);

  /** Where orders come from; override to have ids that no earlier run had. */
  protected LaunchOrders newOrders() {
    return new LaunchOrders(
        new SeededIds(7), new Installation(new UUID(0x7000, 0x8000), 1), "contract");
  }

  /** Term of this supervisor: at least that of every earlier launch on the cluster, and above 1. */
  protected long term() {
    return 2;
  }

  /** How long {@link #eventually} waits. */
  protected Duration patience() {
    return Duration.ofSeconds(60);
  }

  @BeforeEach
  void begin() {
    orders = newOrders();
    eventually("the term is the cluster's", () -> gateway().claim(term()).equals(TermClaim.OURS));
  }

  @AfterEach
  void leaveNothing() {
    launched.forEach(order -> gateway().apply(retire(order)));
  }

  @Test
  void aLaunchedMemberRunsWhereItWasPlannedAndSucceeds() {
    LaunchOrder order = launch(job().annotation("sim.fairlead.dev/run-for", "2s"));
    eventuallyIs(order, MemberState.RUNNING);
    ObservedMember running = member(order, 0);
    assertThat(running.node()).isEqualTo(order.attempt().members().getFirst().nodeName());
    assertThat(running.started()).isTrue();
    assertThat(running.startedAt()).isNotNull();
    eventuallyIs(order, MemberState.SUCCEEDED);
    ObservedMember ended = member(order, 0);
    assertThat(ended.uid()).isEqualTo(running.uid());
    assertThat(ended.exitCode()).isZero();
    assertThat(ended.endedAt()).isNotNull();
  }

  @Test
  void everyMemberOfAGangGetsItsOwnPod() {
    LaunchOrder order = launch(job().workers(2));
    eventuallyIs(order, MemberState.RUNNING);
    assertThat(seen(order).others()).isTrue();
    assertThat(uids(order)).hasSize(2);
    assertThat(IntStream.range(0, 2).mapToObj(i -> member(order, i).node()).toList())
        .isEqualTo(order.attempt().members().stream().map(Member::nodeName).toList());
  }

  @Test
  void theExitCodeOfAFailureIsReported() {
    LaunchOrder order =
        launch(
            job()
                .annotation("sim.fairlead.dev/run-for", "1s")
                .annotation("sim.fairlead.dev/outcome", "fail")
                .annotation("sim.fairlead.dev/exit-code", "42"));
    eventuallyIs(order, MemberState.FAILED);
    assertThat(member(order, 0).exitCode()).isEqualTo(42);
  }

  @Test
  void aKillForMemoryIsToldFromAnyOther() {
    LaunchOrder order =
        launch(
            job()
                .annotation("sim.fairlead.dev/run-for", "1s")
                .annotation("sim.fairlead.dev/outcome", "oom"));
    eventuallyIs(order, MemberState.FAILED);
    assertThat(member(order, 0).reason()).isEqualTo("OOMKilled");
    assertThat(member(order, 0).exitCode()).isEqualTo(137);
  }

  @Test
  void anImageThatCannotBePulledIsReportedWhileTheMemberWaits() {
    LaunchOrder order = launch(job().annotation("sim.fairlead.dev/outcome", "image-error"));
    eventually(
        "the pull error is seen",
        () ->
            seen(order).member(key(order, 0)).map(ObservedMember::reason).stream()
                .anyMatch(List.of("ImagePullBackOff", "ErrImagePull")::contains));
    assertThat(member(order, 0).started()).isFalse();
    assertThat(member(order, 0).state()).isIn(MemberState.PENDING, MemberState.PULLING);
    gateway().apply(stop(order, GRACE));
    eventuallyIs(order, MemberState.FAILED);
    assertThat(member(order, 0).started()).isFalse();
  }

  @Test
  void aMemberThatItsNodeRefusesNeverStarted() {
    LaunchOrder order = launch(job().annotation("sim.fairlead.dev/outcome", "reject"));
    eventuallyIs(order, MemberState.FAILED);
    assertThat(member(order, 0).reason()).isEqualTo("UnexpectedAdmissionError");
    assertThat(member(order, 0).started()).isFalse();
    assertThat(member(order, 0).exitCode()).isNull();
  }

  @Test
  void aStoppedMemberStaysVisibleWithItsResultUntilItIsRetired() {
    LaunchOrder order = launch(job().annotation("sim.fairlead.dev/stop-exit-code", "3"));
    eventuallyIs(order, MemberState.RUNNING);
    String uid = member(order, 0).uid();
    assertThat(gateway().apply(stop(order, GRACE))).isEqualTo(done());
    eventuallyIs(order, MemberState.FAILED);
    advance(Duration.ofSeconds(2));
    // Without the tracking finalizer the pod is gone by now, and its result with it.
    assertThat(member(order, 0).uid()).isEqualTo(uid);
    assertThat(member(order, 0).exitCode()).isEqualTo(3);
    assertThat(member(order, 0).deleting()).isTrue();
  }

  @Test
  void aMemberThatTakesTooLongToStopIsKilledAfterItsGracePeriod() {
    LaunchOrder order = launch(job().annotation("sim.fairlead.dev/stop-after", "50s"));
    eventuallyIs(order, MemberState.RUNNING);
    gateway().apply(stop(order, Duration.ofSeconds(2)));
    eventually("it is being deleted", () -> member(order, 0).deleting());
    assertThat(member(order, 0).state()).isEqualTo(MemberState.RUNNING);
    eventuallyIs(order, MemberState.FAILED);
    assertThat(member(order, 0).exitCode()).isEqualTo(137);
  }

  @Test
  void stoppingWhatWasNeverCreatedReportsEveryMemberAbsent() {
    LaunchOrder order = order(job().workers(2));
    assertThat(gateway().apply(stop(order, GRACE))).isEqualTo(new ActionOutcome.Done(keys(order)));
    assertThat(seen(order).empty()).isTrue();
  }

  @Test
  void aLaunchAfterAStopCreatesNothing() {
    LaunchOrder order = order(job().workers(2));
    gateway().apply(stop(order, GRACE));
    // A create that is late must not bring to life what was reported absent.
    gateway().apply(launchAction(order));
    advance(Duration.ofSeconds(2));
    assertThat(seen(order).members()).isEmpty();
  }

  @Test
  void aLaunchAfterRetirementCreatesNothing() {
    LaunchOrder order = launch(job());
    eventuallyIs(order, MemberState.RUNNING);
    gateway().apply(stop(order, GRACE));
    eventuallyIs(order, MemberState.FAILED);
    gateway().apply(retire(order));
    eventually("nothing is left", () -> seen(order).empty());
    gateway().apply(launchAction(order));
    advance(Duration.ofSeconds(2));
    assertThat(seen(order).members()).isEmpty();
  }

  @Test
  void launchedTwiceThereIsOnePodForEachMember() {
    LaunchOrder order = launch(job().workers(2));
    eventuallyIs(order, MemberState.RUNNING);
    SortedSet<String> before = uids(order);
    assertThat(gateway().apply(launchAction(order))).isEqualTo(done());
    advance(Duration.ofSeconds(2));
    assertThat(uids(order)).isEqualTo(before);
  }

  @Test
  void aSupervisorThatWasReplacedCreatesNothing() {
    launch(job());
    LaunchOrder late = LaunchOrders.under(term() - 1, order(job()));
    assertThat(gateway().apply(launchAction(late))).isInstanceOf(ActionOutcome.Deposed.class);
    advance(Duration.ofSeconds(2));
    assertThat(seen(late).empty()).isTrue();
  }

  @Test
  void anOlderTermIsAnsweredWithTheOneThatActs() {
    assertThat(gateway().claim(term() - 1)).isEqualTo(new TermClaim.Higher(term()));
    assertThat(gateway().claim(term())).isEqualTo(TermClaim.OURS);
  }

  @Test
  void retirementLeavesNothing() {
    LaunchOrder order = launch(job().workers(2).annotation("sim.fairlead.dev/run-for", "1s"));
    eventuallyIs(order, MemberState.SUCCEEDED);
    long before = gateway().workloadsSince(0).revision();
    assertThat(gateway().apply(retire(order))).isEqualTo(done());
    eventually("nothing is left", () -> seen(order).empty());
    WorkloadView view = gateway().workloadsSince(before);
    assertThat(view.complete() || view.workloads().containsKey(order.attempt().id()))
        .as("an attempt with nothing left is told of")
        .isTrue();
  }

  @Test
  void theSumOfWhatChangedEqualsTheCompleteView() {
    Tally tally = new Tally();
    LaunchOrder ends = launch(job().annotation("sim.fairlead.dev/run-for", "1s"));
    tally.takeChanges();
    LaunchOrder stopped = launch(job().workers(2));
    eventuallyIs(ends, MemberState.SUCCEEDED);
    tally.takeChanges();
    gateway().apply(retire(ends));
    gateway().apply(stop(stopped, GRACE));
    eventuallyIs(stopped, MemberState.FAILED);
    eventually(
        "both views are equal",
        () -> {
          tally.takeChanges();
          return tally.workloads.equals(everything());
        });
    assertThat(tally.workloads).containsKey(stopped.attempt().id());
  }

  @Test
  void aRevisionThatWasNeverGivenIsAnsweredWithEverything() {
    LaunchOrder order = launch(job());
    eventuallyIs(order, MemberState.RUNNING);
    WorkloadView view = gateway().workloadsSince(Long.MAX_VALUE - 1);
    assertThat(view.complete()).isTrue();
    assertThat(view.workloads()).containsKey(order.attempt().id());
  }

  @Test
  void aNodeThatFallsSilentIsNotReadyUntilItReturns() {
    String node = nodes().getFirst().name();
    long revision = gateway().inventory().revision();
    loseNode(node);
    try {
      eventually("the node is not ready", () -> !node(node).ready());
      assertThat(gateway().inventory().revision()).isNotEqualTo(revision);
      assertThat(node(node).machineGone()).isFalse();
    } finally {
      returnNode(node);
    }
    eventually("the node is ready", () -> node(node).ready());
  }

  @Test
  void nobodyEvictsAGangUntilItsBudgetIsLifted() {
    LaunchOrder order = launch(job().workers(2));
    eventuallyIs(order, MemberState.RUNNING);
    assertThat(evict(order, key(order, 0))).isFalse();

    assertThat(gateway().apply(budget(order, 0))).isEqualTo(done());
    eventually("it may be evicted", () -> evict(order, key(order, 0)));
    eventually("it has ended", () -> member(order, 0).state() == MemberState.FAILED);
    assertThat(member(order, 0).reason()).isEqualTo("Evicted");
    assertThat(member(order, 1).state()).isEqualTo(MemberState.RUNNING);
  }

  @Test
  void aBudgetThatIsBackProtectsAgain() {
    LaunchOrder order = launch(job().workers(2));
    eventuallyIs(order, MemberState.RUNNING);
    assertThat(gateway().apply(budget(order, 0))).isEqualTo(done());
    assertThat(gateway().apply(budget(order, 2))).isEqualTo(done());

    assertThat(evict(order, key(order, 0))).isFalse();
    assertThat(gateway().apply(budget(order(job()), 1))).as("without a budget").isEqualTo(done());
  }

  @Test
  void aNodeIsKeptOutAndLetInAgain() {
    String node = nodes().getFirst().name();
    if (!marksNodes()) {
      assertThat(gateway().keepOut(node, true)).isInstanceOf(ActionOutcome.Refused.class);
      assertThat(gateway().keepOut(node, false)).isInstanceOf(ActionOutcome.Refused.class);
      return;
    }
    assertThat(gateway().keepOut(node, true)).isEqualTo(done());
    eventually("it is cordoned", () -> node(node).cordoned());
    assertThat(gateway().keepOut(node, true)).as("again").isEqualTo(done());

    assertThat(gateway().keepOut(node, false)).isEqualTo(done());
    eventually("it is open", () -> !node(node).cordoned());
    assertThat(gateway().keepOut("no-such-node", true)).isEqualTo(done());
  }

  @Test
  void theCordonOfSomebodyElseStays() {
    String node = nodes().getFirst().name();
    cordon(node, true);
    try {
      eventually("it is cordoned", () -> node(node).cordoned());
      gateway().keepOut(node, true);
      gateway().keepOut(node, false);
      advance(Duration.ofSeconds(1));
      assertThat(node(node).cordoned()).isTrue();
    } finally {
      cordon(node, false);
    }
    eventually("it is open", () -> !node(node).cordoned());
  }

  @Test
  void aForeignPodOnOurNameIsLeftAsItIs() {
    LaunchOrder order = order(job());
    String name = ObjectNames.pod(order.attempt().id(), key(order, 0));
    occupy(order, name);
    assertThat(gateway().apply(launchAction(order))).isInstanceOf(ActionOutcome.Refused.class);
    // Our member was not created, which is what its end has to be told by.
    assertThat(gateway().apply(stop(order, GRACE))).isEqualTo(new ActionOutcome.Done(keys(order)));
    gateway().apply(retire(order));
    advance(Duration.ofSeconds(2));
    assertThat(occupied(order, name)).isTrue();
  }

  @Test
  void changesAreToldToTheListener() {
    AtomicBoolean told = new AtomicBoolean();
    gateway().onChange(() -> told.set(true));
    launch(job());
    eventually("the listener ran", told::get);
  }

  @Test
  void theOutputOfAMemberCanBeRead() throws IOException {
    LaunchOrder order = launch(job());
    eventuallyIs(order, MemberState.RUNNING);
    try (InputStream logs = gateway().logs(log(order, 0))) {
      assertThat(new String(logs.readAllBytes(), StandardCharsets.UTF_8)).endsWith("\n");
    }
    LaunchOrder absent = order(job());
    assertThatThrownBy(() -> gateway().logs(log(absent, 0)).close())
        .isInstanceOf(IOException.class);
  }

  /** One member with one GPU that runs for a minute, unless told otherwise. */
  protected final Specs job() {
    return Specs.job("contract").gpus(1);
  }

  protected final LaunchOrder order(Specs spec) {
    return orders.order(term(), spec.build(), nodes(), gateway().capabilities());
  }

  protected final LaunchOrder launch(Specs spec) {
    LaunchOrder order = order(spec);
    launched.add(order);
    assertThat(gateway().apply(launchAction(order))).isEqualTo(done());
    return order;
  }

  protected final ObservedWorkload seen(LaunchOrder order) {
    AttemptId attempt = order.attempt().id();
    return Optional.ofNullable(everything().get(attempt))
        .orElseGet(() -> ObservedWorkload.nothing(attempt));
  }

  protected final ObservedMember member(LaunchOrder order, int index) {
    return seen(order).member(key(order, index)).orElseThrow();
  }

  /** All members show that state. */
  protected final void eventuallyIs(LaunchOrder order, MemberState state) {
    int members = order.attempt().members().size();
    eventually(
        "all members are " + state,
        () ->
            seen(order).members().values().stream().filter(m -> m.state() == state).count()
                == members);
  }

  protected final void eventually(String what, BooleanSupplier holds) {
    Duration passed = Duration.ZERO;
    while (!holds.getAsBoolean()) {
      assertThat(passed).as("%s, now: %s", what, everything()).isLessThan(patience());
      advance(STEP);
      passed = passed.plus(STEP);
    }
  }

  protected static WorkloadAction launchAction(LaunchOrder order) {
    return new WorkloadAction.Launch(order.attempt().id(), order);
  }

  protected static WorkloadAction stop(LaunchOrder order, Duration grace) {
    return new WorkloadAction.Stop(
        order.attempt().id(), order.project().namespace(), grace, List.copyOf(keys(order)));
  }

  protected static WorkloadAction budget(LaunchOrder order, int minAvailable) {
    return new WorkloadAction.Budget(
        order.attempt().id(), order.project().namespace(), minAvailable);
  }

  protected static WorkloadAction retire(LaunchOrder order) {
    return new WorkloadAction.Retire(
        order.attempt().id(), order.project().namespace(), List.copyOf(keys(order)));
  }

  protected static LogRequest log(LaunchOrder order, int index) {
    return new LogRequest(
        order.attempt().id(), order.project().namespace(), key(order, index), null, null, false);
  }

  private List<NodeReport> nodes() {
    return gateway().inventory().nodes().stream()
        .filter(n -> n.ready() && !n.cordoned() && n.gpus().size() >= 2)
        .limit(2)
        .toList();
  }

  private NodeReport node(String name) {
    return gateway().inventory().nodes().stream()
        .filter(n -> n.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private SortedMap<AttemptId, ObservedWorkload> everything() {
    return gateway().workloadsSince(0).workloads();
  }

  private SortedSet<String> uids(LaunchOrder order) {
    SortedSet<String> uids = new TreeSet<>();
    seen(order).members().values().forEach(m -> uids.add(m.uid()));
    return uids;
  }

  private static MemberKey key(LaunchOrder order, int index) {
    return MemberKey.of(order.attempt().members().get(index));
  }

  private static SortedSet<MemberKey> keys(LaunchOrder order) {
    SortedSet<MemberKey> keys = new TreeSet<>();
    order.attempt().members().forEach(m -> keys.add(MemberKey.of(m)));
    return keys;
  }

  private static ActionOutcome done() {
    return new ActionOutcome.Done(new TreeSet<>());
  }

  /** What somebody knows who only ever asks for changes. */
  private final class Tally {
    private final SortedMap<AttemptId, ObservedWorkload> workloads = new TreeMap<>();
    private long revision;

    void takeChanges() {
      WorkloadView view = gateway().workloadsSince(revision);
      if (view.complete()) {
        workloads.clear();
      }
      view.workloads().forEach(workloads::put);
      workloads.values().removeIf(ObservedWorkload::empty);
      revision = view.revision();
    }
  }
}
