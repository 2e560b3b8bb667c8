package dev.fairlead.verify.simulation.world;

import dev.fairlead.fleet.cluster.Capabilities;
import dev.fairlead.fleet.node.NodeLabelsAndTaints;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.serving.ServiceTraffic;
import dev.fairlead.work.serving.ServingGateway;
import dev.fairlead.work.workload.ActionOutcome;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.Contact;
import dev.fairlead.work.workload.EpochClaim;
import dev.fairlead.work.workload.InventoryView;
import dev.fairlead.work.workload.LogRequest;
import dev.fairlead.work.workload.MemberSession;
import dev.fairlead.work.workload.NamespacePlan;
import dev.fairlead.work.workload.SessionRequest;
import dev.fairlead.work.workload.VolumeOrder;
import dev.fairlead.work.workload.VolumeOutcome;
import dev.fairlead.work.workload.WorkloadAction;
import dev.fairlead.work.workload.WorkloadView;
import dev.fairlead.work.workload.judgement.ObservedMember;
import dev.fairlead.work.workload.judgement.ObservedWorkload;
import dev.fairlead.work.workload.simulation.SimulatedCluster;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/**
 * Connection of one process to a cluster. It delays, loses and repeats orders and views, as a
 * network does.
 */
public final class FaultyGateway implements ClusterGateway {
  /** Maximum number of views by which a cache lags. */
  private static final int REMEMBERED = 5;

  private final SimulatedCluster cluster;
  private final ClusterGateway session;
  private final JobStore jobs;
  private final ProcessLife life;
  private final VirtualTime time;
  private final Set<Guard> missing;
  private final Deque<InventoryView> inventories;
  private final Map<AttemptId, ObservedWorkload> pods;
  private final Deque<WorkloadView> earlier = new ArrayDeque<>();
  private Optional<List<ServiceTraffic>> traffic = Optional.empty();
  private InventoryView shown = new InventoryView(0, List.of());

  /**
   * @param inventories inventories from the watches of all processes, oldest first
   * @param pods latest observed pods of each attempt
   */
  FaultyGateway(
      SimulatedCluster cluster,
      Deque<InventoryView> inventories,
      Map<AttemptId, ObservedWorkload> pods,
      JobStore jobs,
      ProcessLife life,
      VirtualTime time,
      Set<Guard> missing) {
    this.inventories = inventories;
    this.pods = pods;
    this.cluster = cluster;
    this.jobs = jobs;
    this.session = cluster.session();
    this.life = life;
    this.time = time;
    this.missing = missing;
  }

  @Override
  public Contact contact() {
    life.check();
    return session.contact();
  }

  @Override
  public Capabilities capabilities() {
    return session.capabilities();
  }

  /** A response is lost, lacks the counts, or is outdated. */
  @Override
  public ServingGateway serving() {
    return routes -> {
      life.step("routes");
      FaultRates faults = life.faults();
      if (faults.strikes(Fault.UNSENT)) {
        return Optional.empty();
      }
      Optional<List<ServiceTraffic>> answer = session.serving().serve(routes);
      life.step("routed");
      if (faults.strikes(Fault.LOST_ANSWER)) {
        return Optional.empty();
      }
      if (faults.strikes(Fault.STALE)) {
        return traffic;
      }
      traffic = answer;
      return faults.strikes(Fault.DROPPED) ? answer.map(FaultyGateway::uncounted) : answer;
    };
  }

  private static List<ServiceTraffic> uncounted(List<ServiceTraffic> counted) {
    return counted.stream()
        .map(each ->
            new ServiceTraffic(each.service(), each.version(), each.count(), null, each.ready()))
        .toList();
  }

  @Override
  public InventoryView inventory() {
    InventoryView view = session.inventory();
    if (!inventories.isEmpty() && life.faults().strikes(Fault.STALE_NODES)) {
      shown = inventories.getFirst();
      return shown;
    }
    shown = view;
    if (inventories.isEmpty() || inventories.getLast().revision() != view.revision()) {
      inventories.addLast(view);
    }
    if (inventories.size() > REMEMBERED) {
      inventories.removeFirst();
    }
    return missing.contains(Guard.EVIDENCE)
        ? new InventoryView(
            view.revision(), view.nodes().stream().map(FaultyGateway::silenceIsDeath).toList())
        : view;
  }

  /** Without the guard, the last state from the watch is returned. */
  @Override
  public Optional<NodeReport> nodeNow(String name) {
    life.step("question");
    if (life.faults().strikes(Fault.UNSENT)) {
      return Optional.empty();
    }
    Optional<NodeReport> now =
        missing.contains(Guard.NODE_NOW)
            ? shown.nodes().stream().filter(n -> n.name().equals(name)).findFirst()
            : session.nodeNow(name);
    life.step("told");
    return missing.contains(Guard.EVIDENCE) ? now.map(FaultyGateway::silenceIsDeath) : now;
  }

  @Override
  public boolean gone(String namespace, AttemptId attempt, MemberKey member, String uid) {
    return session.gone(namespace, attempt, member, uid);
  }

