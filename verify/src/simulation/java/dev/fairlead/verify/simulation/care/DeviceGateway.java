package dev.fairlead.verify.simulation.care;

import dev.fairlead.fleet.cluster.connection.PodDevices;
import dev.fairlead.fleet.node.NodeLabelsAndTaints;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.verify.simulation.world.Guard;
import dev.fairlead.verify.simulation.world.Invariant;
import dev.fairlead.verify.simulation.world.InvariantBroken;
import dev.fairlead.verify.simulation.world.UnguardedStores;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.attempt.member.GpuShare;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.workload.ActionOutcome;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.InventoryView;
import dev.fairlead.work.workload.LaunchOrder;
import dev.fairlead.work.workload.WorkloadAction;
import dev.fairlead.work.workload.WorkloadView;
import dev.fairlead.work.workload.judgement.ObservedMember;
import dev.fairlead.work.workload.judgement.ObservedWorkload;
import dev.fairlead.work.workload.kubernetes.dra.GpuClaims;
import dev.fairlead.work.workload.kubernetes.dra.SeenClaim;
import dev.fairlead.work.workload.kubernetes.dra.SeenSlice;
import dev.fairlead.work.workload.kubernetes.dra.SeenTaintRule;
import dev.fairlead.work.workload.kubernetes.dra.SliceInventory;
import dev.fairlead.work.workload.kubernetes.dra.TaintPlan;
import dev.fairlead.work.workload.kubernetes.namespace.ObjectLabels;
import dev.fairlead.work.workload.kubernetes.pod.PodSpecs;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSliceBuilder;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One process's way to a cluster with GPUs by ResourceClaims. The product's parts read the slices
 * and claims. kube-scheduler allocates the GPUs of a pod before its machine starts it.
 */
public final class DeviceGateway {
  static final PodDevices DEVICES = PodDevices.claimed("gpu.nvidia.com", DeviceServer.DRIVER);

  /** More than the versions of a run. */
  private static final long VERSIONS = 1_000_000;

  private final ClusterGateway pods;
  private final DeviceServer server;
  private final Installation installation;
  private final Supplier<Set<String>> processes;
  private final BooleanSupplier lags;
  private final Set<Guard> missing;
  private final Map<String, SliceInventory> published = new HashMap<>();
  private final Map<String, ResourceSlice> slices = new HashMap<>();
  private final Map<String, SeenClaim> claims = new HashMap<>();
  private final Map<String, NodeReport> shown = new HashMap<>();
  private final SortedMap<String, SeenTaintRule> rules = new TreeMap<>();

  /** GPUs of the last complete generation by node. */
  private final Map<String, Set<String>> complete = new HashMap<>();

  /** Nodes with an incomplete newest generation. */
  private final Set<String> incomplete = new HashSet<>();

  private long version = -1;
  private boolean again;

  /**
   * @param processes names of the pods that run
   * @param lags whether a watch is late now
   */
  DeviceGateway(
      ClusterGateway pods,
      DeviceServer server,
      Installation installation,
      Supplier<Set<String>> processes,
      BooleanSupplier lags,
      Set<Guard> missing) {
    this.pods = pods;
    this.server = server;
    this.installation = installation;
    this.processes = processes;
    this.lags = lags;
    this.missing = missing;
  }

  ClusterGateway gateway() {
    return UnguardedStores.of(
        ClusterGateway.class,
        (self, method, arguments) ->
            switch (method.getName()) {
              case "inventory" -> inventory();
              case "nodeNow" -> pods.nodeNow((String) arguments[0]).map(this::offering);
              case "workloadsSince" -> since((Long) arguments[0]);
              case "apply" -> apply((WorkloadAction) arguments[0]);
              case "setLabelsAndTaints" ->
                  taint(
                      (String) arguments[0],
                      (NodeLabelsAndTaints) Objects.requireNonNull(arguments[1]));
              case "onChange" -> {
                server.listen(this, (Runnable) Objects.requireNonNull(arguments[0]));
                yield plain(method, arguments);
              }
              case "close" -> {
                server.forget(this);
                yield plain(method, arguments);
              }
              default -> plain(method, arguments);
            });
  }

  private @Nullable Object plain(Method method, @Nullable Object[] arguments) throws Throwable {
    return UnguardedStores.invoke(pods, method, arguments);
  }

