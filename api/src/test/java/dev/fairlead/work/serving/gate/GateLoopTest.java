package dev.fairlead.work.serving.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.serving.ModelService;
import dev.fairlead.work.serving.ModelServiceId;
import dev.fairlead.work.serving.ServiceState;
import dev.fairlead.work.serving.key.KeyChanges;
import dev.fairlead.work.serving.key.KeyMinute;
import dev.fairlead.work.serving.key.ServiceKey;
import dev.fairlead.work.serving.key.ServiceKeyStore;
import dev.fairlead.work.serving.key.ServiceKeyText;
import dev.fairlead.work.serving.service.GateBooks;
import dev.fairlead.work.serving.service.GatedServices;
import dev.fairlead.work.serving.traffic.RouteOptions;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.util.unit.DataSize;

/** The loop of the gate with a service that requires keys and has no replica. */
class GateLoopTest {
  private static final String APP = "flk_" + "a".repeat(43);
  private static final String EVAL = "flk_" + "b".repeat(43);
  private static final int NO_REPLICA = 503;
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final TenantId tenant = world.tenant().id();
  private final ModelServiceId service = new ModelServiceId(stores.ids().next());
  private final HttpClient client = HttpClient.newHttpClient();
  private boolean refuses;
  private boolean losesAnswers;
  private Duration passed = Duration.ZERO;

  /** Offset of the clock of the gate's machine. */
  private Duration ahead = Duration.ZERO;

  /** Number of keys in each answer of the database. */
  private final List<Integer> read = new ArrayList<>();

  private int port;
  private GateLoop loop;
  private boolean stopped;

  @BeforeEach
  void aGate() throws Exception {
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    serves();
    create("app", APP);
    loop = gate();
    passes();
  }

  @AfterEach
  void stops() {
    if (!stopped) {
      loop.close();
    }
  }