  @Override
  public SortedSet<AttemptId> lookedUp() {
    return session.lookedUp();
  }

  @Override
  public WorkloadView workloadsSince(long revision) {
    life.step("watch");
    FaultRates faults = life.faults();
    WorkloadView before = earlier.peekFirst();
    if (before != null && faults.strikes(Fault.STALE)) {
      return before;
    }
    boolean again = before != null && faults.strikes(Fault.DUPLICATE);
    WorkloadView view = session.workloadsSince(again ? 0 : revision);
    if (view.complete()) {
      pods.clear();
    }
    pods.putAll(view.workloads());
    if (!view.complete() && !view.workloads().isEmpty() && faults.strikes(Fault.DROPPED)) {
      SortedMap<AttemptId, ObservedWorkload> fewer = new TreeMap<>(view.workloads());
      fewer.pollFirstEntry();
      view = new WorkloadView(view.revision(), false, fewer);
    }
    earlier.addLast(view);
    if (earlier.size() > REMEMBERED) {
      earlier.removeFirst();
    }
    view = missing.contains(Guard.FINALIZER) ? unheld(view) : view;
    view = missing.contains(Guard.FINISHED) ? allDeleted(view) : view;
    view = missing.contains(Guard.EXIT_CODE) ? allWell(view) : view;
    return faults.rate(Fault.IMPOSTOR) > 0 ? withImpostors(view) : view;
  }

  /** Without the guard, the cluster removes a deleted object as soon as it has ended. */
  private static WorkloadView unheld(WorkloadView view) {
    return changed(
        view,
        (id, members) -> members.values().removeIf(m -> m.deleting() && m.exitCode() != null));
  }

  /** Without the guard, every succeeded pod counts as being deleted. */
  private static WorkloadView allDeleted(WorkloadView view) {
    return changed(
        view,
        (id, members) ->
            members.replaceAll((key, m) -> m.state() == MemberState.SUCCEEDED ? deleted(m) : m));
  }

  /** Without the guard, every end of a container counts as a success. */
  private static WorkloadView allWell(WorkloadView view) {
    return changed(
        view,
        (id, members) ->
            members.replaceAll(
                (key, m) -> m.state() == MemberState.FAILED && m.exitCode() != null ? well(m) : m));
  }

  private static WorkloadView changed(
      WorkloadView view, BiConsumer<AttemptId, SortedMap<MemberKey, ObservedMember>> change) {
    SortedMap<AttemptId, ObservedWorkload> seen = new TreeMap<>();
    view.workloads()
        .forEach((id, workload) -> {
          SortedMap<MemberKey, ObservedMember> members = new TreeMap<>(workload.members());
          change.accept(id, members);
          seen.put(id, new ObservedWorkload(id, members, workload.others()));
        });
    return new WorkloadView(view.revision(), view.complete(), seen);
  }

  private static ObservedMember well(ObservedMember m) {
    return m.with()
        .state(MemberState.SUCCEEDED)
        .exitCode(0)
        .reason("Completed")
        .message(null)
        .build();
  }

  private static ObservedMember deleted(ObservedMember m) {
    return m.withDeleting(true);
  }

  @Override
  public EpochClaim claim(long epoch, long watermark) {
    return session.claim(epoch, watermark);
  }

  @Override
  public void plan(List<NamespacePlan> plans) {
    cluster.plan(plans);
  }

  @Override
  public ActionOutcome apply(WorkloadAction action) {
    if (missing.contains(Guard.ASKED) && action instanceof WorkloadAction.Ask ask) {
      return apply(
          new WorkloadAction.Stop(ask.attempt(), ask.namespace(), Duration.ZERO, ask.members()));
    }
    if (action instanceof WorkloadAction.Stop stop) {
      awaited(stop);
    }
    /* without the guard, an absent pod is accepted without a query to the cluster */
    if (missing.contains(Guard.ABSENT) && action instanceof WorkloadAction.Stop stop) {
      return new ActionOutcome.Done(new TreeSet<>(stop.members()));
    }
    if (missing.contains(Guard.ABSENT) && action instanceof WorkloadAction.Remove remove) {
      return new ActionOutcome.Done(new TreeSet<>(remove.members()));
    }
    if (missing.contains(Guard.RETIRE) && action instanceof WorkloadAction.Retire) {
      return new ActionOutcome.Done(new TreeSet<>());
    }
    return missing.contains(Guard.TOMBSTONE) && nothingThere(action)
        ? forgetful(action)
        : send(action);
  }

  /** The wait for a checkpoint of the attempt has ended. */
  private void awaited(WorkloadAction.Stop stop) {
    jobs.attempts(List.of(stop.attempt())).stream()
        .filter(attempt -> attempt.awaitedCheckpoint() != null)
        .findFirst()
        .ifPresent(attempt ->
            time.fail(new InvariantBroken(Invariant.CHECKPOINT_IS_AWAITED, attempt.toString())));
  }

