package dev.fairlead.verify.simulation.care;

import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.fleet.node.gpu.GpuIdentity;
import dev.fairlead.fleet.node.gpu.GpuState;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.verify.simulation.world.Area;
import dev.fairlead.verify.simulation.world.DurableState;
import dev.fairlead.verify.simulation.world.Guard;
import dev.fairlead.verify.simulation.world.Invariant;
import dev.fairlead.verify.simulation.world.InvariantBroken;
import dev.fairlead.verify.simulation.world.ProcessLife;
import dev.fairlead.verify.simulation.world.VirtualTime;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.attempt.member.GpuShare;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.simulation.SimulatedCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A cluster with GPUs by ResourceClaims. Its driver replaces slices one by one, stops, renames,
 * hides and taints GPUs, and publishes GPUs of other machines. Other programs take GPUs, and claims
 * are deleted. {@link TaintedGpus} has the taints of quarantined GPUs. No GPU has two holders, a
 * sick GPU costs one GPU and moves its holder, and the identity of the GPUs of a member is enforced
 * only while the allocation of its claim proves it.
 */
public final class DeviceArea implements Area {
  private static final Duration SETTLED = Duration.ofMinutes(2);
  private static final Duration REMAIN = Duration.ofMinutes(8);
  private static final long BOUND = Duration.ofMinutes(4).toMillis();
  private static final int LARGEST = 8;
  private static final Duration LOOK = Duration.ofSeconds(20);

  private final RandomGenerator chance;
  private final VirtualTime time;
  private final DurableState durable;
  private final Set<Guard> missing;
  private final ClusterId cluster;
  private final boolean active;
  private final List<Runnable> repairs = new ArrayList<>();
  private final Map<String, Long> differing = new HashMap<>();
  private @Nullable DeviceServer server;
  private @Nullable TaintedGpus tainted;
  private boolean open;
  private boolean faulty = true;
  private boolean dirty;
  private int taken;

  public DeviceArea(
      RandomGenerator chance, VirtualTime time, DurableState durable, Set<Guard> missing) {
    this.chance = chance;
    this.time = time;
    this.durable = durable;
    this.missing = missing;
    this.cluster = durable.clusters().firstKey();
    boolean wanted = missing.stream().anyMatch(Guard::ofDevices);
    this.active = wanted || missing.isEmpty() && chance.nextInt(5) == 0;
    this.open = active;
    if (active) {
      server = new DeviceServer(time, simulated().inventory().nodes());
      tainted = new TaintedGpus(time, durable, cluster, server);
      durable.afterAttempts(() -> dirty = true);
      later();
    }
  }

  private SimulatedCluster simulated() {
    return Objects.requireNonNull(durable.clusters().get(cluster));
  }

  private DeviceServer server() {
    return Objects.requireNonNull(server);
  }

  private Duration seconds(int most) {
    return Duration.ofSeconds(1L + chance.nextInt(most));
  }

  private void later() {
    time.in(
        seconds(40),
        "trouble with slices",
        () -> {
          if (open) {
            trouble();
            later();
          }
        });
  }

  private void trouble() {
    List<DeviceServer.Node> nodes = server().nodes();
    DeviceServer.Node node = nodes.get(chance.nextInt(nodes.size()));
    DeviceServer.Board board = node.boards.get(chance.nextInt(node.boards.size()));
    int kind = missing.contains(Guard.DEVICE_ELSEWHERE) ? 4 : chance.nextInt(8);
    time.say(() -> "slices of " + node.name + ": " + kind);
    switch (kind) {
      case 0 -> change(node, () -> board.hidden = lone(node, board), () -> board.hidden = false);
      case 1 -> change(node, () -> board.tainted = true, () -> board.tainted = false);
      case 2 -> {
        if (lies().isEmpty()) {
          until(
              () -> server().silence(node),
              () -> {
                node.silent = false;
                publish(node);
              });
        }
      }
      case 3 -> publish(node);
      case 4 -> publishElsewhere(node, nodes.get(chance.nextInt(nodes.size())));
      case 5 -> {
        String name = server().take(node, "foreign-" + taken++);
        if (name != null) {
          until(() -> {}, () -> server().remove(name));
        }
      }
      case 6 -> rename(node);
      default -> {
        List<String> claims = List.copyOf(server().claims().keySet());
        if (!claims.isEmpty()) {
          boolean _ = server().delete(claims.get(chance.nextInt(claims.size())));
        }
      }
    }
  }

