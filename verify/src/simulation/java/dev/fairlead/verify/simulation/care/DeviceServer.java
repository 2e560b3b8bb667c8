package dev.fairlead.verify.simulation.care;

import dev.fairlead.fleet.cluster.GpuOffer;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.verify.simulation.world.VirtualTime;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.resource.v1.Device;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceAttribute;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceAttributeBuilder;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceBuilder;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceCapacityBuilder;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceRequestAllocationResult;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceRequestAllocationResultBuilder;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimBuilder;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSliceBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The API server of a cluster with GPUs by ResourceClaims, the driver of its GPUs, and
 * kube-scheduler. The driver publishes each node in two slices, one after the other.
 */
public final class DeviceServer {
  static final String DRIVER = "gpu.nvidia.com";
  private static final Pattern UUID = Pattern.compile("GPU-[0-9a-f-]{36}");
  private static final String TAINT = "gpu.nvidia.com/xid";

  private final VirtualTime time;
  private final SortedMap<String, Node> nodes = new TreeMap<>();
  private final SortedMap<String, ResourceSlice> slices = new TreeMap<>();
  private final SortedMap<String, ResourceClaim> claims = new TreeMap<>();

  /** Slices in the cache of kube-scheduler. */
  private final SortedMap<String, ResourceSlice> scheduled = new TreeMap<>();

  /** Claims that were deleted before their allocation. Pods of this name no longer start. */
  private final Set<String> deleted = new HashSet<>();

  private final Set<String> ran = new HashSet<>();
  private final Set<String> ending = new HashSet<>();
  private final Map<Object, Runnable> listeners = new LinkedHashMap<>();
  final DeviceRules rules = new DeviceRules(this::changed);
  private long version;

  /** A GPU of a machine. */
  static final class Board {
    final String uuid;
    final int index;
    String name;
    boolean hidden;
    boolean tainted;
    boolean broken;

    Board(String uuid, int index) {
      this.uuid = uuid;
      this.index = index;
      this.name = "gpu-" + index;
    }
  }

  /** A machine with its driver. */
  static final class Node {
    final String name;
    final List<Board> boards = new ArrayList<>();
    private final String product;
    private final long memoryMiB;

    /** GPU of another machine that the driver publishes too, null if none. */
    @Nullable String foreign;

    boolean silent;
    private long generation;

    Node(NodeReport report) {
      name = report.name();
      product = report.labels().getOrDefault(GpuOffer.PRODUCT, "");
      memoryMiB = report.gpuMemoryMiB();
      for (Gpu gpu : report.gpus()) {
        boards.add(new Board(gpu.serial(), gpu.index()));
      }
    }
  }

  DeviceServer(VirtualTime time, List<NodeReport> reports) {
    this.time = time;
    for (NodeReport report : reports) {
      if (!report.gpus().isEmpty()) {
        nodes.put(report.name(), new Node(report));
      }
    }
    nodes.values().forEach(node -> publish(node, Duration.ZERO, Duration.ZERO));
  }

  List<Node> nodes() {
    return List.copyOf(nodes.values());
  }

  long version() {
    return version;
  }

  /** Calls the listener after each change of a slice or a claim. */
  void listen(Object owner, Runnable listener) {
    listeners.put(owner, listener);
  }

  void forget(Object owner) {
    listeners.remove(owner);
  }

  void changed() {
    version++;
    List.copyOf(listeners.values()).forEach(Runnable::run);
  }

  Map<String, ResourceSlice> slices() {
    return slices;
  }

  Map<String, ResourceClaim> claims() {
    return claims;
  }

  /**
   * Publishes the GPUs of the node in a new generation.
   *
   * @param between the two slices
   * @param lag lag of the cache of kube-scheduler
   */
  void publish(Node node, Duration between, Duration lag) {
    node.generation++;
    List<Device> all = devices(node);
    int half = (all.size() + 1) / 2;
    put(node, slice(node, "a", all.subList(0, half)), Duration.ZERO, lag);
    put(node, slice(node, "b", all.subList(half, all.size())), between, lag);
  }

  private void put(Node node, ResourceSlice slice, Duration wait, Duration lag) {
    long generation = node.generation;
    String name = slice.getMetadata().getName();
    later(
        wait,
        name,
        () -> {
          if (node.generation == generation && !node.silent) {
            slices.put(name, slice);
            changed();
            later(
                lag,
                "scheduler sees " + name,
                () -> {
                  if (node.generation == generation) {
                    scheduled.put(name, slice);
                  }
                });
          }
        });
  }

  private void later(Duration wait, String what, Runnable work) {
    if (wait.isZero()) {
      work.run();
    } else {
      time.in(wait, what, work);
    }
  }