  /**
   * The outcome of an action without the guard of remembered stops: a stop of a missing object is
   * ignored, so a create in flight still takes effect.
   */
  private static ActionOutcome forgetful(WorkloadAction action) {
    return switch (action) {
      case WorkloadAction.Stop stop -> new ActionOutcome.Done(new TreeSet<>(stop.members()));
      case WorkloadAction.Remove remove -> new ActionOutcome.Done(new TreeSet<>(remove.members()));
      case WorkloadAction.Launch launch -> throw new IllegalArgumentException("not for launches");
      case WorkloadAction.Budget budget -> throw new IllegalArgumentException("not for budgets");
      case WorkloadAction.Ask ask -> throw new IllegalArgumentException("not for checkpoints");
      case WorkloadAction.Retire retire -> new ActionOutcome.Done(new TreeSet<>());
    };
  }

  private boolean nothingThere(WorkloadAction action) {
    return switch (action) {
      case WorkloadAction.Stop stop -> !there(stop.attempt());
      case WorkloadAction.Retire retire -> !there(retire.attempt());
      case WorkloadAction.Remove remove ->
          remove.members().stream().noneMatch(key -> there(remove.attempt(), key));
      case WorkloadAction.Launch launch -> false;
      case WorkloadAction.Budget budget -> false;
      case WorkloadAction.Ask ask -> false;
    };
  }

  private boolean there(AttemptId attempt) {
    return cluster.workloadsSince(0).workloads().containsKey(attempt);
  }

  private boolean there(AttemptId attempt, MemberKey member) {
    return there(attempt)
        && cluster.workloadsSince(0).workloads().get(attempt).member(member).isPresent();
  }

  @Override
  public VolumeOutcome provide(VolumeOrder order) {
    life.step("volume");
    return session.provide(order);
  }

  @Override
  public ActionOutcome keepOut(String node, boolean out) {
    return send(
        (out ? "KeepOut " : "LetIn ") + node,
        () -> session.keepOut(node, out),
        () -> cluster.keepOut(node, out));
  }

  @Override
  public ActionOutcome setLabelsAndTaints(String node, NodeLabelsAndTaints wanted) {
    return send(
        "Label " + node + " " + wanted,
        () -> session.setLabelsAndTaints(node, wanted),
        () -> cluster.setLabelsAndTaints(node, wanted));
  }

  private ActionOutcome send(WorkloadAction action) {
    return send(
        action.getClass().getSimpleName() + " " + action.attempt().text(),
        () -> session.apply(action),
        () -> cluster.apply(action));
  }

  private ActionOutcome send(String name, Supplier<ActionOutcome> order, Runnable late) {
    life.step("order");
    FaultRates faults = life.faults();
    if (faults.strikes(Fault.UNSENT)) {
      time.say(() -> name + " is not sent");
      return new ActionOutcome.Unavailable("simulated: not sent");
    }
    if (faults.strikes(Fault.LATE_EFFECT)) {
      Duration wait = time.between(Duration.ofMillis(10), Duration.ofMinutes(3));
      time.in(wait, "late effect of " + name, late);
      return new ActionOutcome.Unavailable("simulated: timed out, lands later");
    }
    ActionOutcome outcome = order.get();
    time.say(() -> life.name() + " " + name + " -> " + outcome);
    life.step("answer");
    if (faults.strikes(Fault.LOST_ANSWER)) {
      return new ActionOutcome.Unavailable("simulated: answer lost");
    }
    return outcome;
  }

  @Override
  public InputStream logs(LogRequest request) throws IOException {
    return session.logs(request);
  }

  @Override
  public MemberSession open(SessionRequest request, MemberSession.Receiver receiver)
      throws IOException {
    return session.open(request, receiver);
  }

  @Override
  public void onChange(Runnable listener) {
    session.onChange(listener);
  }

  @Override
  public void close() {
    session.close();
  }

  private WorkloadView withImpostors(WorkloadView view) {
    return changed(
        view,
        (id, members) ->
            members.replaceAll((key, m) ->
                m.state() == MemberState.RUNNING
                        && life.faults().strikes(Fault.IMPOSTOR)
                        && known(id, m)
                    ? impostor(m)
                    : m));
  }

  /** Before the first observation, only our own pod can have the name, so a running pod is ours. */
  private boolean known(AttemptId id, ObservedMember pod) {
    return jobs.attempts(List.of(id)).stream()
        .flatMap(a -> a.members().stream())
        .anyMatch(m -> pod.uid().equals(m.uid()));
  }

  /** A finished foreign pod with our name. Without the guard, its UID cannot be distinguished. */
  private ObservedMember impostor(ObservedMember m) {
    return ObservedMember.of(
            m.key(),
            missing.contains(Guard.UID) ? m.uid() : "impostor",
            MemberState.SUCCEEDED,
            m.node())
        .with()
        .started(true)
        .exitCode(0)
        .reason("Completed")
        .startedAt(m.startedAt())
        .endedAt(m.startedAt())
        .build();
  }

  private static NodeReport silenceIsDeath(NodeReport n) {
    return n.with().machineGone(n.machineGone() || !n.ready()).gpus(List.copyOf(n.gpus())).build();
  }
}
