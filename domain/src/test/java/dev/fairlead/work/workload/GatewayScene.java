package dev.fairlead.work.workload;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.node.NodeCondition;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.Taint;
import dev.fairlead.kernel.identity.memory.SeededIds;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.member.HeldDevice;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.workload.judgement.ObservedMember;
import dev.fairlead.work.workload.judgement.ObservedWorkload;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * A gateway under test, events of its cluster, and helpers. Each test removes its launched objects.
 */
public abstract class GatewayScene {
  private static final Duration STEP = Duration.ofMillis(100);
  protected static final Duration GRACE = Duration.ofSeconds(30);

  private final List<LaunchOrder> launched = new ArrayList<>();
  private LaunchOrders orders;

  /** The gateway under test, connected, synced, and unchanged during a test. */
  protected abstract ClusterGateway gateway();

  /** Advances time: moves a virtual clock, or waits. */
  protected abstract void advance(Duration by);

  /** The node's kubelet falls silent. */
  protected abstract void loseNode(String name);

  /** Lets the node's kubelet respond again. */
  protected abstract void returnNode(String name);

  /** Cordons or uncordons the node from outside. */
  protected abstract void cordon(String node, boolean cordoned);

  /** Sets a condition of the node like an agent. Conditions of other types do not change. */
  protected abstract void show(String node, NodeCondition condition);

  /** Sets the taint of the node from outside, null for none. */
  protected abstract void taint(String node, @Nullable Taint taint);

  /** Evicts the member like a drain. Returns false when its budget forbids it now. */
  protected abstract boolean evict(LaunchOrder order, MemberKey member);

  /** Value of the member's environment variable from a secret, null if none. */
  protected abstract @Nullable String secretVariable(
      LaunchOrder order, MemberKey member, String variable);

  /** Content of the member's checkpoint file. */
  protected abstract String checkpointFile(LaunchOrder order, MemberKey member);

  /** The node gives the running member its devices, as its kubelet and device plugin do. */
  protected abstract List<HeldDevice> allocate(LaunchOrder order, MemberKey member);

  /** Returns whether the identity of the gateway may label nodes. */
  protected boolean labelsNodes() {
    return true;
  }

  /** Creates a foreign pod with this name in the orders' namespace. */
  protected abstract void occupy(LaunchOrder order, String podName);

  /** Returns whether that pod is still there, unchanged. */
  protected abstract boolean occupied(LaunchOrder order, String podName);

  /** Source of orders. Override it for ids that no earlier run had. */
  protected LaunchOrders newOrders() {
    return new LaunchOrders(
        new SeededIds(7), new Installation(new UUID(0x7000, 0x8000), 1), "contract");
  }

  /** Progress of this supervisor's database. */
  protected static final long WATERMARK = 7;

  /**
   * Epoch of this supervisor: at least that of every earlier launch on the cluster, and above 1.
   */
  protected long epoch() {
    return 2;
  }

  /** Time limit of {@link #eventually}. */
  protected Duration patience() {
    return Duration.ofSeconds(60);
  }

  @BeforeEach
  void begin() {
    orders = newOrders();
    eventually(
        "the epoch is the cluster's",
        () -> gateway().claim(epoch(), WATERMARK).equals(EpochClaim.OURS));
  }

  @AfterEach
  void leaveNothing() {
    launched.forEach(order -> applied(retire(order)));
  }

  /** A job of one member with one GPU that runs for a minute by default. */
  protected final Specs job() {
    return Specs.job("contract").gpus(1);
  }

  protected final LaunchOrder order(Specs spec) {
    return orders.order(epoch(), spec(spec), nodes(), gateway().capabilities());
  }

  /** The stored job. Override it for a cluster with programs that ignore the annotations. */
  protected JobSpec spec(Specs wanted) {
    return wanted.build();
  }

  protected final LaunchOrder launch(Specs spec) {
    return launch(order(spec));
  }

  protected final LaunchOrder launch(LaunchOrder order) {
    launched.add(order);
    assertThat(applied(launchAction(order))).isEqualTo(done());
    return order;
  }

  /**
   * The first outcome with an answer: unsent and unanswered actions are repeated, like the
   * supervisor does.
   */
  protected final ActionOutcome applied(WorkloadAction action) {
    AtomicReference<ActionOutcome> last = new AtomicReference<>();
    eventually(
        "an answer",
        () -> {
          last.set(gateway().apply(action));
          return !(last.get() instanceof ActionOutcome.Unavailable);
        });
    return last.get();
  }

  /** Also removes members that the test itself launched. */
  protected final void removedAtTheEnd(LaunchOrder order) {
    launched.add(order);
  }

  protected final ObservedWorkload seen(LaunchOrder order) {
    AttemptId attempt = order.attempt().id();
    return Optional.ofNullable(everything().get(attempt))
        .orElseGet(() -> ObservedWorkload.nothing(attempt));
  }

  protected final ObservedMember member(LaunchOrder order, int index) {
    return seen(order).member(key(order, index)).orElseThrow();
  }

  /** Returns whether all members have that state. */
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

  protected static WorkloadAction remove(LaunchOrder order, int index, Duration grace) {
    return new WorkloadAction.Remove(
        order.attempt().id(), order.project().namespace(), grace, List.of(key(order, index)));
  }

  protected static WorkloadAction ask(LaunchOrder order, Instant until) {
    return new WorkloadAction.Ask(
        order.attempt().id(), order.project().namespace(), List.copyOf(keys(order)), until);
  }

  protected static WorkloadAction budget(LaunchOrder order, int minAvailable) {
    return new WorkloadAction.Budget(
        order.attempt().id(), order.project().namespace(), minAvailable);
  }

  protected static WorkloadAction retire(LaunchOrder order) {
    return new WorkloadAction.Retire(
        order.attempt().id(),
        order.project().namespace(),
        List.copyOf(keys(order)),
        new TreeSet<>());
  }

  protected static LogRequest log(LaunchOrder order, int index) {
    return new LogRequest(
        order.attempt().id(), order.project().namespace(), key(order, index), null, null, false);
  }

  protected final List<NodeReport> nodes() {
    return gateway().inventory().nodes().stream()
        .filter(n -> n.ready() && !n.cordoned() && n.gpus().size() >= 2)
        .limit(2)
        .toList();
  }

  protected final NodeReport node(String name) {
    return gateway().inventory().nodes().stream()
        .filter(n -> n.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  protected final SortedMap<AttemptId, ObservedWorkload> everything() {
    return gateway().workloadsSince(0).workloads();
  }

  protected final SortedSet<String> uids(LaunchOrder order) {
    SortedSet<String> uids = new TreeSet<>();
    seen(order).members().values().forEach(m -> uids.add(m.uid()));
    return uids;
  }

  protected static MemberKey key(LaunchOrder order, int index) {
    return MemberKey.of(order.attempt().members().get(index));
  }

  protected static SortedSet<MemberKey> keys(LaunchOrder order) {
    SortedSet<MemberKey> keys = new TreeSet<>();
    order.attempt().members().forEach(m -> keys.add(MemberKey.of(m)));
    return keys;
  }

  protected static ActionOutcome done() {
    return new ActionOutcome.Done(new TreeSet<>());
  }
}
