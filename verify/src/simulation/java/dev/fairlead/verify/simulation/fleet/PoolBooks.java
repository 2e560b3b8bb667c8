package dev.fairlead.verify.simulation.fleet;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.money.statement.DeviceUse;
import dev.fairlead.money.statement.StatementStore;
import dev.fairlead.money.usage.FleetPart;
import dev.fairlead.money.usage.GpuHistory;
import dev.fairlead.money.usage.HourBook;
import dev.fairlead.money.usage.UsageBucket;
import dev.fairlead.money.usage.UsageOwner;
import dev.fairlead.money.usage.UsageStore;
import dev.fairlead.money.usage.ledger.memory.MemoryUseLedger;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.attempt.member.GpuShare;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Instant;
import java.time.YearMonth;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Hours of use in memory, for the loop and the reports of the product: allocations of a member are
 * read from the stored attempts, the state of GPUs from the inventory at each observation.
 */
public final class PoolBooks implements UsageStore, StatementStore {
  private final MemoryStores stores;
  private final MemoryUseLedger ledger;
  private final SortedMap<Slot, States> slots = new TreeMap<>();
  private final Set<AttemptId> counted = new HashSet<>();
  private long open;

  PoolBooks(MemoryStores stores) {
    this.stores = stores;
    this.ledger = new MemoryUseLedger(stores.database(), this::now, this::open);
    this.open = now() - Math.floorMod(now(), HourBook.HOUR_MILLIS);
  }

  private record Slot(NodeId node, int gpu) implements Comparable<Slot> {
    @Override
    public int compareTo(Slot other) {
      int byNode = node.compareTo(other.node);
      return byNode == 0 ? Integer.compare(gpu, other.gpu) : byNode;
    }
  }

  /** Spans of one GPU, the last one open. */
  private static final class States {
    private final FleetPart part;
    private final List<GpuHistory.Seen> ended = new ArrayList<>();
    private GpuHistory.@Nullable Seen last;

    private States(FleetPart part) {
      this.part = part;
    }

    private void see(long now, @Nullable UsageBucket bucket, int kept) {
      GpuHistory.Seen before = last;
      if (before != null && before.bucket() == bucket && before.keptMilli() == kept) {
        return;
      }
      if (before != null) {
        ended.add(
            new GpuHistory.Seen(before.fromMillis(), now, before.bucket(), before.keptMilli()));
      }
      last = bucket == null ? null : new GpuHistory.Seen(now, Long.MAX_VALUE, bucket, kept);
    }

    private List<GpuHistory.Seen> between(long from, long to) {
      List<GpuHistory.Seen> all = new ArrayList<>(ended);
      if (last != null) {
        all.add(last);
      }
      all.removeIf(seen -> seen.fromMillis() >= to || seen.toMillis() <= from);
      return all;
    }
  }

  long now() {
    return stores.clock().instant().toEpochMilli();
  }

  @Override
  public Watermark look() {
    long now = now();
    Map<ClusterId, Cluster> clusters = new TreeMap<>();
    stores.inventory().clusters().forEach(cluster -> clusters.put(cluster.id(), cluster));
    Map<Slot, Integer> kept = kept();
    for (Node node : stores.inventory().nodes(null)) {
      Cluster cluster = clusters.get(node.cluster());
      for (Gpu gpu : node.gpus()) {
        Slot slot = new Slot(node.id(), gpu.index());
        slots
            .computeIfAbsent(slot, s -> new States(part(node, cluster)))
            .see(now, bucket(node, cluster), kept.getOrDefault(slot, 0));
      }
    }
    return new Watermark(now, open);
  }

  private Map<Slot, Integer> kept() {
    Map<Slot, Integer> kept = new TreeMap<>();
    for (Reservation reservation : stores.reservations().all()) {
      for (Member member : reservation.members()) {
        for (GpuShare share : member.gpus()) {
          kept.merge(new Slot(member.node(), share.index()), share.milli(), Integer::sum);
        }
      }
    }
    kept.replaceAll((slot, milli) -> Math.min(Gpu.WHOLE_MILLI, milli));
    return kept;
  }

