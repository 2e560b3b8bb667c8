package dev.fairlead.work.serving.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.serving.ModelService;
import dev.fairlead.work.serving.ModelServiceId;
import dev.fairlead.work.serving.ServiceState;
import dev.fairlead.work.serving.ServiceTraffic;
import dev.fairlead.work.serving.TrafficCount;
import dev.fairlead.work.serving.key.UseSpan.Period;
import dev.fairlead.work.serving.traffic.RouteOptions;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.TestWorld;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

public abstract class ServiceKeyStoreContract {
  private static final Instant NOW = Instant.parse("2030-01-01T10:20:30Z");
  private static final Instant HOUR = NOW.truncatedTo(ChronoUnit.HOURS);
  private static final Instant MINUTE = NOW.truncatedTo(ChronoUnit.MINUTES);
  private static final Duration DAY = Duration.ofDays(1);
  private Stores stores;
  private ServiceKeyStore keys;
  private TestWorld world;
  private TenantId tenant;
  private ModelServiceId service;
  private ServiceKey key;
  private UUID gate;

  protected abstract Stores stores();

  @BeforeEach
  void aKey() {
    stores = stores();
    keys = stores.serviceKeys();
    world = TestWorld.in(stores);
    tenant = world.tenant().id();
    service = service("chat");
    key = key("app", 0);
    gate = stores.ids().next();
    keys.insert(key);
  }

  private ModelServiceId service(String name) {
    ModelServiceId id = new ModelServiceId(stores.ids().next());
    ModelService settings =
        new ModelService(
            id,
            name,
            world.project().name(),
            id.bare() + ".example",
            1,
            2,
            ModelService.DEFAULT_STEPS,
            Duration.ofSeconds(30),
            Duration.ofSeconds(1),
            null,
            List.of(),
            null,
            ModelService.Access.KEYS,
            null,
            List.of(),
            RouteOptions.NONE);
    String document = ModelService.document(world.project().id(), name);
    ConfigDocument<ModelService> _ =
        stores
            .configs()
            .put(
                new ConfigDocument<>(
                    ModelService.DOCUMENTS, document, tenant, world.project().id(), settings, 0));
    stores.services().insert(ServiceState.first(id, tenant, document, settings.route()));
    return id;
  }

  private ServiceKey key(String name, int seconds) {
    return new ServiceKey(
        new ServiceKey.Name(service, name),
        tenant,
        ServiceKeyText.hash(service.text() + name),
        "ana",
        NOW.plusSeconds(seconds),
        NOW.plus(Duration.ofDays(1)),
        null,
        60,
        null,
        null);
  }

  private GateBatch batch(long number, long requests) {
    ServiceKey.Name name = key.key();
    TreeMap<ServiceKey.Name, Instant> used = new TreeMap<>();
    used.put(name, NOW.plusSeconds(number));
    return new GateBatch(
        gate,
        number,
        List.of(new KeyHour(name, HOUR, new KeyUse(requests, 10, 5, 1))),
        List.of(new KeyMinute(name, MINUTE, requests, 15)),
        used,
        List.of(new GateBatch.VersionTraffic(service, 1, new TrafficCount(requests, 1, 100))));
  }

  private KeyUse used() {
    return hour().getFirst().use();
  }

  private List<KeyHour> hour() {
    return keys.usage(tenant, service, span(Period.HOUR, HOUR.plusSeconds(1)), null, 10);
  }

  private static UseSpan span(Period period, Instant to) {
    return new UseSpan(period, HOUR, to);
  }

  @Test
  void aKeyIsFoundByItsServiceAndName() {
    assertThat(keys.find(tenant, key.key())).contains(key);
    assertThat(keys.keys(tenant, service)).containsExactly(key);
    assertThat(keys.keys(tenant, service("other"))).isEmpty();
    TenantId foreign = new TenantId(stores.ids().next());
    assertThat(keys.keys(foreign, service)).isEmpty();
    assertThat(keys.find(foreign, key.key())).isEmpty();
  }