  /** A GPU that another node publishes too remains where it is. */
  private boolean lone(DeviceServer.Node node, DeviceServer.Board board) {
    return lies().stream().noneMatch(board.uuid::equals) && node.boards.size() > 1;
  }

  private List<String> lies() {
    return server().nodes().stream()
        .filter(node -> node.foreign != null)
        .map(node -> String.valueOf(node.foreign))
        .toList();
  }

  /** The driver of another node also publishes a GPU of the node. */
  private void publishElsewhere(DeviceServer.Node node, DeviceServer.Node other) {
    DeviceServer.Board board = node.boards.get(chance.nextInt(node.boards.size()));
    boolean first = missing.contains(Guard.DEVICE_ELSEWHERE) || lies().isEmpty() && large(other);
    if (other != node && !board.hidden && !node.silent && first && other.foreign == null) {
      change(other, () -> other.foreign = board.uuid, () -> other.foreign = null);
    }
  }

  /**
   * A node that has as many GPUs as the largest job. A smaller node could get a job that waits for
   * the return of the GPU.
   */
  private static boolean large(DeviceServer.Node node) {
    return node.boards.size() >= LARGEST;
  }

  private void rename(DeviceServer.Node node) {
    server().rename(node);
    server().publish(node, Duration.ZERO, seconds(30));
  }

  private void publish(DeviceServer.Node node) {
    Duration lag = chance.nextBoolean() ? Duration.ZERO : seconds(20);
    server().publish(node, chance.nextInt(3) == 0 ? Duration.ZERO : seconds(60), lag);
  }

  private void change(DeviceServer.Node node, Runnable break_, Runnable repair) {
    until(
        () -> {
          break_.run();
          publish(node);
        },
        () -> {
          repair.run();
          publish(node);
        });
  }

  private void until(Runnable break_, Runnable repair) {
    break_.run();
    repairs.add(repair);
    time.in(
        seconds(300),
        "repair of slices",
        () -> {
          if (repairs.remove(repair)) {
            repair.run();
          }
        });
  }

  @Override
  public ClusterGateway reached(ProcessLife life, ClusterId id, ClusterGateway gateway) {
    if (!active || !id.equals(cluster)) {
      return gateway;
    }
    return new DeviceGateway(
            gateway,
            server(),
            durable.stores().leases().installation(),
            simulated()::processes,
            () -> faulty && chance.nextInt(5) == 0,
            missing)
        .gateway();
  }

  @Override
  public void check() {
    if (dirty) {
      dirty = false;
      Map<String, String> holders = new HashMap<>();
      for (Attempt attempt : live()) {
        attempt.members().stream()
            .filter(member -> !member.dead())
            .forEach(member -> held(attempt, member, holders));
      }
    }
  }

  private List<Attempt> live() {
    return durable.stores().jobs().live().stream()
        .filter(attempt -> attempt.cluster().equals(cluster))
        .toList();
  }

  private static void held(Attempt attempt, Member member, Map<String, String> holders) {
    for (GpuShare share : member.gpus()) {
      String pod = ObjectNames.pod(attempt.id(), MemberKey.of(member));
      String other = share.milli() == Gpu.WHOLE_MILLI ? holders.put(share.serial(), pod) : null;
      if (other != null) {
        throw new InvariantBroken(
            Invariant.GPU_HELD_ONCE, share.serial() + " by " + other + " and " + pod);
      }
    }
  }

  /** GPUs are renamed for a few minutes more, and then a GPU of each node is sick for a while. */
  @Override
  public void heal() {
    if (!active) {
      return;
    }
    open = false;
    faulty = false;
    repairs.forEach(Runnable::run);
    repairs.clear();
    Objects.requireNonNull(tainted).heal();
    time.in(SETTLED, "GPUs are renamed", () -> server().nodes().forEach(this::rename));
    look();
    time.in(REMAIN, "sick GPUs", () -> sick(true));
    time.in(
        REMAIN.plusMillis(BOUND),
        "a look at sick GPUs",
        () -> {
          server().nodes().forEach(this::costs);
          sick(false);
        });
    time.in(REMAIN.plusMillis(2 * BOUND), "a faulty GPU", this::faultyGpu);
  }