  private static FleetPart part(Node node, Cluster cluster) {
    CapacityType own = node.capacity();
    return new FleetPart(
        node.cluster(), "", null, node.gpuModel(), own == null ? cluster.capacity() : own);
  }

  private static @Nullable UsageBucket bucket(Node node, Cluster cluster) {
    ClusterState of = cluster.state();
    return switch (node.state()) {
      case RETIRED -> null;
      case QUARANTINED, UNREACHABLE -> UsageBucket.SICK;
      case ACTIVE, CORDONED, DRAINING ->
          of == ClusterState.UNREACHABLE || of == ClusterState.DEGRADED
              ? UsageBucket.SICK
              : node.state() == NodeState.ACTIVE && of == ClusterState.ACTIVE
                  ? UsageBucket.FREE
                  : UsageBucket.MAINTENANCE;
    };
  }

  @Override
  public void gpus(long fromMillis, long toMillis, Consumer<GpuHistory> each) {
    SortedMap<Slot, List<GpuHistory.Use>> uses = uses(fromMillis, toMillis);
    slots.forEach((slot, states) ->
        each.accept(
            new GpuHistory(
                slot.gpu(),
                states.part,
                states.between(fromMillis, toMillis),
                uses.getOrDefault(slot, List.of()))));
  }

  private SortedMap<Slot, List<GpuHistory.Use>> uses(long from, long to) {
    Map<JobId, Job> jobs = new TreeMap<>();
    SortedMap<Slot, List<GpuHistory.Use>> uses = new TreeMap<>();
    for (Attempt attempt : stores.jobs().everyAttempt()) {
      long begun = attempt.createdAt().toEpochMilli();
      Instant ended = attempt.endedAt();
      long over = ended == null ? to : ended.toEpochMilli();
      if (counted.contains(attempt.id()) || begun >= to || over <= from) {
        continue;
      }
      Job job =
          jobs.computeIfAbsent(attempt.job(), id -> stores.jobs().findAll(List.of(id)).getFirst());
      for (Member member : attempt.members()) {
        UsageOwner owner = owner(job, attempt, member);
        for (GpuShare share : member.gpus()) {
          uses.computeIfAbsent(new Slot(member.node(), share.index()), s -> new ArrayList<>())
              .add(new GpuHistory.Use(begun, over, owner, share.milli(), share.slices()));
        }
      }
    }
    return uses;
  }

  private static UsageOwner owner(Job job, Attempt attempt, Member member) {
    return new UsageOwner(
        job.tenant(),
        job.project(),
        job.queue(),
        job.user(),
        attempt.cluster(),
        "",
        member.flavor(),
        null,
        Collections.emptySortedMap());
  }

  @Override
  public void close(long openMillis) {
    open = openMillis;
    slots.values().forEach(s -> s.ended.removeIf(seen -> seen.toMillis() <= openMillis));
    stores.jobs().everyAttempt().stream()
        .filter(a -> a.endedAt() != null && a.endedAt().toEpochMilli() <= openMillis)
        .forEach(a -> counted.add(a.id()));
  }

  long open() {
    return open;
  }

  @Override
  public long lock() {
    return open;
  }

  /** The facts of the hours. */
  MemoryUseLedger ledger() {
    return ledger;
  }

  @Override
  public List<DeviceUse> devices(
      TenantId tenant, Instant from, Instant to, DeviceUse.@Nullable Key after, int limit) {
    throw new UnsupportedOperationException("no caller requests use by device");
  }

  @Override
  public Optional<String> signed(TenantId tenant, YearMonth month) {
    return Optional.empty();
  }

  @Override
  public boolean sign(TenantId tenant, YearMonth month, String document) {
    throw new UnsupportedOperationException("nothing is signed");
  }
}
