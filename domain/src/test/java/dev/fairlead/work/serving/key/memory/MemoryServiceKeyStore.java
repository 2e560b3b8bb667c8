package dev.fairlead.work.serving.key.memory;

import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.identity.IdText;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Conflict.Guard;
import dev.fairlead.kernel.transaction.memory.MemoryDatabase;
import dev.fairlead.kernel.transaction.memory.MemoryTable;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.serving.ModelServiceId;
import dev.fairlead.work.serving.ServiceState;
import dev.fairlead.work.serving.key.GateBatch;
import dev.fairlead.work.serving.key.KeyChanges;
import dev.fairlead.work.serving.key.KeyHour;
import dev.fairlead.work.serving.key.KeyMinute;
import dev.fairlead.work.serving.key.KeyUse;
import dev.fairlead.work.serving.key.ServiceKey;
import dev.fairlead.work.serving.key.ServiceKeyStore;
import dev.fairlead.work.serving.key.ServiceUse;
import dev.fairlead.work.serving.key.UseSpan;
import dev.fairlead.work.serving.memory.MemoryServingStore;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;

/** In-memory implementation of {@link ServiceKeyStore}. */
public final class MemoryServiceKeyStore implements ServiceKeyStore {
  private final MemoryDatabase database;
  private final MemoryServingStore services;
  private final InstantSource clock;
  private final MemoryTable<ServiceKey.Name, ServiceKey> keys;
  private final MemoryTable<ServiceKey.Name, Long> changed;
  private final MemoryTable<KeyTime, KeyHour> hours;
  private final MemoryTable<KeyTime, KeyMinute> minutes;
  private final MemoryTable<UUID, Gate> gates;

  /** Services with use, including deleted ones. */
  private final MemoryTable<ModelServiceId, Origin> origins;

  public MemoryServiceKeyStore(
      MemoryDatabase database, MemoryServingStore services, InstantSource clock) {
    this.database = database;
    this.clock = clock;
    this.changed = database.table();
    this.services = services;
    this.keys = database.table();
    this.hours = database.table();
    this.minutes = database.table();
    this.gates = database.table();
    this.origins = database.table();
  }

  private static final Comparator<Position> ORDER =
      Comparator.comparing(Position::begin).thenComparing(Position::key);

  private record Origin(TenantId tenant, String document) {}

  private record Gate(long batch, Instant storedAt) {}

  private record KeyTime(ServiceKey.Name key, Instant time) implements Comparable<KeyTime> {
    @Override
    public int compareTo(KeyTime other) {
      return Comparator.comparing(KeyTime::key).thenComparing(KeyTime::time).compare(this, other);
    }
  }

  private boolean exists(ServiceKey.Name key) {
    return keys.has(key)
        && services.all().stream().map(ServiceState::id).anyMatch(key.service()::equals);
  }

  @Override
  public void insert(ServiceKey key) {
    database.run(() -> {
      if (keys.has(key.key())) {
        throw new Conflict(Guard.NAME_TAKEN, key.key().name());
      }
      keys.put(key.key(), key);
      changed.put(key.key(), version() + 1);
    });
  }

  private long version() {
    return changed.all().stream().mapToLong(Long::longValue).max().orElse(0);
  }

  @Override
  public List<ServiceKey> keys(TenantId tenant, ModelServiceId service) {
    return database.call(() ->
        keys.all().stream()
            .filter(each -> each.tenant().equals(tenant))
            .filter(each -> each.key().service().equals(service))
            .filter(each -> exists(each.key()))
            .toList());
  }

  @Override
  public List<ServiceKey> locked(TenantId tenant, ModelServiceId service, Instant before) {
    return database.call(() -> {
      keys(tenant, service).stream().filter(each -> old(each, before)).forEach(this::remove);
      return keys(tenant, service);
    });
  }

  private static boolean old(ServiceKey key, Instant before) {
    Instant used = key.lastUsedAt();
    Instant revoked = key.revokedAt();
    boolean ended = key.expiresAt().isBefore(before) || revoked != null && revoked.isBefore(before);
    return ended && (used == null || used.isBefore(before));
  }

  private void remove(ServiceKey key) {
    keys.remove(key.key());
    List.copyOf(minutes.map().keySet()).stream()
        .filter(each -> each.key().equals(key.key()))
        .forEach(minutes::remove);
  }

  @Override
  public Optional<ServiceKey> find(TenantId tenant, ServiceKey.Name key) {
    return keys(tenant, key.service()).stream().filter(each -> each.key().equals(key)).findFirst();
  }

  @Override
  public void revoke(ServiceKey key) {
    database.run(() -> {
      Instant now = key.revokedAt();
      find(key.tenant(), key.key())
          .filter(old -> now != null)
          .filter(old -> old.revokedAt() == null)
          .ifPresent(old -> {
            keys.put(old.key(), old.revoked(now));
            changed.put(old.key(), version() + 1);
          });
    });
  }

  @Override
  public KeyChanges changes(long since, Instant now) {
    return database.call(() -> {
      boolean all = since == 0 || since > version();
      return new KeyChanges(
          version(),
          all,
          keys.all().stream()
              .filter(each -> all ? each.validAt(now) : changed.find(each.key()).orElse(0L) > since)
              .filter(each -> exists(each.key()))
              .toList());
    });
  }

