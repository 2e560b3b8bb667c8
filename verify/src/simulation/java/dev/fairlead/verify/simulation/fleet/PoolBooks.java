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
import dev.fairlead.money.price.PriceSpans;
import dev.fairlead.money.statement.DeviceUse;
import dev.fairlead.money.statement.StatementKey;
import dev.fairlead.money.statement.StatementStore;
import dev.fairlead.money.statement.StatementUse;
import dev.fairlead.money.usage.FleetPart;
import dev.fairlead.money.usage.FleetUse;
import dev.fairlead.money.usage.GpuHistory;
import dev.fairlead.money.usage.HourBook;
import dev.fairlead.money.usage.HourDifference;
import dev.fairlead.money.usage.HourSums;
import dev.fairlead.money.usage.Spill;
import dev.fairlead.money.usage.SpillCause;
import dev.fairlead.money.usage.SpillHour;
import dev.fairlead.money.usage.SpillReport;
import dev.fairlead.money.usage.SpillStore;
import dev.fairlead.money.usage.UsageBucket;
import dev.fairlead.money.usage.UsageOwner;
import dev.fairlead.money.usage.UsageQuery;
import dev.fairlead.money.usage.UsageRow;
import dev.fairlead.money.usage.UsageStore;
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
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
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
public final class PoolBooks implements UsageStore, SpillStore, StatementStore {
  private final MemoryStores stores;
  private final SortedMap<Long, HourSums> hours = new TreeMap<>();
  private final SortedMap<Slot, States> slots = new TreeMap<>();
  private final Set<AttemptId> counted = new HashSet<>();
  private long open;

  PoolBooks(MemoryStores stores) {
    this.stores = stores;
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

  @Override
  public long now() {
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
  public void write(HourSums sums) {
    hours.put(sums.hourMillis(), sums);
  }

  @Override
  public void close(long openMillis) {
    open = openMillis;
    slots.values().forEach(s -> s.ended.removeIf(seen -> seen.toMillis() <= openMillis));
    stores.jobs().everyAttempt().stream()
        .filter(a -> a.endedAt() != null && a.endedAt().toEpochMilli() <= openMillis)
        .forEach(a -> counted.add(a.id()));
  }

  @Override
  public List<HourDifference> dayDifferences(long dayMillis) {
    return List.of();
  }

  @Override
  public void sumDay(long dayMillis) {
    throw new UnsupportedOperationException();
  }

  /** Reports add up hours here. */
  @Override
  public boolean sumDay() {
    return false;
  }

  @Override
  public long open() {
    return open;
  }

  @Override
  public long lock() {
    return open;
  }

  @Override
  public HourSums stored(long hourMillis) {
    return hours.getOrDefault(
        hourMillis, new HourSums(hourMillis, new TreeMap<>(), new TreeMap<>(), new TreeMap<>()));
  }

  /** Hours by their start. */
  SortedMap<Long, HourSums> hours() {
    return hours;
  }

  @Override
  public List<UsageRow> report(UsageQuery query) {
    throw new UnsupportedOperationException("no report of use is asked for");
  }

  @Override
  public SpillReport spill(@Nullable TenantId tenant, Instant from, Instant to) {
    SortedMap<Spill.Key, Long> spilled = new TreeMap<>();
    SortedMap<Spill.Reserved, Long> reserved = new TreeMap<>();
    hours
        .subMap(from.toEpochMilli(), to.toEpochMilli())
        .values()
        .forEach(hour -> {
          Spill.of(hour).forEach((key, milli) -> spilled.merge(key, milli, Long::sum));
          Spill.reserved(hour).forEach((key, milli) -> reserved.merge(key, milli, Long::sum));
        });
    Map<String, SpillReport.Reserved> capacity = new TreeMap<>();
    reserved.forEach((key, milli) -> {
      Map<UsageBucket, Long> buckets = new EnumMap<>(UsageBucket.class);
      SpillReport.Reserved before = capacity.get(key.model());
      buckets.putAll(before == null ? Map.of() : before.buckets());
      buckets.merge(key.bucket(), milli, Long::sum);
      capacity.put(key.model(), new SpillReport.Reserved(null, key.model(), buckets));
    });
    Map<String, SpillReport.Spilled> use = new TreeMap<>();
    spilled.forEach((key, milli) -> {
      String name = key.tenant().text() + key.flavor();
      Map<SpillCause, Long> causes = new EnumMap<>(SpillCause.class);
      SpillReport.Spilled before = use.get(name);
      causes.putAll(before == null ? Map.of() : before.causes());
      causes.merge(key.cause(), milli, Long::sum);
      use.put(
          name,
          new SpillReport.Spilled(
              key.tenant().text(), key.flavor().model(), key.flavor().capacity(), causes));
    });
    return new SpillReport(
        Instant.ofEpochMilli(open), List.copyOf(capacity.values()), List.copyOf(use.values()));
  }

  @Override
  public void hours(TenantId tenant, Instant from, Instant to, Consumer<SpillHour> each) {
    throw new UnsupportedOperationException("no report of the replay asks for savings");
  }

  @Override
  public void reservedUse(Instant from, Instant to, Consumer<FleetUse> each) {
    throw new UnsupportedOperationException("no price of the replay is a commitment");
  }

  @Override
  public void uses(TenantId tenant, PriceSpans spans, Consumer<StatementUse> each) {
    List<Long> begins = spans.begins();
    Map<StatementKey, SortedMap<Integer, Long>> all = new LinkedHashMap<>();
    hours
        .subMap(begins.getFirst(), spans.endMillis())
        .forEach((hour, sums) -> {
          int span = (int) begins.stream().filter(begin -> begin <= hour).count() - 1;
          sums.used()
              .forEach((owner, milli) ->
                  all.computeIfAbsent(
                          new StatementKey(
                              owner.project(),
                              owner.queue(),
                              owner.cluster(),
                              owner.pool(),
                              owner.flavor()),
                          key -> new TreeMap<>())
                      .merge(span, milli, Long::sum));
        });
    all.forEach((key, bySpan) ->
        bySpan.forEach(
            (span, milli) -> each.accept(new StatementUse(key, names(key), span, milli))));
  }

  private StatementUse.Names names(StatementKey key) {
    ClusterId cluster = key.cluster();
    return new StatementUse.Names(
        key.project().text(), key.queue().text(), cluster == null ? null : cluster.text(), null);
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
