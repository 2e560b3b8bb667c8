package dev.fairlead.work.workload.kubernetes.dra;

import dev.fairlead.fleet.cluster.connection.PodDevices;
import dev.fairlead.fleet.node.NodeLabelsAndTaints;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.gpu.DeviceUuid;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.member.DeviceReporter;
import dev.fairlead.work.attempt.member.HeldDevice;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.workload.judgement.ObservedMember;
import dev.fairlead.work.workload.kubernetes.call.BoundedLru;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The GPUs in the ResourceSlices of a cluster, and their allocation by ResourceClaims. */
public final class SliceInventory {
  private static final int MOST_DELETED = 50_000;
  private static final String REPORTED = ObservedMember.UNHEALTHY_GPU + " ";
  private final Map<String, SlicePool> pools = new HashMap<>();
  private final Map<String, SortedSet<String>> poolsOfNode = new HashMap<>();

  /** Nodes of the slices with a GPU, by its UUID. */
  private final Map<String, SortedMap<String, Integer>> nodesOfGpu = new HashMap<>();

  /** UUIDs in slices of several nodes. */
  private final Set<String> shared = new HashSet<>();

  private final Map<DeviceRef, SortedSet<String>> foreign = new HashMap<>();
  private final Map<SeenClaim.Owner, SeenClaim> members = new HashMap<>();
  private final Map<String, Set<SeenClaim.Owner>> membersOfPool = new HashMap<>();

  private final TaintRules rules = new TaintRules();

  /** Members with claims that were deleted last. */
  private final BoundedLru<SeenClaim.Owner, String> deleted = new BoundedLru<>(MOST_DELETED);

  private final PodDevices form;
  private final OfferedGpus offered;

  public SliceInventory(PodDevices form) {
    this.form = form;
    offered = new OfferedGpus(form.claimsSlices());
  }

  /**
   * Nodes and members that a change of a slice or a claim affects.
   *
   * @param nodes nodes whose GPUs have changed
   * @param members members with changed devices
   */
  public record Change(Set<String> nodes, Set<SeenClaim.Owner> members) {}

  /** Records a change of a slice. */
  public synchronized Change slice(@Nullable SeenSlice before, @Nullable SeenSlice now) {
    SortedSet<String> changed = new TreeSet<>();
    Set<SeenClaim.Owner> held = new HashSet<>();
    if (before != null && (now == null || !before.pool().equals(now.pool()))) {
      changed.addAll(change(before.pool(), before, null));
      held.addAll(membersOfPool.getOrDefault(before.pool(), Set.of()));
    }
    if (now != null) {
      boolean moved = before != null && !before.pool().equals(now.pool());
      changed.addAll(change(now.pool(), moved ? null : before, now));
      held.addAll(membersOfPool.getOrDefault(now.pool(), Set.of()));
    }
    return new Change(changed, held);
  }

  private SortedSet<String> change(
      String name, @Nullable SeenSlice before, @Nullable SeenSlice now) {
    SlicePool pool = pools.computeIfAbsent(name, n -> new SlicePool());
    SortedSet<String> changed = pool.change(before, now);
    if (pool.isEmpty()) {
      pools.remove(name);
    }
    for (String node : changed) {
      SortedSet<String> its = poolsOfNode.computeIfAbsent(node, n -> new TreeSet<>());
      boolean _ = pool.has(node) ? its.add(name) : its.remove(name);
      if (its.isEmpty()) {
        poolsOfNode.remove(node);
      }
    }
    Stream.ofNullable(now).flatMap(slice -> slice.gpus().stream()).forEach(gpu -> count(gpu, 1));
    SortedSet<String> others = new TreeSet<>();
    for (String gpu : shared) {
      Set<String> its = nodesOf(gpu);
      if (!Collections.disjoint(its, changed)) {
        others.addAll(its);
      }
    }
    changed.addAll(others);
    Stream.ofNullable(before)
        .flatMap(slice -> slice.gpus().stream())
        .forEach(gpu -> count(gpu, -1));
    return changed;
  }

  private void count(PublishedGpu gpu, int slices) {
    SortedMap<String, Integer> nodes =
        nodesOfGpu.computeIfAbsent(gpu.uuid(), uuid -> new TreeMap<>());
    int now = nodes.getOrDefault(gpu.node(), 0) + slices;
    if (now == 0) {
      nodes.remove(gpu.node());
    } else {
      nodes.put(gpu.node(), now);
    }
    boolean _ = nodes.size() > 1 ? shared.add(gpu.uuid()) : shared.remove(gpu.uuid());
    if (nodes.isEmpty()) {
      nodesOfGpu.remove(gpu.uuid());
    }
  }