  @Override
  public List<KeyHour> usage(
      TenantId tenant, ModelServiceId service, UseSpan span, Position after, int limit) {
    SortedMap<Position, KeyHour> sums = new TreeMap<>(ORDER);
    for (KeyHour each : hours(tenant, service, span)) {
      Instant begin = span.period().begin(each.hour());
      KeyHour _ =
          sums.merge(
              new Position(begin, each.key().name()),
              new KeyHour(each.key(), begin, each.use()),
              (one, more) -> new KeyHour(one.key(), begin, one.use().plus(more.use())));
    }
    return sums.entrySet().stream()
        .filter(each -> after == null || ORDER.compare(each.getKey(), after) > 0)
        .limit(limit)
        .map(Map.Entry::getValue)
        .toList();
  }

  private List<KeyHour> hours(TenantId tenant, ModelServiceId service, UseSpan span) {
    return database.call(() ->
        hours.all().stream()
            .filter(each -> each.key().service().equals(service))
            .filter(each -> origin(each).tenant().equals(tenant))
            .filter(each -> !each.hour().isBefore(span.first()) && each.hour().isBefore(span.to()))
            .toList());
  }

  @Override
  public List<ServiceUse> usage(TenantId tenant, Instant from, Instant to) {
    UseSpan span = new UseSpan(UseSpan.Period.HOUR, from, to);
    SortedMap<ServiceKey.Name, KeyUse> sums = new TreeMap<>();
    return database.call(() -> {
      for (var each : origins.map().entrySet()) {
        hours(tenant, each.getKey(), span)
            .forEach(hour -> sums.merge(hour.key(), hour.use(), KeyUse::plus));
      }
      return sums.entrySet().stream()
          .map(each -> use(origins.find(each.getKey().service()).orElseThrow(), each))
          .sorted(
              Comparator.comparing(ServiceUse::project)
                  .thenComparing(ServiceUse::service)
                  .thenComparing(ServiceUse::key))
          .toList();
    });
  }

  private static ServiceUse use(Origin origin, Map.Entry<ServiceKey.Name, KeyUse> each) {
    String[] document = origin.document().split("/", 2);
    ProjectId project = new ProjectId(IdText.decode(IdKind.PROJECT, document[0]).orElseThrow());
    return new ServiceUse(project, document[1], each.getKey(), each.getValue());
  }

  private Origin origin(KeyHour hour) {
    return origins.find(hour.key().service()).orElseThrow();
  }

  @Override
  public SortedMap<Instant, Long> tokens(TenantId tenant, ModelServiceId service, UseSpan span) {
    SortedMap<Instant, Long> sums = new TreeMap<>();
    hours(tenant, service, span)
        .forEach(
            each -> sums.merge(span.period().begin(each.hour()), each.use().tokens(), Long::sum));
    return sums;
  }

  @Override
  public Instant now() {
    return clock.instant();
  }

  @Override
  public void leave(UUID gate) {
    database.run(() -> gates.remove(gate));
  }

  @Override
  public void add(GateBatch batch, Instant now) {
    database.run(() -> {
      if (gates.find(batch.gate()).filter(old -> old.batch() >= batch.number()).isEmpty()) {
        gates.put(batch.gate(), new Gate(batch.number(), now));
        batch.hours().stream().filter(each -> exists(each.key())).forEach(this::add);
        batch.minutes().stream().filter(each -> exists(each.key())).forEach(this::add);
        batch
            .used()
            .forEach((key, at) -> keys.find(key).ifPresent(old -> keys.put(key, used(old, at))));
        batch
            .traffic()
            .forEach(each -> services.forwarded(each.service(), each.version(), each.count()));
      }
      forget(now);
    });
  }

  private void forget(Instant now) {
    List.copyOf(hours.map().keySet()).stream()
        .filter(each -> each.time().isBefore(now.minus(KEPT)))
        .forEach(hours::remove);
    List.copyOf(minutes.map().keySet()).stream()
        .filter(each -> each.time().isBefore(now.minus(Duration.ofMinutes(10))))
        .forEach(minutes::remove);
    List.copyOf(gates.map().entrySet()).stream()
        .filter(each -> each.getValue().storedAt().isBefore(now.minus(KEPT)))
        .forEach(each -> gates.remove(each.getKey()));
  }

  private void add(KeyHour more) {
    KeyTime at = new KeyTime(more.key(), more.hour());
    KeyUse old = hours.find(at).map(KeyHour::use).orElse(KeyUse.NONE);
    services.all().stream()
        .filter(each -> each.id().equals(more.key().service()))
        .forEach(each -> origins.put(each.id(), new Origin(each.tenant(), each.document())));
    hours.put(at, new KeyHour(more.key(), more.hour(), old.plus(more.use())));
  }

  private void add(KeyMinute more) {
    KeyTime at = new KeyTime(more.key(), more.minute());
    KeyMinute old = minutes.find(at).orElse(new KeyMinute(more.key(), more.minute(), 0, 0));
    minutes.put(
        at,
        new KeyMinute(
            more.key(),
            more.minute(),
            old.requests() + more.requests(),
            old.tokens() + more.tokens()));
  }

  private static ServiceKey used(ServiceKey key, Instant at) {
    Instant old = key.lastUsedAt();
    return key.withLastUsedAt(old != null && old.isAfter(at) ? old : at);
  }

  @Override
  public int gates(Instant since) {
    return database.call(() ->
        Math.toIntExact(
            gates.all().stream().filter(each -> each.storedAt().isAfter(since)).count()));
  }

  @Override
  public List<KeyMinute> minutes(Instant minute) {
    return database.call(() ->
        minutes.all().stream()
            .filter(each -> each.minute().equals(minute) && exists(each.key()))
            .toList());
  }
}