  /** Fails when usage of a revoked key is added to another key. */
  @Test
  void nameOfARevokedKeyStaysTaken() {
    keys.revoke(key.revoked(NOW));
    keys.revoke(key.revoked(NOW.plusSeconds(9)));
    assertThat(keys.find(tenant, key.key())).contains(key.revoked(NOW));
    assertThatThrownBy(() -> keys.insert(key("app", 1))).isInstanceOf(Conflict.class);
  }

  @Test
  void keysThatEndedLongAgoAreDeletedPerService() {
    ServiceKey revoked = key("revoked", 1);
    keys.insert(revoked);
    keys.revoke(revoked.revoked(NOW));
    ModelServiceId first = service;
    service = service("other");
    keys.insert(key("expired", 0));
    assertThat(keys.locked(tenant, first, NOW)).containsExactly(key, revoked.revoked(NOW));
    Instant later = NOW.plusNanos(1_000_000);
    assertThat(keys.locked(tenant, first, later)).containsExactly(key);
    Instant expired = key.expiresAt().plusSeconds(1);
    keys.add(used(expired), expired);
    assertThat(keys.locked(tenant, first, expired)).containsExactly(key.withLastUsedAt(expired));
    assertThat(keys.locked(tenant, first, expired.plusSeconds(1))).isEmpty();
    assertThat(keys.keys(tenant, service)).hasSize(1);
  }

  private GateBatch used(Instant at) {
    TreeMap<ServiceKey.Name, Instant> used = new TreeMap<>();
    used.put(key.key(), at);
    return new GateBatch(gate, 1, List.of(), List.of(), used, List.of());
  }

  @Test
  void onlyKeysThatAreNeitherRevokedNorExpiredAreValid() {
    ServiceKey other = key("batch", 1);
    keys.insert(other);
    assertThat(valid(NOW)).contains(key, other);
    keys.revoke(other.revoked(NOW));
    assertThat(valid(NOW)).contains(key).doesNotContain(other);
    assertThat(valid(key.expiresAt())).doesNotContain(key);
  }

  private List<ServiceKey> valid(Instant now) {
    KeyChanges all = keys.changes(0, now);
    assertThat(all.all()).isTrue();
    return all.keys();
  }

  /** Fails when each exchange reads all keys, or misses a created or revoked key. */
  @Test
  void onlyKeysCreatedOrRevokedSinceARevisionAreChanges() {
    long first = keys.changes(0, NOW).version();
    ServiceKey other = key("batch", 1);
    keys.insert(other);
    KeyChanges created = keys.changes(first, NOW);
    assertThat(created.all()).isFalse();
    assertThat(created.keys()).containsExactly(other);
    keys.add(batch(1, 3), NOW);
    assertThat(keys.changes(created.version(), NOW).keys()).as("only used").isEmpty();
    keys.revoke(key.revoked(NOW));
    assertThat(keys.changes(created.version(), NOW).keys())
        .singleElement()
        .satisfies(each -> assertThat(each.revokedAt()).isEqualTo(NOW));
    assertThat(keys.changes(first, NOW).keys()).hasSize(2);
  }

  /** Fails when a gate is newer than a restored database, and learns no key. */
  @Test
  void unknownRevisionReadsAllKeys() {
    KeyChanges all = keys.changes(Long.MAX_VALUE, NOW);
    assertThat(all.all()).isTrue();
    assertThat(all.keys()).contains(key);
  }

