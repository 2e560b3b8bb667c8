package dev.fairlead.work.serving.memory;

import dev.fairlead.kernel.config.ConfigStore;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Conflict.Guard;
import dev.fairlead.kernel.transaction.memory.MemoryDatabase;
import dev.fairlead.kernel.transaction.memory.MemoryTable;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.event.WakeUps;
import dev.fairlead.work.serving.ModelService;
import dev.fairlead.work.serving.ModelServiceId;
import dev.fairlead.work.serving.OwnedService;
import dev.fairlead.work.serving.ServiceOwner;
import dev.fairlead.work.serving.ServiceState;
import dev.fairlead.work.serving.ServiceTraffic;
import dev.fairlead.work.serving.ServiceVersion;
import dev.fairlead.work.serving.ServingStore;
import dev.fairlead.work.serving.TrafficCount;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Stream;

/** In-memory implementation of {@link ServingStore}. */
public final class MemoryServingStore implements ServingStore {
  private static final ClusterId LEAST = new ClusterId(new UUID(Long.MIN_VALUE, Long.MIN_VALUE));
  private final MemoryDatabase database;
  private final ConfigStore configs;
  private final MemoryTable<ModelServiceId, ServiceState> states;
  private final MemoryTable<VersionKey, ServiceVersion> versions;
  private final MemoryTable<ReportKey, Report> reports;
  private final MemoryTable<VersionKey, ServiceTraffic> forwarded;

  public MemoryServingStore(MemoryDatabase database, ConfigStore configs) {
    this.database = database;
    this.configs = configs;
    this.states = database.table();
    this.versions = database.table();
    this.reports = database.table();
    this.forwarded = database.table();
  }

  private record VersionKey(ModelServiceId service, int number) implements Comparable<VersionKey> {
    @Override
    public int compareTo(VersionKey other) {
      return Comparator.comparing(VersionKey::service)
          .thenComparing(VersionKey::number)
          .compare(this, other);
    }
  }

  private record ReportKey(VersionKey version, ClusterId cluster) implements Comparable<ReportKey> {
    @Override
    public int compareTo(ReportKey other) {
      return Comparator.comparing(ReportKey::version)
          .thenComparing(ReportKey::cluster)
          .compare(this, other);
    }
  }

  private record Report(ServiceTraffic sum, TrafficCount raw) {}

  private boolean configured(ServiceState state) {
    return configs.find(ModelService.DOCUMENTS, state.tenant(), state.document()).isPresent();
  }

  @Override
  public List<ServiceState> all() {
    return database.call(() -> states.all().stream().filter(this::configured).toList());
  }

  @Override
  public List<OwnedService> owned(String cluster) {
    return database.call(() ->
        configs.all(ModelService.DOCUMENTS).stream()
            .filter(each -> owns(cluster, each.value().owner()))
            .flatMap(each ->
                all().stream()
                    .filter(state -> state.document().equals(each.name()))
                    .map(state -> new OwnedService(each.project(), each.value(), state, List.of())))
            .toList());
  }

  private static boolean owns(String cluster, ServiceOwner owner) {
    return owner != null && owner.cluster().equals(cluster);
  }

  @Override
  public Optional<ServiceState> find(TenantId tenant, String document) {
    return all().stream()
        .filter(each -> each.tenant().equals(tenant) && each.document().equals(document))
        .findFirst();
  }

  @Override
  public void insert(ServiceState state) {
    database.run(() -> {
      states.all().stream() // of a service that was removed with its document
          .filter(old -> old.document().equals(state.document()))
          .map(ServiceState::id)
          .toList()
          .forEach(states::remove);
      refuseTaken(state);
      states.put(state.id(), state);
    });
  }

  private void refuseTaken(ServiceState state) {
    boolean taken =
        states.all().stream()
            .filter(each -> each.route().equals(state.route()) && !each.id().equals(state.id()))
            .anyMatch(this::configured);
    if (taken) {
      throw new Conflict(Guard.NAME_TAKEN, state.route());
    }
  }

  @Override
  public void update(ServiceState state) {
    database.run(() -> {
      boolean current =
          states
              .find(state.id())
              .filter(this::configured)
              .filter(old -> old.revision() == state.revision() - 1)
              .isPresent();
      if (!current) {
        throw new Conflict(Guard.VERSION, state.document());
      }
      refuseTaken(state);
      states.put(state.id(), state);
    });
  }