  private void serves() {
    ModelService settings =
        new ModelService(
            service,
            "chat",
            world.project().name(),
            "localhost",
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
                    ModelService.DOCUMENTS, document, tenant, world.project().id(), settings, 0));
    stores.services().insert(ServiceState.first(service, tenant, document, settings.route()));
  }

  private ServiceKey create(String name, String text) {
    Instant now = stores.clock().instant();
    ServiceKey key =
        new ServiceKey(
            new ServiceKey.Name(service, name),
            tenant,
            ServiceKeyText.hash(text),
            "ana",
            now,
            now.plus(Duration.ofDays(1)),
            null,
            null,
            null,
            null);
    stores.serviceKeys().insert(key);
    return key;
  }

  /** The port, with calls that fail on request. */
  private <T> T failing(Class<T> port, T real, BooleanSupplier before, BooleanSupplier after) {
    return port.cast(
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {port},
            (self, method, arguments) -> {
              if (before.getAsBoolean()) {
                throw new IllegalStateException("the database is away");
              }
              try {
                Object result = method.invoke(real, arguments);
                if (result instanceof KeyChanges changes) {
                  read.add(changes.keys().size());
                }
                if (after.getAsBoolean()) {
                  throw new IllegalStateException("the answer is lost");
                }
                return result;
              } catch (InvocationTargetException failed) {
                throw failed.getCause();
              }
            }));
  }

  private GateLoop gate() {
    ServiceKeyStore keys =
        failing(ServiceKeyStore.class, stores.serviceKeys(), () -> refuses, () -> false);
    Transactions transactions =
        failing(Transactions.class, stores.transactions(), () -> false, () -> losesAnswers);
    GateBooks books = new GateBooks(keys, transactions);
    GateSettings settings =
        new GateSettings(
            port,
            100,
            100,
            Duration.ofMillis(50),
            Duration.ofSeconds(30),
            DataSize.ofKilobytes(1),
            Duration.ofSeconds(10),
            Duration.ofMinutes(5),
            Duration.ofMinutes(15));
    return new GateLoop(
        new GatedServices(
            stores.services(),
            stores.configs(),
            stores.tenants(),
            stores.transactions(),
            stores.clock()),
        books,
        settings,
        stores.ids(),
        () -> stores.clock().instant().plus(ahead),
        () -> passed.toNanos(),
        new SimpleMeterRegistry());
  }

  private void passes() {
    passed = passed.plusSeconds(2);
    boolean _ = loop.tick();
  }

  private int asks(String key) throws Exception {
    HttpResponse<Void> answer =
        client.send(
            HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/v1/models"))
                .header("Authorization", "Bearer " + key)
                .build(),
            BodyHandlers.discarding());
    return answer.statusCode();
  }

  private long stored() {
    Instant minute = stores.clock().instant().truncatedTo(ChronoUnit.MINUTES);
    return stores.serviceKeys().minutes(minute).stream().mapToLong(KeyMinute::requests).sum();
  }

  /** Fails when a key is accepted before or refused after the pass that reads it. */
  @Test
  void passLoadsNewKeysAndDropsRevokedKeys() throws Exception {
    assertThat(asks(APP)).isEqualTo(NO_REPLICA);
    ServiceKey eval = create("eval", EVAL);
    assertThat(asks(EVAL)).isEqualTo(401);
    passes();
    assertThat(asks(EVAL)).isEqualTo(NO_REPLICA);
    stores.serviceKeys().revoke(eval.revoked(stores.clock().instant()));
    passes();
    assertThat(asks(EVAL)).isEqualTo(401);
    assertThat(asks(APP)).isEqualTo(NO_REPLICA);
  }

  /** Fails when an outage of the database stops known keys, or loses their usage. */
  @Test
  void knownKeysWorkForALimitedTimeWithoutTheDatabase() throws Exception {
    refuses = true;
    ServiceKey _ = create("eval", EVAL);
    passes();
    assertThat(asks(APP)).isEqualTo(NO_REPLICA);
    assertThat(asks(EVAL)).isEqualTo(401);
    passes();
    assertThat(stored()).isZero();
    refuses = false;
    passes();
    passes();
    assertThat(stored()).isEqualTo(1);
    refuses = true;
    passed = passed.plus(Duration.ofMinutes(16));
    assertThat(asks(EVAL)).isEqualTo(NO_REPLICA);
    passes();
    refuses = false;
    passes();
    assertThat(stored()).as("no key is checked after this time").isEqualTo(1);
  }

  /** Fails when counts are added again after an answer of the database was lost. */
  @Test
  void lostResponseIsNotCountedTwice() throws Exception {
    losesAnswers = true;
    for (int i = 0; i < 3; i++) {
      assertThat(asks(APP)).isEqualTo(NO_REPLICA);
      passes();
    }
    losesAnswers = false;
    passes();
    passes();
    assertThat(stored()).isEqualTo(3);
  }

  @Test
  void aGateThatStopsStoresItsCounts() throws Exception {
    refuses = true;
    assertThat(asks(APP)).isEqualTo(NO_REPLICA);
    passes();
    assertThat(asks(APP)).isEqualTo(NO_REPLICA);
    refuses = false;
    loop.close();
    stopped = true;
    assertThat(stored()).as("with the batch that failed").isEqualTo(2);
  }

  /** Fails when each exchange reads all keys of the installation again. */
  @Test
  void anExchangeReadsOnlyKeysThatChanged() throws Exception {
    passes();
    ServiceKey eval = create("eval", EVAL);
    passes();
    stores.serviceKeys().revoke(eval.revoked(stores.clock().instant()));
    passes();
    passes();
    assertThat(read).containsExactly(1, 0, 1, 1, 0);
    assertThat(asks(APP)).isEqualTo(NO_REPLICA);
    assertThat(asks(EVAL)).isEqualTo(401);
    passed = passed.plus(Duration.ofHours(1));
    passes();
    assertThat(read.getLast()).as("all of them, once an hour").isEqualTo(1);
    assertThat(asks(APP)).isEqualTo(NO_REPLICA);
    assertThat(asks(EVAL)).isEqualTo(401);
  }

  /** Fails when a machine with a wrong clock deletes all usage, or accepts no key. */
  @Test
  void gateUsesTheClockOfTheDatabase() throws Exception {
    assertThat(asks(APP)).isEqualTo(NO_REPLICA);
    passes();
    assertThat(stored()).isEqualTo(1);
    ahead = Duration.ofDays(500);
    passes();
    assertThat(asks(APP)).isEqualTo(NO_REPLICA);
    passes();
    assertThat(stored()).as("in the same minute").isEqualTo(2);
  }

  /** Fails when a gate counts as two for ten seconds after its restart. */
  @Test
  void aGateThatStopsLeavesItsShareToTheOthers() {
    Instant before = stores.clock().instant().minusSeconds(1);
    passes();
    assertThat(stores.serviceKeys().gates(before)).isEqualTo(1);
    loop.close();
    stopped = true;
    assertThat(stores.serviceKeys().gates(before)).isZero();
  }

  /** Fails when a possibly stored batch is dropped, so that its repetition counts again. */
  @Test
  void gateThatStopsWithAnUnconfirmedBatchStaysRegistered() throws Exception {
    assertThat(asks(APP)).isEqualTo(NO_REPLICA);
    losesAnswers = true;
    loop.close();
    stopped = true;
    assertThat(stores.serviceKeys().gates(stores.clock().instant().minusSeconds(1))).isEqualTo(1);
    assertThat(stored()).isEqualTo(1);
  }
}