  /** Fails when a page repeats or skips an entry, or a report of a year is read as a whole. */
  @Test
  void usageIsReadInPagesByPeriodAndKey() {
    keys.insert(key("batch", 1));
    long number = 0;
    for (Instant hour : List.of(HOUR, HOUR.plus(Duration.ofHours(1)), HOUR.plus(DAY))) {
      for (String name : List.of("app", "batch")) {
        key = key(name, 0);
        KeyHour use = new KeyHour(key.key(), hour, new KeyUse(1, 10, 5, 0));
        keys.add(
            new GateBatch(gate, ++number, List.of(use), List.of(), new TreeMap<>(), List.of()),
            NOW);
      }
    }
    Instant to = HOUR.plus(Duration.ofDays(2));
    assertThat(pages(span(Period.HOUR, to)))
        .extracting(each -> each.key().name())
        .containsExactly("app", "batch", "app", "batch", "app", "batch");
    assertThat(pages(span(Period.DAY, to)))
        .extracting(each -> each.key().name() + each.use().requests())
        .containsExactly("app2", "batch2", "app1", "batch1");
    assertThat(pages(span(Period.MONTH, to)))
        .extracting(each -> each.use().tokens())
        .containsExactly(45L, 45L);
    Instant midnight = HOUR.truncatedTo(ChronoUnit.DAYS);
    assertThat(keys.tokens(tenant, service, span(Period.DAY, to)))
        .containsEntry(midnight, 60L)
        .containsEntry(midnight.plus(DAY), 30L)
        .hasSize(2);
  }

  /**
   * Fails when a statement has requests of another month or tenant, or lacks the requests of a
   * service.
   */
  @Test
  void usageOfATenantIsReadByServiceAndKey() {
    keys.add(batch(1, 3), NOW);
    key = key("batch", 1);
    keys.insert(key);
    keys.add(batch(2, 4), NOW);
    ServiceKey.Name batch = key.key();
    service = service("other");
    key = key("app", 2);
    keys.insert(key);
    keys.add(batch(3, 5), NOW);
    ProjectId project = world.project().id();
    assertThat(keys.usage(tenant, HOUR, HOUR.plus(Duration.ofHours(1))))
        .containsExactly(
            new ServiceUse(
                project,
                "chat",
                new ServiceKey.Name(batch.service(), "app"),
                new KeyUse(3, 10, 5, 1)),
            new ServiceUse(project, "chat", batch, new KeyUse(4, 10, 5, 1)),
            new ServiceUse(project, "other", key.key(), new KeyUse(5, 10, 5, 1)));
    assertThat(keys.usage(tenant, HOUR.plus(Duration.ofHours(1)), HOUR.plus(DAY))).isEmpty();
    assertThat(keys.usage(tenant, HOUR.minus(DAY), HOUR)).isEmpty();
    assertThat(keys.usage(new TenantId(stores.ids().next()), HOUR, HOUR.plus(DAY))).isEmpty();
  }

  /** Fails when a service that is deleted before the sign-off has no tokens in the statement. */
  @Test
  void useOfADeletedServiceRemainsInTheUseOfItsTenant() {
    keys.add(batch(1, 3), NOW);
    ModelServiceId deleted = service;
    stores.configs().remove(document("chat"));
    assertThat(keys.keys(tenant, deleted)).isEmpty();
    keys.add(batch(2, 4), NOW);

    service = service("chat");
    key = key("app", 1);
    keys.insert(key);
    keys.add(batch(3, 5), NOW);

    assertThat(keys.usage(tenant, HOUR, HOUR.plus(Duration.ofHours(1))))
        .extracting(each -> each.service() + " " + each.key().service().equals(deleted))
        .containsExactlyInAnyOrder("chat true", "chat false");
    assertThat(keys.usage(tenant, HOUR, HOUR.plus(Duration.ofHours(1))))
        .filteredOn(each -> each.key().service().equals(deleted))
        .singleElement()
        .satisfies(each -> assertThat(each.use().requests()).isEqualTo(3));
  }

  private ConfigDocument<ModelService> document(String name) {
    return stores
        .configs()
        .find(ModelService.DOCUMENTS, tenant, ModelService.document(world.project().id(), name))
        .orElseThrow();
  }

  /** Reads all entries in pages of one entry. */
  private List<KeyHour> pages(UseSpan span) {
    List<KeyHour> all = new ArrayList<>();
    ServiceKeyStore.Position after = null;
    while (true) {
      List<KeyHour> page = keys.usage(tenant, service, span, after, 1);
      if (page.isEmpty()) {
        return all;
      }
      KeyHour last = page.getLast();
      all.addAll(page);
      after = new ServiceKeyStore.Position(last.hour(), last.key().name());
    }
  }