  /** Reads the changes of slices and claims, unless the watches are late. */
  private void watch() {
    server.sweep(processes.get());
    if (version == server.version() || version >= 0 && lags.getAsBoolean()) {
      return;
    }
    version = server.version();
    again = true;
    Set<String> names = new TreeSet<>(slices.keySet());
    names.addAll(server.slices().keySet());
    for (String name : names) {
      ResourceSlice before = slices.get(name);
      ResourceSlice now = server.slices().get(name);
      if (before != now) {
        of(now == null ? before : now).slice(read(before), read(now));
        put(slices, name, now);
      }
    }
    complete();
    if (!missing.contains(Guard.DEVICE_RULES)) {
      Set<String> known = new TreeSet<>(rules.keySet());
      known.addAll(server.rules.all().keySet());
      known.forEach(name -> rule(name, server.rules.all().get(name)));
    }
    Set<String> all = new TreeSet<>(claims.keySet());
    all.addAll(server.claims().keySet());
    for (String name : all) {
      SeenClaim before = claims.get(name);
      ResourceClaim is = server.claims().get(name);
      SeenClaim now =
          is == null ? null : SeenClaim.of(is, DeviceServer.DRIVER, installation.label());
      if (before == null ? now != null : !before.equals(now)) {
        inventories().forEach(each -> each.claim(before, now));
        put(claims, name, now);
      }
    }
  }

  private void rule(String name, @Nullable SeenTaintRule now) {
    SeenTaintRule before = rules.get(name);
    if (!Objects.equals(before, now)) {
      inventories().forEach(each -> each.rule(before, now));
      put(rules, name, now);
    }
  }

  /** Without the guard, the gateway knows only the rules that it has created. */
  private ActionOutcome taint(String node, NodeLabelsAndTaints wanted) {
    ActionOutcome outcome =
        pods.setLabelsAndTaints(node, wanted.withGpus(Collections.emptySortedMap()));
    if (!(outcome instanceof ActionOutcome.Done)) {
      return outcome;
    }
    if (server.rules.refused) {
      return new ActionOutcome.Refused(
          ActionOutcome.Why.NAME_TAKEN, "simulated: a taint of a GPU is refused");
    }
    TaintPlan plan = new TaintPlan(installation.label(), of(node), shown::containsKey);
    for (TaintPlan.Step step : plan.due(rules, node, wanted.gpus())) {
      server.rules.put(step.name(), step.rule());
      rule(step.name(), step.rule());
    }
    return outcome;
  }

  private static <T> void put(Map<String, T> into, String name, @Nullable T value) {
    if (value == null) {
      into.remove(name);
    } else {
      into.put(name, value);
    }
  }

  private Collection<SliceInventory> inventories() {
    return List.copyOf(published.values());
  }

  /** Without the guard, the inventory knows the GPUs of only one node. */
  private SliceInventory of(String node) {
    String name = missing.contains(Guard.DEVICE_ELSEWHERE) ? node : "";
    return published.computeIfAbsent(name, n -> new SliceInventory(DEVICES));
  }

  private SliceInventory of(ResourceSlice slice) {
    return of(slice.getSpec().getNodeName());
  }

  /** Without the guard, each slice counts as the whole pool. */
  private @Nullable SeenSlice read(@Nullable ResourceSlice slice) {
    if (slice == null) {
      return null;
    }
    ResourceSlice its =
        missing.contains(Guard.DEVICE_GENERATION)
            ? new ResourceSliceBuilder(slice)
                .editSpec()
                .editPool()
                .withResourceSliceCount(1L)
                .endPool()
                .endSpec()
                .build()
            : slice;
    return SeenSlice.of(its, DEVICES);
  }

  private InventoryView inventory() {
    InventoryView view = pods.inventory();
    view.nodes().forEach(server::broken);
    watch();
    List<NodeReport> nodes = view.nodes().stream().map(this::offering).toList();
    nodes.forEach(this::remain);
    return new InventoryView(view.revision() * VERSIONS + version, nodes);
  }

  private NodeReport offering(NodeReport node) {
    NodeReport offers = node.gpus().isEmpty() ? node : of(node.name()).shown(node);
    shown.put(node.name(), offers);
    return offers;
  }

  private void complete() {
    Map<String, List<ResourceSlice>> pools =
        slices.values().stream()
            .collect(Collectors.groupingBy(slice -> slice.getSpec().getNodeName()));
    complete.keySet().retainAll(pools.keySet());
    incomplete.clear();
    pools.forEach((node, pool) -> {
      long generations =
          pool.stream().map(slice -> slice.getSpec().getPool().getGeneration()).distinct().count();
      if (pool.size() == 2 && generations == 1) {
        complete.put(
            node,
            pool.stream()
                .flatMap(slice -> slice.getSpec().getDevices().stream())
                .map(DeviceServer::uuid)
                .collect(Collectors.toSet()));
      } else {
        incomplete.add(node);
      }
    });
  }

  /** A node shows the GPUs of the last complete generation while the newest is incomplete. */
  private void remain(NodeReport node) {
    Set<String> gpus = node.gpus().stream().map(Gpu::serial).collect(Collectors.toSet());
    if (incomplete.contains(node.name())
        && !gpus.containsAll(complete.getOrDefault(node.name(), Set.of()))) {
      throw new InvariantBroken(
          Invariant.PUBLISHED_GPU_REMAINS,
          node.name() + " shows " + gpus + " instead of " + complete.get(node.name()));
    }
  }

