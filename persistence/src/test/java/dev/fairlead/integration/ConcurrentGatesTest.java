package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.work.serving.ModelService;
import dev.fairlead.work.serving.ModelServiceId;
import dev.fairlead.work.serving.ServiceState;
import dev.fairlead.work.serving.TrafficCount;
import dev.fairlead.work.serving.key.GateBatch;
import dev.fairlead.work.serving.key.KeyHour;
import dev.fairlead.work.serving.key.KeyMinute;
import dev.fairlead.work.serving.key.KeyUse;
import dev.fairlead.work.serving.key.ServiceKey;
import dev.fairlead.work.serving.key.UseSpan;
import dev.fairlead.work.serving.traffic.RouteOptions;
import dev.fairlead.work.world.TestWorld;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/** Gates that concurrently store counts of the same keys. */
class ConcurrentGatesTest {
  private static final Instant HOUR = Instant.parse("2030-01-01T10:00:00Z");
  private static final int GATES = 4;
  private static final int BATCHES = 20;
  private static final int KEYS = 10;
  private final PostgresInstallation stores = Embedded.installation();
  private final TestWorld world = TestWorld.in(stores);
  private final ModelServiceId service = new ModelServiceId(stores.ids().next());

  private void serves() {
    ModelService settings =
        new ModelService(
            service,
            "chat",
            world.project().name(),
            service.bare() + ".example",
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
    String document = ModelService.document(world.project().id(), "chat");
    ConfigDocument<ModelService> _ =
        stores
            .configs()
            .put(
                new ConfigDocument<>(
                    ModelService.DOCUMENTS,
                    document,
                    world.tenant().id(),
                    world.project().id(),
                    settings,
                    0));
    stores
        .services()
        .insert(ServiceState.first(service, world.tenant().id(), document, settings.route()));
  }

  private ServiceKey.Name key(int number) {
    return new ServiceKey.Name(service, "key-" + number);
  }

  private GateBatch batch(UUID gate, int number) {
    List<KeyHour> hours = new ArrayList<>();
    List<KeyMinute> minutes = new ArrayList<>();
    TreeMap<ServiceKey.Name, Instant> used = new TreeMap<>();
    for (int i = 0; i < KEYS; i++) {
      hours.add(new KeyHour(key(i), HOUR, new KeyUse(1, 7, 5, 0)));
      minutes.add(new KeyMinute(key(i), HOUR, 1, 12));
      used.put(key(i), HOUR.plusSeconds(number));
    }
    return new GateBatch(
        gate,
        number,
        hours,
        minutes,
        used,
        List.of(new GateBatch.VersionTraffic(service, 1, new TrafficCount(KEYS, 0, KEYS))));
  }

  private void create(int number) {
    stores
        .serviceKeys()
        .insert(
            new ServiceKey(
                key(number),
                world.tenant().id(),
                service.bare() + number,
                "ana",
                HOUR,
                HOUR.plus(Duration.ofDays(1)),
                null,
                null,
                null,
                null));
  }

  /**
   * Fails when a gate misses a key because its transaction commits after the transaction of a later
   * key.
   */
  @Test
  void changesOfKeysAreNumberedInTheOrderOfTheirCommits() throws Exception {
    serves();
    CountDownLatch created = new CountDownLatch(1);
    CountDownLatch commits = new CountDownLatch(1);
    try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
      Future<?> first =
          threads.submit(() ->
              stores
                  .transactions()
                  .run(() -> {
                    create(1);
                    created.countDown();
                    awaited(commits);
                  }));
      awaited(created);
      Future<?> second = threads.submit(() -> create(2));
      assertThatThrownBy(() -> second.get(300, TimeUnit.MILLISECONDS))
          .isInstanceOf(TimeoutException.class);
      long before = stores.serviceKeys().changes(0, HOUR).version();
      commits.countDown();
      Object _ = first.get(60, TimeUnit.SECONDS);
      Object _ = second.get(60, TimeUnit.SECONDS);
      assertThat(stores.serviceKeys().changes(before, HOUR).keys())
          .extracting(ServiceKey::key)
          .contains(key(1), key(2));
    }
  }

  private static void awaited(CountDownLatch latch) {
    try {
      assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException stopped) {
      throw new IllegalStateException(stopped);
    }
  }

  /** Fails when a batch that two connections store is added twice, or gates lose counts. */
  @Test
  void everyBatchIsAddedOnce() throws Exception {
    serves();
    for (int i = 0; i < KEYS; i++) {
      create(i);
    }
    List<Future<?>> done = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(2 * GATES)) {
      for (int gate = 0; gate < GATES; gate++) {
        UUID id = stores.ids().next();
        for (int repeat = 0; repeat < 2; repeat++) {
          done.add(
              threads.submit(() -> {
                for (int number = 1; number <= BATCHES; number++) {
                  stores.serviceKeys().add(batch(id, number), HOUR);
                }
              }));
        }
      }
      for (Future<?> each : done) {
        Object _ = each.get(60, TimeUnit.SECONDS);
      }
    }
    UseSpan hour = new UseSpan(UseSpan.Period.HOUR, HOUR, HOUR.plusSeconds(1));
    assertThat(stores.serviceKeys().usage(world.tenant().id(), service, hour, null, 100))
        .hasSize(KEYS)
        .allSatisfy(each -> assertThat(each.use().requests()).isEqualTo(GATES * BATCHES));
    assertThat(stores.serviceKeys().minutes(HOUR))
        .filteredOn(each -> each.key().service().equals(service))
        .allSatisfy(each -> assertThat(each.tokens()).isEqualTo(GATES * BATCHES * 12L));
  }
}