  private Set<String> nodesOf(String gpu) {
    return nodesOfGpu.getOrDefault(gpu, Collections.emptySortedMap()).keySet();
  }

  /** Records a change of a claim. */
  public synchronized Change claim(@Nullable SeenClaim before, @Nullable SeenClaim now) {
    SortedSet<String> changed = new TreeSet<>();
    Set<SeenClaim.Owner> held = new HashSet<>();
    if (before != null) {
      index(before, changed, false);
    }
    if (now != null) {
      index(now, changed, true);
    }
    SeenClaim either = now == null ? before : now;
    if (either != null && either.member() != null) {
      held.add(either.member());
      if (now == null) {
        deleted.put(either.member(), either.name());
      } else {
        deleted.forget(either.member());
      }
    }
    return new Change(changed, held);
  }

  private void index(SeenClaim claim, Set<String> changed, boolean add) {
    SeenClaim.Owner owner = claim.member();
    if (owner != null) {
      if (add) {
        members.put(owner, claim);
      } else {
        members.remove(owner);
      }
    }
    for (DeviceRef device : claim.devices()) {
      if (owner == null) {
        Set<String> holders = foreign.computeIfAbsent(device, d -> new TreeSet<>());
        boolean _ = add ? holders.add(claim.name()) : holders.remove(claim.name());
        if (holders.isEmpty()) {
          foreign.remove(device);
        }
        pool(device).ifPresent(pool -> changed.addAll(pool.nodes()));
      } else {
        Set<SeenClaim.Owner> holders =
            membersOfPool.computeIfAbsent(device.pool(), p -> new HashSet<>());
        boolean _ = add ? holders.add(owner) : holders.remove(owner);
        if (holders.isEmpty()) {
          membersOfPool.remove(device.pool());
        }
      }
    }
  }

  /** Records a change of a DeviceTaintRule. */
  public synchronized Change rule(@Nullable SeenTaintRule before, @Nullable SeenTaintRule now) {
    SortedSet<String> changed = new TreeSet<>();
    if (before != null) {
      rules.remove(before);
      changed.addAll(nodes(before));
    }
    if (now != null) {
      rules.put(now);
      changed.addAll(nodes(now));
    }
    return new Change(changed, Set.of());
  }

  private Set<String> nodes(SeenTaintRule rule) {
    SeenTaintRule.Own own = rule.own();
    String pool = rule.pool();
    return own != null
        ? Set.of(own.node())
        : pool == null
            ? poolsOfNode.keySet()
            : Optional.ofNullable(pools.get(pool)).map(SlicePool::nodes).orElseGet(TreeSet::new);
  }

  /** Returns the taints of Fairlead on GPUs of the node, as {@link NodeLabelsAndTaints#gpus}. */
  synchronized SortedMap<String, String> taints(String node) {
    return rules.of(node, gpu -> devices(node, gpu), ref -> found(ref).isPresent());
  }

  /**
   * Returns the device of a GPU of the node and its slices. The result is empty if none is
   * published.
   */
  synchronized List<DeviceRef> devices(String node, String gpu) {
    return of(node).stream()
        .filter(each -> each.uuid().equals(gpu))
        .map(PublishedGpu::ref)
        .toList();
  }

  private Optional<SlicePool> pool(DeviceRef device) {
    return Optional.ofNullable(pools.get(device.pool()));
  }

  /**
   * Returns the report with the published GPUs instead of a device plugin's, unless the node has no
   * claims. A GPU with a foreign taint is reported as failed. A GPU is unknown if it is in a
   * foreign claim, in a pool that was never complete, or published by several nodes.
   */
  public synchronized NodeReport shown(NodeReport node) {
    if (!form.claimsOn(node.labels())) {
      return node;
    }
    return offered
        .shown(node, of(node.name()), this::stateOf)
        .withLabelsAndTaints(node.labelsAndTaints().withGpus(taints(node.name())));
  }

  private OfferedGpus.Condition stateOf(PublishedGpu gpu) {
    if (gpu.tainted() || rules.exclude(gpu.ref())) {
      return OfferedGpus.Condition.TAINTED;
    }
    if (!certain(gpu)) {
      return OfferedGpus.Condition.UNCERTAIN;
    }
    return foreign(gpu) ? OfferedGpus.Condition.TAKEN : OfferedGpus.Condition.FREE;
  }