  /** Fails when a gate that repeats a batch after a lost answer counts it twice. */
  @Test
  void aRepeatedBatchAddsNothing() {
    keys.add(batch(1, 3), NOW);
    keys.add(batch(1, 3), NOW);
    assertThat(used()).isEqualTo(new KeyUse(3, 10, 5, 1));
    keys.add(batch(2, 4), NOW);
    assertThat(used()).isEqualTo(new KeyUse(7, 20, 10, 2));
    assertThat(keys.minutes(MINUTE))
        .filteredOn(each -> each.key().service().equals(service)) // other tests have others
        .containsExactly(new KeyMinute(key.key(), MINUTE, 7, 30));
    assertThat(keys.minutes(MINUTE.plusSeconds(60))).isEmpty();
    assertThat(keys.find(tenant, key.key()).orElseThrow().lastUsedAt())
        .isEqualTo(NOW.plusSeconds(2));
  }

  /** Fails when a gate that had no database for days counts its last batch twice. */
  @Test
  void aBatchThatIsRepeatedDaysLaterAddsNothing() {
    keys.add(batch(1, 3), NOW);
    UUID first = gate;
    gate = stores.ids().next();
    keys.add(batch(1, 4), NOW.plus(Duration.ofDays(9)));
    gate = first;
    keys.add(batch(1, 3), NOW.plus(Duration.ofDays(9)));
    assertThat(used().requests()).isEqualTo(7);
  }

  /** Fails when a gate that was restarted counts as two, and grants half of each limit. */
  @Test
  void stoppedGateHasNoShareOfTheLimits() {
    keys.add(batch(1, 3), NOW);
    int with = keys.gates(NOW.minusSeconds(1));
    keys.leave(gate);
    keys.leave(gate);
    assertThat(keys.gates(NOW.minusSeconds(1))).isEqualTo(with - 1);
    assertThat(used().requests()).isEqualTo(3);
  }

  @Test
  void batchesOfTwoGatesAddUp() {
    int others = keys.gates(NOW.minusSeconds(1));
    int later = keys.gates(NOW);
    keys.add(batch(1, 3), NOW);
    gate = stores.ids().next();
    keys.add(batch(1, 4), NOW);
    assertThat(used().requests()).isEqualTo(7);
    assertThat(keys.gates(NOW.minusSeconds(1))).isEqualTo(others + 2);
    assertThat(keys.gates(NOW)).isEqualTo(later);
  }

  /** Fails when a rollout of a service with keys does not see requests. */
  @Test
  void forwardedRequestsCountAsTrafficOfTheVersion() {
    ClusterId cluster = world.cluster().id();
    TreeSet<JobId> ready = new TreeSet<>(List.of(new JobId(stores.ids().next())));
    stores
        .services()
        .report(
            cluster,
            List.of(new ServiceTraffic(service, 1, new TrafficCount(1, 0, 10), NOW, ready)));
    keys.add(batch(1, 3), NOW);
    keys.add(batch(2, 3), NOW);
    assertThat(stores.services().traffic(tenant, service))
        .containsExactly(new ServiceTraffic(service, 1, new TrafficCount(7, 2, 210), NOW, ready));
  }

  @Test
  void countsOfAnUnknownKeyAreDropped() {
    key = key("gone", 0);
    keys.add(batch(1, 3), NOW);
    assertThat(hour()).isEmpty();
  }

  @Test
  void oldUsageIsDeleted() {
    keys.add(batch(1, 3), NOW);
    Instant later = HOUR.plus(ServiceKeyStore.KEPT);
    keys.add(new GateBatch(gate, 2, List.of(), List.of(), new TreeMap<>(), List.of()), later);
    assertThat(used().requests()).isEqualTo(3);
    keys.add(
        new GateBatch(gate, 3, List.of(), List.of(), new TreeMap<>(), List.of()),
        later.plusSeconds(1));
    assertThat(hour()).isEmpty();
    assertThat(keys.minutes(MINUTE)).isEmpty();
  }
}
