package dev.fairlead.work.workload.simulation;

import dev.fairlead.care.supply.SupplyAnswer;
import dev.fairlead.care.supply.SupplyCall;
import dev.fairlead.fleet.cluster.Capabilities;
import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.fleet.node.NodeCondition;
import dev.fairlead.fleet.node.NodeLabelsAndTaints;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.Taint;
import dev.fairlead.kernel.keyring.Secret;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.serving.ServingGateway;
import dev.fairlead.work.workload.ActionOutcome;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.Contact;
import dev.fairlead.work.workload.EpochClaim;
import dev.fairlead.work.workload.InventoryView;
import dev.fairlead.work.workload.LaunchOrder;
import dev.fairlead.work.workload.LogRequest;
import dev.fairlead.work.workload.NodeNotes;
import dev.fairlead.work.workload.VolumeOrder;
import dev.fairlead.work.workload.VolumeOutcome;
import dev.fairlead.work.workload.WorkloadAction;
import dev.fairlead.work.workload.WorkloadView;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A thread-safe simulated cluster. Every call first runs the events that are due by the clock.
 * {@link #tickTo} does nothing else. Operations that inject faults are for tests and
 * demonstrations. They throw {@link IllegalArgumentException} for unknown names.
 */
public final class SimulatedCluster implements ClusterGateway {
  private static final Duration GRACE_BY_HAND = Duration.ofSeconds(30);
  private static final long LONGEST_WAIT_MILLIS = 1000;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition moved = lock.newCondition();
  private final Map<Object, Runnable> listeners = new LinkedHashMap<>();
  private final InstantSource clock;
  private final Timeline timeline;
  private final Capabilities capabilities;
  private final SimulatedInventory inventory;
  private final WorkloadBook book;
  private final Kubelet kubelet;
  private final PodBinder binder;
  private final ControlPlane controlPlane;
  private final Outage outage = new Outage();
  private final ClaimBook claims;
  private final SimulatedGateway gateway;
  private final RequestBook requests = new RequestBook();
  private Consumer<Instant> alarm = due -> {};
  private boolean changed;

  /**
   * @param name prefix of its nodes' names
   * @param clock current time. If the clock steps back, time stops in the cluster
   * @param seed seed of UIDs and boot ids
   * @throws IllegalArgumentException when the fleet is larger than 50,000 nodes
   */
  public SimulatedCluster(String name, List<FleetPool> fleet, InstantSource clock, long seed) {
    this(name, fleet, null, clock, seed);
  }

  /** Creates a cluster in which each node has one unit of {@code fabric} per GPU, null if none. */
  public SimulatedCluster(
      String name, List<FleetPool> fleet, @Nullable String fabric, InstantSource clock, long seed) {
    this.clock = clock;
    Instant start = clock.instant().truncatedTo(ChronoUnit.MILLIS);
    Identities identities = new Identities(seed, name, start);
    timeline = new Timeline(start);
    List<SimulatedNode.Machine> machines = SimulatedFleet.machines(name, fleet, fabric);
    capabilities = SimulatedFleet.capabilities(machines);
    inventory = new SimulatedInventory(machines, identities);
    book = new WorkloadBook(start);
    kubelet = new Kubelet(timeline, identities, this::podChanged, this::nodeChanged);
    claims = new ClaimBook(identities);
    gateway = new SimulatedGateway(book);
    binder = new PodBinder(book, inventory, kubelet, this::within);
    controlPlane = new ControlPlane(book, inventory, kubelet, binder, identities);
  }

  /** Opens a separate connection. Closing it affects neither the cluster nor other connections. */
  public ClusterGateway session() {
    return new ClusterSession(this);
  }

  /** Runs all events that are due until then. Returns the time of the next event, null if none. */
  public @Nullable Instant tickTo(Instant instant) {
    within(() -> run(instant));
    return locked(timeline::next);
  }

  @Override
  public Contact contact() {
    return within(() -> outage.contact(timeline.now()));
  }

  @Override
  public Capabilities capabilities() {
    return within(() -> capabilities.with(inventory.presence()));
  }

  @Override
  public InventoryView inventory() {
    return within(() -> outage.inventory().orElseGet(inventory::view));
  }

  @Override
  public Optional<NodeReport> nodeNow(String name) {
    return within(() ->
        outage.reaches() && outage.answers()
            ? Optional.ofNullable(inventory.find(name)).map(SimulatedNode::report)
            : Optional.empty());
  }

  @Override
  public boolean gone(String namespace, AttemptId attempt, MemberKey member, String uid) {
    return true;
  }

  @Override
  public WorkloadView workloadsSince(long revision) {
    return within(() -> outage.workloadsSince(revision).orElseGet(() -> book.since(revision)));
  }

  @Override
  public EpochClaim claim(long epoch, long watermark) {
    return within(() ->
        outage.reaches() && outage.answers()
            ? controlPlane.claim(epoch, watermark)
            : new EpochClaim.Unknown("the cluster does not answer"));
  }

  @Override
  public ServingGateway serving() {
    return routes ->
        answered(why -> Optional.empty(), () -> Optional.of(gateway.serve(routes, timeline.now())));
  }

  @Override
  public ActionOutcome apply(WorkloadAction action) {
    return answered(why -> why, () -> controlPlane.apply(action));
  }

  @Override
  public VolumeOutcome provide(VolumeOrder order) {
    return answered(VolumeOutcome.Not::new, () -> claims.provide(order, controlPlane));
  }

  @Override
  public SupplyAnswer supply(SupplyCall call) {
    return answered(why -> RequestBook.AWAY, () -> requests.answer(call));
  }

  @Override
  public ActionOutcome keepOut(String node, boolean out) {
    return answered(
        why -> why,
        () -> {
          changed = true;
          return inventory.keepOut(node, out);
        });
  }

  @Override
  public ActionOutcome setLabelsAndTaints(String node, NodeLabelsAndTaints wanted) {
    return answered(
        why -> why,
        () -> {
          changed = true;
          return inventory.setLabelsAndTaints(node, wanted);
        });
  }

  @Override
  public NodeNotes note(String node, SortedMap<String, @Nullable String> notes) {
    return answered(why -> new NodeNotes.Not("no answer"), () -> inventory.note(node, notes));
  }

  private <T> T answered(Function<ActionOutcome, T> otherwise, Supplier<T> action) {
    return within(() -> {
      T outcome = outage.reaches() ? action.get() : null;
      String why = outcome == null ? "the cluster does not answer" : "sent, but no answer in time";
      return outcome != null && outage.answers()
          ? outcome
          : otherwise.apply(new ActionOutcome.Unavailable(why));
    });
  }

  @Override
  public InputStream logs(LogRequest request) throws IOException {
    lock.lock();
    try {
      run(clock.instant());
      SimulatedPod pod = PodLog.readable(book, outage, request);
      long all = PodLog.lines(pod, timeline.now());
      Integer tail = request.tail();
      long first = tail == null ? 0 : Math.max(0, all - tail);
      Instant since = request.since();
      long recent = since == null ? 0 : PodLog.firstSince(pod, since, timeline.now());
      return new LogStream(
          (number, open) -> line(pod, number, request.follow() ? open : () -> false),
          Math.max(first, recent));
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void onChange(Runnable listener) {
    listen(this, listener);
  }

  /** Removes the listener. The cluster continues. */
  @Override
  public void close() {
    forget(this);
  }

  /** Silences the kubelet: the node is not ready, pods do not change, and processes continue. */
  public void loseNode(String node) {
    within(() -> kubelet.lose(inventory.node(node)));
  }

  /**
   * Kills the kubelet, and the node is not ready: processes continue beyond their deadlines and
   * grace periods, until {@link #returnNode}.
   */
  public void killKubelet(String node) {
    within(() -> kubelet.kill(inventory.node(node)));
  }

  /**
   * Cuts the power: its pods do not change and their processes are dead. {@link #returnNode}
   * returns it under the same boot id, with invented results only.
   */
  public void crashNode(String node) {
    within(() -> kubelet.crash(inventory.node(node)));
  }

  /**
   * Delays the visible ends of processes from now on, up to this time and in any order, with their
   * true times. The resources of a pod are free a second after its end is visible, because a
   * kubelet checks at most once a second.
   */
  public void reportLate(Duration most) {
    within(() -> kubelet.reportLate(most));
  }

  /** Returns a node: a lost node reports events since then, and a removed one boots again. */
  public void returnNode(String node) {
    within(() -> kubelet.comeBack(inventory.node(node)));
  }

  /** Reboots the node with a new boot id. Its pods die without a result. */
  public void rebootNode(String node) {
    within(() -> kubelet.reboot(inventory.node(node)));
  }

  /** Removes the machine and confirms that. Its pods die without a result. */
  public void removeNode(String node) {
    within(() -> kubelet.destroy(inventory.node(node)));
  }

  /** Cordons a node: it refuses new pods and retains its pods. */
  public void cordon(String node, boolean cordoned) {
    withNode(node, n -> n.cordoned(cordoned));
  }

  /** Replaces the conditions and taints of agents. */
  public void show(String node, List<NodeCondition> conditions, List<Taint> taints) {
    withNode(node, n -> n.shows(conditions, taints));
  }

  /** Fails a device. Pods that use it continue. */
  public void loseGpu(String node, int index) {
    withNode(node, n -> n.gpuLost(index, true));
  }

  public void returnGpu(String node, int index) {
    withNode(node, n -> n.gpuLost(index, false));
  }

  /** Starts a foreign pod with this use on the node. */
  public void foreignPod(String node, ResourceVector use) {
    withNode(node, n -> n.addForeign(use));
  }

  /** Deletes foreign pods of the node. */
  public void removeForeignPods(String node) {
    withNode(node, SimulatedNode::clearForeign);
  }

  /** Puts a permanent foreign object on this pod name. */
  public void foreignObject(String name) {
    within(() -> controlPlane.take(name));
  }

  public boolean hasForeignObject(String name) {
    return within(() -> controlPlane.taken(name));
  }

  /** Its scheduler, for tests that choose the nodes. */
  public PodBinder binder() {
    return binder;
  }

  /** Its requests to the autoscaler, for tests that answer them. */
  public RequestBook requests() {
    return requests;
  }

  /** Its claims, for tests that change them from outside. */
  public ClaimBook claims() {
    return claims;
  }

  /** Deletes the pod from outside, with the usual grace period of 30 s. */
  public void deletePod(AttemptId attempt, MemberKey member) {
    within(() -> kubelet.delete(book.pod(attempt, member), GRACE_BY_HAND));
  }

  /** Ends the process of the pod with this exit code, if it runs. */
  public void failPod(AttemptId attempt, MemberKey member, int code) {
    within(() -> kubelet.fail(book.pod(attempt, member), code));
  }

  /** Evicts the pod from outside. Returns false when its budget forbids it. */
  public boolean evict(AttemptId attempt, MemberKey member) {
    return within(() -> controlPlane.evict(book.pod(attempt, member), GRACE_BY_HAND));
  }

  /** Cuts or restores the connection: orders are not delivered, and the views do not change. */
  public void partition(boolean cut) {
    within(() -> {
      if (cut) {
        outage.begin(timeline.now(), inventory.view(), book.since(0));
      } else {
        outage.end();
        changed = true;
      }
    });
  }

  /** Loses the responses to orders, which take effect even during an outage. */
  public void loseAnswers(boolean lost) {
    within(() -> outage.loseAnswers(lost));
  }

  /** The secrets of the attempt's pods, by {@link LaunchOrder#dataKey}. */
  public SortedMap<String, Secret> secret(AttemptId attempt) {
    return within(() -> book.secret(attempt));
  }

  /** Content of the member's checkpoint file: empty before a request. */
  public String checkpointFile(AttemptId attempt, MemberKey member) {
    return within(() -> book.pod(attempt, member).checkpointFile());
  }

  /** Names of the pods with a running process, visible or not. */
  public SortedSet<String> processes() {
    return within(book::processes);
  }

  /** The {@link #processes} that a dead kubelet should have ended. */
  public SortedSet<String> overdue() {
    return within(book::overdue);
  }

  /** Reports that an event may be due earlier than known before. */
  void alarm(Consumer<Instant> newAlarm) {
    Object _ = locked(() -> alarm = newAlarm);
  }

  void listen(Object owner, Runnable listener) {
    Object _ = locked(() -> listeners.put(owner, listener));
  }

  void forget(Object owner) {
    Object _ = locked(() -> listeners.remove(owner));
  }

  private <T extends @Nullable Object> T locked(Supplier<T> work) {
    lock.lock();
    try {
      return work.get();
    } finally {
      lock.unlock();
    }
  }

  private void withNode(String name, Consumer<SimulatedNode> change) {
    within(() -> {
      SimulatedNode node = inventory.node(name);
      change.accept(node);
      nodeChanged(node);
    });
  }

  private void within(Runnable work) {
    within(() -> {
      work.run();
      return this;
    });
  }

  /**
   * Runs one step: due events, the work, and events that became due by it. Listeners are called
   * without the lock.
   */
  private <T> T within(Supplier<T> work) {
    List<Runnable> told = List.of();
    Instant due;
    T result;
    Consumer<Instant> alarmed;
    lock.lock();
    try {
      run(clock.instant());
      result = work.get();
      run(timeline.now());
      if (changed) {
        moved.signalAll();
        told = outage.silent() ? told : new ArrayList<>(listeners.values());
        changed = outage.silent();
      }
      due = timeline.next();
      alarmed = alarm;
    } finally {
      lock.unlock();
    }
    if (due != null) {
      alarmed.accept(due);
    }
    told.forEach(Runnable::run);
    return result;
  }

  private void run(Instant limit) {
    timeline.runTo(limit.truncatedTo(ChronoUnit.MILLIS));
  }

  private void podChanged(SimulatedPod pod) {
    book.changed(pod.workload);
    changed = true;
  }

  private void nodeChanged(SimulatedNode node) {
    inventory.changed();
    changed = true;
  }

  /** Returns the line, waiting while the reader requests it. */
  private @Nullable String line(SimulatedPod pod, long number, BooleanSupplier wait)
      throws IOException {
    lock.lock();
    try {
      while (true) {
        run(clock.instant());
        if (number < PodLog.lines(pod, timeline.now())) {
          return PodLog.line(pod, number, timeline.now());
        }
        if (PodLog.complete(pod) || !wait.getAsBoolean()) {
          return null;
        }
        moved.await(LONGEST_WAIT_MILLIS, TimeUnit.MILLISECONDS);
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while waiting for " + pod.name());
    } finally {
      lock.unlock();
    }
  }
}