  private WorkloadView since(long revision) {
    watch();
    WorkloadView view = pods.workloadsSince(again ? 0 : revision);
    again = false;
    SortedMap<AttemptId, ObservedWorkload> all = new TreeMap<>();
    view.workloads()
        .forEach((id, workload) -> {
          SortedMap<MemberKey, ObservedMember> members = new TreeMap<>();
          workload.members().forEach((key, member) -> members.put(key, holding(id, member)));
          all.put(id, new ObservedWorkload(id, members, workload.others()));
        });
    return new WorkloadView(view.revision(), view.complete(), all);
  }

  /**
   * Without the first guard, allocated GPUs are unknown. Without the second, a faulty GPU is not
   * reported.
   */
  private ObservedMember holding(AttemptId attempt, ObservedMember member) {
    if (!server.claims().containsKey(ObjectNames.pod(attempt, member.key()))) {
      return member;
    }
    ObservedMember bare = member.with().devices(List.of()).build();
    SeenClaim.Owner owner = new SeenClaim.Owner(attempt, member.key());
    boolean known = claims.values().stream().anyMatch(claim -> owner.equals(claim.member()));
    if (missing.contains(Guard.DEVICE_ALLOCATION) || !known) {
      return bare;
    }
    ObservedMember seen = of(Optional.ofNullable(member.node()).orElse("")).with(attempt, bare);
    return missing.contains(Guard.DEVICE_FAULT) ? seen.withReason(bare.reason()) : seen;
  }

  private ActionOutcome apply(WorkloadAction action) {
    if (action instanceof WorkloadAction.Launch(AttemptId id, LaunchOrder order)) {
      return launch(id, order);
    }
    ActionOutcome outcome = pods.apply(action);
    if (outcome instanceof ActionOutcome.Done) {
      switch (action) {
        case WorkloadAction.Stop stop -> end(stop.attempt(), stop.members());
        case WorkloadAction.Remove remove -> end(remove.attempt(), remove.members());
        case WorkloadAction.Retire retire -> end(retire.attempt(), retire.members());
        default -> {}
      }
    }
    return outcome;
  }

  private void end(AttemptId attempt, Collection<MemberKey> members) {
    server.end(members.stream().map(key -> ObjectNames.pod(attempt, key)).toList());
    server.sweep(processes.get());
  }

  private ActionOutcome launch(AttemptId id, LaunchOrder order) {
    watch();
    List<Member> claimed = new ArrayList<>();
    for (Member member : order.attempt().toCreate()) {
      if (GpuClaims.claimed(DEVICES, PodSpecs.role(order.job().spec(), member))) {
        claimed.add(member);
        String trouble = trouble(order, member);
        if (trouble != null && !server.allocated(pod(order, member))) {
          return new ActionOutcome.Refused(
              ActionOutcome.Why.PLACE_REFUSED, member.nodeName() + " " + trouble);
        }
      }
    }
    boolean allocated = true;
    for (Member member : claimed) {
      server.create(
          GpuClaims.of(
              new ObjectMetaBuilder()
                  .withName(pod(order, member))
                  .withNamespace(order.project().namespace())
                  .withLabels(ObjectLabels.of(order, MemberKey.of(member)))
                  .build(),
              PodSpecs.role(order.job().spec(), member),
              member,
              DEVICES));
      allocated &= server.allocate(pod(order, member), member.nodeName());
    }
    List<Member> members = new ArrayList<>();
    for (Member member : order.attempt().members()) {
      List<GpuShare> gpus = gpus(order, member, claimed.contains(member));
      allocated &= gpus.size() == member.gpus().size();
      members.add(member.withGpus(gpus));
    }
    if (!allocated) {
      return new ActionOutcome.Unavailable("simulated: cannot allocate all claims");
    }
    Attempt attempt = order.attempt().withMembers(members);
    return pods.apply(new WorkloadAction.Launch(id, order.withAttempt(attempt)));
  }

  private static String pod(LaunchOrder order, Member member) {
    return ObjectNames.pod(order.attempt().id(), MemberKey.of(member));
  }

  private @Nullable String trouble(LaunchOrder order, Member member) {
    NodeReport node = shown.get(member.nodeName());
    return node == null
        ? "is not there"
        : GpuClaims.trouble(DEVICES, PodSpecs.role(order.job().spec(), member), member, node);
  }

  /** The GPUs that the machine gives to the pod, by their positions in the machine. */
  private List<GpuShare> gpus(LaunchOrder order, Member member, boolean claims) {
    List<GpuShare> gpus = new ArrayList<>();
    if (claims) {
      for (DeviceServer.Board board : server.boards(pod(order, member), member.nodeName())) {
        gpus.add(new GpuShare(board.index, board.uuid, Gpu.WHOLE_MILLI));
      }
      return gpus;
    }
    for (GpuShare share : member.gpus()) {
      DeviceServer.Board board = server.board(member.nodeName(), share.serial());
      if (board != null) {
        gpus.add(new GpuShare(board.index, share.serial(), share.milli(), share.slices()));
      }
    }
    return gpus;
  }
}