  private static ResourceSlice slice(Node node, String part, List<Device> devices) {
    return new ResourceSliceBuilder()
        .withMetadata(new ObjectMetaBuilder().withName(node.name + "-" + part).build())
        .withNewSpec()
        .withDriver(DRIVER)
        .withNodeName(node.name)
        .withNewPool()
        .withName(node.name)
        .withGeneration(node.generation)
        .withResourceSliceCount(2L)
        .endPool()
        .withDevices(devices)
        .endSpec()
        .build();
  }

  private static List<Device> devices(Node node) {
    List<Device> devices = new ArrayList<>();
    for (Board board : node.boards) {
      if (!board.hidden) {
        devices.add(device(node, board.name, board.uuid, board.tainted || board.broken));
      }
    }
    if (node.foreign != null) {
      devices.add(device(node, "gpu", node.foreign, false));
    }
    return devices;
  }

  private static Device device(Node node, String name, String uuid, boolean tainted) {
    DeviceBuilder device =
        new DeviceBuilder()
            .withName(name)
            .addToAttributes("type", text("gpu"))
            .addToAttributes("uuid", text(uuid))
            .addToAttributes("productName", text(node.product));
    device.addToCapacity(
        "memory",
        new DeviceCapacityBuilder().withValue(new Quantity(node.memoryMiB + "Mi")).build());
    if (tainted) {
      device.addNewTaint().withKey(TAINT).withEffect("NoSchedule").endTaint();
    }
    return device.build();
  }

  private static DeviceAttribute text(String value) {
    return new DeviceAttributeBuilder().withString(value).build();
  }

  /** The driver stops. Its slices are removed. */
  void silence(Node node) {
    node.silent = true;
    for (String part : List.of("-a", "-b")) {
      slices.remove(node.name + part);
      scheduled.remove(node.name + part);
    }
    changed();
  }

  /** The driver swaps the names of GPUs, as after a restart of the machine. */
  void rename(Node node) {
    String first = node.boards.getFirst().name;
    for (int i = 0; i + 1 < node.boards.size(); i++) {
      node.boards.get(i).name = node.boards.get(i + 1).name;
    }
    node.boards.getLast().name = first;
  }

  /** The health monitor of the driver compares the GPUs of a machine with their taints. */
  void broken(NodeReport report) {
    Node node = nodes.get(report.name());
    if (node == null || node.silent) {
      return;
    }
    boolean changed = false;
    for (Gpu gpu : report.gpus()) {
      Board board = node.boards.get(gpu.index());
      changed |= board.broken == gpu.usable();
      board.broken = !gpu.usable();
    }
    if (changed) {
      publish(node, Duration.ZERO, Duration.ZERO);
    }
  }

  /** Creates the claim, unless it exists or was deleted. */
  void create(ResourceClaim claim) {
    String name = claim.getMetadata().getName();
    if (!deleted.contains(name) && claims.putIfAbsent(name, claim) == null) {
      changed();
    }
  }

  boolean allocated(String name) {
    ResourceClaim claim = claims.get(name);
    return claim != null && claim.getStatus() != null;
  }

  /**
   * Deletes a claim. An allocated claim remains until its pod ends. Returns whether it has been
   * deleted.
   */
  boolean delete(String name) {
    if (!allocated(name)) {
      deleted.add(name);
      boolean gone = claims.remove(name) != null;
      changed();
      return gone;
    }
    return false;
  }

  /** Another program is allocated a free GPU of the node. Returns its claim, null if none. */
  @Nullable String take(Node node, String name) {
    Set<String> taken = taken(node);
    return published(node, slices).entrySet().stream()
        .filter(device -> !taken.contains(device.getKey()) && !tainted(device.getValue()))
        .filter(device -> !rules.any(node.name, device.getKey()))
        .findFirst()
        .map(free -> {
          claims.put(
              name,
              allocated(
                  new ResourceClaimBuilder()
                      .withMetadata(
                          new ObjectMetaBuilder().withName(name).withNamespace("other").build())
                      .build(),
                  node,
                  List.of(free.getKey())));
          changed();
          return name;
        })
        .orElse(null);
  }

  void remove(String name) {
    if (claims.remove(name) != null) {
      changed();
    }
    ran.remove(name);
    ending.remove(name);
  }

  /** kube-scheduler allocates the claim on the node. Returns whether the claim is allocated. */
  boolean allocate(String name, String on) {
    ResourceClaim claim = claims.get(name);
    Node node = nodes.get(on);
    if (claim == null || node == null || allocated(name) || deleted.contains(name)) {
      return allocated(name);
    }
    SortedSet<String> wanted = wanted(claim);
    Set<String> taken = taken(node);
    List<String> found = new ArrayList<>();
    published(node, scheduled)
        .forEach((device, each) -> {
          boolean free = !taken.contains(device) && !rules.others(on, device);
          if (wanted.contains(uuid(each)) && free && !tainted(each)) {
            found.add(device);
          }
        });
    if (found.size() != wanted.size()) {
      return false;
    }
    claims.put(name, allocated(claim, node, found));
    changed();
    return true;
  }