  /** The driver taints a GPU of a running attempt, which then leaves it. */
  private void faultyGpu() {
    for (Attempt attempt : live()) {
      for (Member member : attempt.core()) {
        String pod = ObjectNames.pod(attempt.id(), MemberKey.of(member));
        List<DeviceServer.Board> boards = server().boards(pod, member.nodeName());
        if (faults(attempt) == 0
            && attempt.state() == AttemptState.RUNNING
            && member.state() == MemberState.RUNNING
            && !boards.isEmpty()) {
          boards.getFirst().tainted = true;
          server().nodes().forEach(node -> server().publish(node, Duration.ZERO, Duration.ZERO));
          time.in(Duration.ofMillis(BOUND), "a look at its holder", () -> left(attempt, boards));
          return;
        }
      }
    }
  }

  private int faults(Attempt attempt) {
    return durable.stores().jobs().findAll(List.of(attempt.job())).getFirst().run().faults();
  }

  private void left(Attempt before, List<DeviceServer.Board> boards) {
    if (live().stream()
        .anyMatch(now -> now.id().equals(before.id()) && now.state() == AttemptState.RUNNING)) {
      throw new InvariantBroken(Invariant.FAULTY_GPU_MOVES, before.toString());
    }
    boards.getFirst().tainted = false;
    server().nodes().forEach(node -> server().publish(node, Duration.ZERO, Duration.ZERO));
  }

  private void sick(boolean are) {
    for (DeviceServer.Node node : server().nodes()) {
      node.boards.getFirst().tainted = are;
      server().publish(node, Duration.ZERO, Duration.ZERO);
    }
  }

  /** A GPU that its driver taints is failed, and no other GPU of its node is. */
  private void costs(DeviceServer.Node node) {
    Node row =
        durable.stores().inventory().nodes(cluster).stream()
            .filter(each -> each.name().equals(node.name))
            .findFirst()
            .orElseThrow();
    DeviceServer.Board sick = node.boards.getFirst();
    for (Gpu gpu : row.gpus()) {
      GpuState right = gpu.serial().equals(sick.uuid) ? GpuState.FAILED : GpuState.HEALTHY;
      boolean own = server().board(node.name, gpu.serial()) != null;
      if (own && gpu.state() != right && gpu.state() != GpuState.QUARANTINED) {
        throw new InvariantBroken(Invariant.SICK_GPU_COSTS_ONE, node.name + " has " + row.gpus());
      }
    }
  }

  /** With faults off, the identity of the GPUs of a member follows the allocation of its claim. */
  private void look() {
    for (Attempt attempt : live()) {
      for (Member member : attempt.members()) {
        String pod = ObjectNames.pod(attempt.id(), MemberKey.of(member));
        boolean differs =
            member.state() == MemberState.RUNNING && server().differs(pod, member.nodeName());
        long since = differs ? differing.computeIfAbsent(pod, p -> time.now()) : time.now();
        if (!differs) {
          differing.remove(pod);
        } else if (time.now() - since > BOUND && member.gpuIdentity() != GpuIdentity.UNKNOWN) {
          throw new InvariantBroken(Invariant.IDENTITY_IS_PROVEN, attempt.toString());
        }
      }
    }
    time.in(LOOK, "a look at allocations", this::look);
  }

  @Override
  public void end() {
    if (active) {
      for (Node node : durable.stores().inventory().nodes(cluster)) {
        long gpus = node.gpus().stream().filter(gpu -> gpu.state() != GpuState.FAILED).count();
        long boards =
            server().nodes().stream()
                .filter(each -> each.name.equals(node.name()))
                .mapToLong(each -> each.boards.stream().filter(board -> !board.tainted).count())
                .sum();
        if (gpus < boards) {
          throw new InvariantBroken(Invariant.PUBLISHED_GPU_REMAINS, "at the end " + node);
        }
      }
    }
  }
}