  /** A whole GPU that is published next to its slices is not free while one of them is claimed. */
  private boolean foreign(PublishedGpu gpu) {
    return foreign.containsKey(gpu.ref())
        || gpu.profile() == null
            && all(gpu.node()).stream()
                .anyMatch(
                    other -> other.uuid().equals(gpu.uuid()) && foreign.containsKey(other.ref()));
  }

  /**
   * Returns whether all slices of the GPU's pool were read, and no other node has it. A GPU that
   * was moved to another node is published by both until its first node notices.
   */
  private boolean certain(PublishedGpu gpu) {
    return pool(gpu.ref()).filter(SlicePool::known).isPresent()
        && nodesOf(gpu.uuid()).stream()
            .filter(node -> !node.equals(gpu.node()))
            .flatMap(node -> all(node).stream())
            .noneMatch(other -> other.uuid().equals(gpu.uuid()));
  }

  /** GPUs of a node, in order of their names. A UUID that a driver publishes twice counts once. */
  private List<PublishedGpu> of(String node) {
    Set<String> known = new HashSet<>();
    return all(node).stream()
        .filter(gpu -> gpu.profile() != null || known.add(gpu.uuid()))
        .toList();
  }

  private SortedSet<PublishedGpu> all(String node) {
    SortedSet<PublishedGpu> found = new TreeSet<>();
    for (String name : poolsOfNode.getOrDefault(node, Collections.emptySortedSet())) {
      Stream.ofNullable(pools.get(name)).forEach(pool -> found.addAll(pool.gpus(node)));
    }
    return found;
  }

  /**
   * Returns the member with the devices of its claim, and with the reason if a device is faulty or
   * the claim was deleted. Devices that are not published do not change.
   */
  public synchronized ObservedMember with(AttemptId attempt, ObservedMember member) {
    SeenClaim.Owner owner = new SeenClaim.Owner(attempt, member.key());
    SeenClaim claim = members.get(owner);
    String name = claim == null ? deleted.get(owner) : null;
    if (name != null && String.valueOf(member.reason()).startsWith(Member.AWAITS_NODE)) {
      return member.because(
          Member.AWAITS_NODE
              + " ResourceClaim "
              + name
              + " was deleted before its GPUs were allocated. The next attempt gets a new one");
    }
    if (claim == null || claim.devices().isEmpty()) {
      return member;
    }
    ObservedMember judged = judged(member, claim);
    SortedSet<HeldDevice> devices = new TreeSet<>();
    for (DeviceRef device : claim.devices()) {
      PublishedGpu gpu = found(device).orElse(null);
      if (gpu == null) {
        return judged;
      }
      devices.add(new HeldDevice(gpu.uuid(), gpu.profile() != null));
    }
    return judged.holding(DeviceReporter.RESOURCE_CLAIM, List.copyOf(devices));
  }

  private Optional<PublishedGpu> found(DeviceRef device) {
    return pool(device).flatMap(pool -> Optional.ofNullable(pool.find(device)));
  }

  /** The kubelet names another id of the device than its UUID. */
  private ObservedMember judged(ObservedMember member, SeenClaim claim) {
    String reason = String.valueOf(member.reason());
    boolean mine =
        reason.startsWith(REPORTED) && DeviceUuid.matches(reason.substring(REPORTED.length()));
    if (member.state() != MemberState.RUNNING || member.reason() != null && !mine) {
      return member;
    }
    return member.withReason(
        claim.selected().stream()
            .filter(gpu -> faulty(gpu, claim, String.valueOf(member.node())))
            .map(gpu -> REPORTED + gpu)
            .findFirst()
            .orElse(null));
  }

  /**
   * Returns whether the driver has tainted the GPU or the member's slice, or publishes the other
   * GPUs or slices of the node without it. A driver that publishes none has stopped. A taint that
   * another node publishes does not count, because any node can publish any UUID.
   */
  private boolean faulty(String gpu, SeenClaim claim, String node) {
    List<PublishedGpu> its = of(node).stream().filter(each -> each.uuid().equals(gpu)).toList();
    boolean sliceMissing =
        OfferedGpus.lacksSlices(its)
            && claim.devices().stream().anyMatch(device -> found(device).isEmpty());
    boolean withdrawn =
        (nodesOf(gpu).isEmpty() || sliceMissing)
            && claim.devices().stream()
                .map(this::pool)
                .allMatch(pool ->
                    pool.filter(known -> known.complete() && !known.gpus(node).isEmpty())
                        .isPresent());
    return withdrawn
        || all(node).stream()
            .filter(each -> each.uuid().equals(gpu) && each.tainted())
            .anyMatch(each -> each.profile() == null || claim.devices().contains(each.ref()));
  }
}