  @Override
  public void changed(WakeUps.Topic topic) {
    database.run(() -> database.changed(topic));
  }

  @Override
  public void insert(TenantId tenant, ServiceVersion version) {
    database.run(() -> versions.put(new VersionKey(version.service(), version.number()), version));
  }

  private Stream<ServiceVersion> of(TenantId tenant, ModelServiceId service) {
    boolean own = states.find(service).filter(s -> s.tenant().equals(tenant)).isPresent();
    return own
        ? versions
            .map()
            .subMap(new VersionKey(service, 0), new VersionKey(service, Integer.MAX_VALUE))
            .values()
            .stream()
        : Stream.empty();
  }

  @Override
  public Optional<ServiceVersion> version(TenantId tenant, ModelServiceId service, int number) {
    return database.call(() -> {
      boolean own = states.find(service).filter(s -> s.tenant().equals(tenant)).isPresent();
      return own ? versions.find(new VersionKey(service, number)) : Optional.empty();
    });
  }

  @Override
  public List<ServiceVersion> versions(
      TenantId tenant, ModelServiceId service, int before, int limit) {
    return database.call(() ->
        of(tenant, service)
            .filter(each -> each.number() < before)
            .sorted(Comparator.comparingInt(ServiceVersion::number).reversed())
            .limit(limit)
            .toList());
  }

  @Override
  public int countVersions(TenantId tenant, ModelServiceId service) {
    return database.call(() -> Math.toIntExact(of(tenant, service).count()));
  }

  @Override
  public boolean deleteVersion(TenantId tenant, ModelServiceId service, int number) {
    return database.call(() -> {
      boolean found = version(tenant, service, number).isPresent();
      versions.remove(new VersionKey(service, number));
      return found;
    });
  }

  @Override
  public void report(ClusterId cluster, List<ServiceTraffic> seen) {
    database.run(() -> {
      for (var old : List.copyOf(reports.map().entrySet())) {
        if (old.getKey().cluster().equals(cluster)) {
          ServiceTraffic sum = old.getValue().sum();
          reports.put(
              old.getKey(),
              new Report(
                  new ServiceTraffic(
                      sum.service(), sum.version(), sum.count(), sum.countedAt(), new TreeSet<>()),
                  old.getValue().raw()));
        }
      }
      seen.forEach(each -> add(cluster, each));
    });
  }

  private void add(ClusterId cluster, ServiceTraffic seen) {
    if (states.find(seen.service()).filter(this::configured).isEmpty()) {
      return;
    }
    ReportKey key = new ReportKey(new VersionKey(seen.service(), seen.version()), cluster);
    TrafficCount raw = reports.find(key).map(Report::raw).orElse(TrafficCount.NONE);
    TrafficCount sum = reports.find(key).map(r -> r.sum().count()).orElse(TrafficCount.NONE);
    TrafficCount fresh =
        seen.count().requests() >= raw.requests()
            ? new TrafficCount(
                seen.count().requests() - raw.requests(),
                Math.max(0, seen.count().bad() - raw.bad()),
                Math.max(0, seen.count().millis() - raw.millis()))
            : seen.count();
    reports.put(
        key,
        new Report(
            new ServiceTraffic(
                seen.service(),
                seen.version(),
                sum.plus(fresh),
                seen.countedAt(),
                seen.ready(),
                seen.readings()),
            seen.count()));
  }

  /** Adds requests that a gate forwarded. */
  public void forwarded(ModelServiceId service, int version, TrafficCount more) {
    VersionKey key = new VersionKey(service, version);
    TrafficCount old = forwarded.find(key).map(ServiceTraffic::count).orElse(TrafficCount.NONE);
    forwarded.put(key, new ServiceTraffic(service, version, old.plus(more), null, new TreeSet<>()));
  }

  @Override
  public List<ServiceTraffic> traffic(TenantId tenant, ModelServiceId service) {
    return database.call(() -> {
      boolean own = states.find(service).filter(s -> s.tenant().equals(tenant)).isPresent();
      VersionKey first = new VersionKey(service, 0);
      VersionKey last = new VersionKey(service, Integer.MAX_VALUE);
      return own
          ? ServiceTraffic.summed(
              Stream.concat(
                      reports
                          .map()
                          .subMap(new ReportKey(first, LEAST), new ReportKey(last, LEAST))
                          .values()
                          .stream()
                          .map(Report::sum),
                      forwarded.map().subMap(first, last).values().stream())
                  .toList())
          : List.of();
    });
  }
}
