package dev.fairlead.work.serving.gate;

import dev.fairlead.kernel.identity.IdSource;
import dev.fairlead.kernel.loop.Loop;
import dev.fairlead.kernel.loop.MonotonicClock;
import dev.fairlead.kernel.loop.Recurring;
import dev.fairlead.kernel.metric.Metric;
import dev.fairlead.work.event.WakeUps;
import dev.fairlead.work.serving.service.GateBooks;
import dev.fairlead.work.serving.service.GatedService;
import dev.fairlead.work.serving.service.GatedServices;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.http.HttpClient;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.stereotype.Component;

/**
 * The gate of model services: reads the services every two seconds, and every half second while it
 * holds requests and wakes their services. Its server starts with the first pass. Any number of
 * processes may run it, because it is stateless.
 */
@Component
@EnableConfigurationProperties(GateSettings.class)
class GateLoop implements Loop {
  private static final Logger LOG = LoggerFactory.getLogger(GateLoop.class);
  private static final Duration PASS = Duration.ofMillis(500);
  private static final Duration EVERY = Duration.ofSeconds(2);
  private static final Duration CONNECT = Duration.ofSeconds(2);
  private static final Duration CLOSING = Duration.ofSeconds(20);

  /** An unconfirmed batch, and the counts after it. */
  private static final int LAST_BATCHES = 2;

  private final GatedServices services;
  private final GateBooks books;
  private final GateSettings settings;
  private final WaitingRoom room;
  private final KeyGuard guard;
  private final Counter refused;
  private final Recurring reads;
  private @Nullable GateServer server;

  GateLoop(
      GatedServices services,
      GateBooks books,
      GateSettings settings,
      IdSource ids,
      InstantSource now,
      MonotonicClock clock,
      MeterRegistry metrics) {
    this.services = services;
    this.books = books;
    this.settings = settings;
    room = new WaitingRoom(settings);
    KeyRing ring = new KeyRing(settings.keysWithoutDatabase(), clock);
    Counter unread = metrics.counter(Metric.GATE_UNREAD.meter(), Metric.GATE_UNREAD.tags());
    UsageMemory memory = new UsageMemory(UsageMemory.MOST);
    guard = new KeyGuard(ring, new KeyMeter(ids.next()), memory, unread, now, clock);
    refused = metrics.counter(Metric.GATE_REFUSED.meter(), Metric.GATE_REFUSED.tags());
    Gauge.builder(Metric.GATE_REQUESTS.meter(), room, WaitingRoom::requests).register(metrics);
    reads = Recurring.fromNowOn(clock, EVERY);
  }

  @Override
  public String name() {
    return "gate";
  }

  @Override
  public String role() {
    return "gate";
  }

  @Override
  public Duration idle() {
    return PASS;
  }

  @Override
  public Set<WakeUps.Topic> wakesOn() {
    return Set.of(WakeUps.Topic.ROUTES);
  }

  @Override
  public boolean tick() {
    SortedSet<String> hosts = room.hosts();
    if (server != null && hosts.stream().noneMatch(this::waits) && !reads.due()) {
      return false;
    }
    reads.done();
    SortedMap<String, GatedService> read = services.byHost();
    if (guard.owes() || read.values().stream().anyMatch(GatedService::keyed)) {
      exchange();
    }
    room.update(read);
    guard.readServices();
    if (server == null) {
      ClientConnections clients = new ClientConnections();
      GateServlet servlet = new GateServlet(room, guard, settings, client(), refused, clients);
      server = new GateServer(settings, servlet, clients, room);
      LOG.info("the gate accepts requests on port {}", server.port());
    }
    for (String host : hosts) {
      GatedService service = read.get(host);
      if (service != null) {
        wake(service);
      }
    }
    return false;
  }

  /** Returns whether requests of a service wait for a replica. */
  private boolean waits(String host) {
    return room.find(host).filter(service -> !service.open()).isPresent();
  }

  /** A failed exchange does not delay services. The next pass repeats it. */
  private void exchange() {
    try {
      guard.exchange(books);
    } catch (RuntimeException failed) {
      LOG.warn("the counts of keys are not stored yet", failed);
    }
  }

  /** Other gates detect within seconds that a gate has ended without leaving. */
  private void leave() {
    try {
      guard.leave(books);
    } catch (RuntimeException failed) {
      LOG.warn("the gate is still counted for {}", GateBooks.GONE, failed);
    }
  }

  /** A service that cannot be woken does not delay other services. The next pass tries again. */
  private void wake(GatedService service) {
    try {
      services.wake(service);
    } catch (RuntimeException failed) {
      LOG.warn("service {} is not woken", service.settings().name(), failed);
    }
  }

  private static HttpClient client() {
    return HttpClient.newBuilder()
        .version(HttpClient.Version.HTTP_1_1)
        .connectTimeout(CONNECT)
        .followRedirects(HttpClient.Redirect.NEVER)
        .executor(Executors.newVirtualThreadPerTaskExecutor())
        .build();
  }

  @Override
  public void close() {
    room.close(CLOSING);
    if (server != null) {
      server.close();
    }
    for (int batch = 0; batch < LAST_BATCHES && guard.owes(); batch++) {
      exchange();
    }
    leave();
  }
}