  private static ResourceClaim allocated(ResourceClaim claim, Node node, List<String> devices) {
    List<DeviceRequestAllocationResult> results = new ArrayList<>();
    for (String device : devices) {
      results.add(
          new DeviceRequestAllocationResultBuilder()
              .withRequest("gpus")
              .withDriver(DRIVER)
              .withPool(node.name)
              .withDevice(device)
              .build());
    }
    return new ResourceClaimBuilder(claim)
        .withNewStatus()
        .withNewAllocation()
        .withNewDevices()
        .withResults(results)
        .endDevices()
        .endAllocation()
        .endStatus()
        .build();
  }

  /** UUIDs in the selector of the claim. */
  static SortedSet<String> wanted(ResourceClaim claim) {
    SortedSet<String> wanted = new TreeSet<>();
    if (claim.getSpec() != null) {
      Matcher each =
          UUID.matcher(
              claim
                  .getSpec()
                  .getDevices()
                  .getRequests()
                  .getFirst()
                  .getExactly()
                  .getSelectors()
                  .getFirst()
                  .getCel()
                  .getExpression());
      while (each.find()) {
        wanted.add(each.group());
      }
    }
    return wanted;
  }

  private Set<String> taken(Node node) {
    Set<String> taken = new HashSet<>();
    claims.values().stream()
        .flatMap(claim -> results(claim).stream())
        .filter(result -> result.getPool().equals(node.name))
        .forEach(result -> taken.add(result.getDevice()));
    return taken;
  }

  private static List<DeviceRequestAllocationResult> results(ResourceClaim claim) {
    return claim.getStatus() == null
        ? List.of()
        : claim.getStatus().getAllocation().getDevices().getResults();
  }

  /** Devices by name, empty while the newest generation of the pool is incomplete. */
  private static SortedMap<String, Device> published(Node node, Map<String, ResourceSlice> slices) {
    SortedMap<String, Device> devices = new TreeMap<>();
    ResourceSlice a = slices.get(node.name + "-a");
    ResourceSlice b = slices.get(node.name + "-b");
    if (a != null
        && b != null
        && a.getSpec().getPool().getGeneration().equals(b.getSpec().getPool().getGeneration())) {
      a.getSpec().getDevices().forEach(each -> devices.put(each.getName(), each));
      b.getSpec().getDevices().forEach(each -> devices.put(each.getName(), each));
    }
    return devices;
  }

  static String uuid(Device device) {
    return device.getAttributes().get("uuid").getString();
  }

  private static boolean tainted(Device device) {
    return device.getTaints() != null && !device.getTaints().isEmpty();
  }

  /** GPUs that a pod with the claim gets, by the names that the driver knows now. */
  List<Board> boards(String claim, String on) {
    List<Board> found = new ArrayList<>();
    ResourceClaim its = claims.get(claim);
    Node node = nodes.get(on);
    if (its != null && node != null) {
      for (DeviceRequestAllocationResult result : results(its)) {
        node.boards.stream()
            .filter(board -> !board.hidden && board.name.equals(result.getDevice()))
            .forEach(found::add);
      }
    }
    return found;
  }

  /**
   * Returns whether the driver publishes other GPUs under the names of the claim than it selects.
   */
  boolean differs(String claim, String on) {
    Node node = nodes.get(on);
    SortedSet<String> named = new TreeSet<>();
    boards(claim, on).forEach(board -> named.add(board.uuid));
    ResourceClaim its = claims.get(claim);
    return its != null
        && node != null
        && named.size() == results(its).size()
        && published(node, slices).size() >= named.size()
        && !named.equals(wanted(its));
  }

  /** The position of a GPU in its machine, null for a GPU of another machine. */
  @Nullable Board board(String on, String uuid) {
    Node node = nodes.get(on);
    return node == null
        ? null
        : node.boards.stream().filter(each -> each.uuid.equals(uuid)).findFirst().orElse(null);
  }

  /** The objects of these pods are deleted as soon as the pods have ended. */
  void end(Collection<String> pods) {
    ending.addAll(pods);
  }

  /** Kubernetes releases the devices of a pod that has ended, and removes deleted claims. */
  void sweep(Set<String> processes) {
    for (String name : List.copyOf(claims.keySet())) {
      boolean runs = processes.contains(name);
      if (runs) {
        ran.add(name);
      } else if (ending.contains(name)) {
        remove(name);
      } else if (ran.contains(name) && allocated(name)) {
        claims.put(name, new ResourceClaimBuilder(claims.get(name)).withStatus(null).build());
        ran.remove(name);
        deleted.add(name);
        changed();
      }
    }
  }
}
