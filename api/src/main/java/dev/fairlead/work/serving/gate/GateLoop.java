package dev.fairlead.work.serving.gate;

import dev.fairlead.kernel.loop.Loop;
import dev.fairlead.kernel.loop.MonotonicClock;
import dev.fairlead.kernel.loop.Recurring;
import dev.fairlead.kernel.metric.Metric;
import dev.fairlead.work.event.WakeUps;
import dev.fairlead.work.serving.service.GatedService;
import dev.fairlead.work.serving.service.GatedServices;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.http.HttpClient;
import java.time.Duration;
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
 * processes may run it, because it has no state of its own.
 */
@Component
@EnableConfigurationProperties(GateSettings.class)
class GateLoop implements Loop {
  private static final Logger LOG = LoggerFactory.getLogger(GateLoop.class);
  private static final Duration PASS = Duration.ofMillis(500);
  private static final Duration EVERY = Duration.ofSeconds(2);
  private static final Duration CONNECT = Duration.ofSeconds(2);
  private static final Duration CLOSING = Duration.ofSeconds(20);

  private final GatedServices services;
  private final GateSettings settings;
  private final WaitingRoom room;
  private final Counter refused;
  private final Recurring reads;
  private @Nullable GateServer server;

  GateLoop(
      GatedServices services, GateSettings settings, MonotonicClock clock, MeterRegistry metrics) {
    this.services = services;
    this.settings = settings;
    room = new WaitingRoom(settings);
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
    return Set.of();
  }

  @Override
  public boolean tick() {
    SortedSet<String> hosts = room.hosts();
    if (server != null && hosts.isEmpty() && !reads.due()) {
      return false;
    }
    reads.done();
    SortedMap<String, GatedService> read = services.byHost();
    room.update(read);
    if (server == null) {
      ClientConnections clients = new ClientConnections();
      GateServlet servlet = new GateServlet(room, settings, client(), refused, clients);
      server = new GateServer(settings, servlet, clients, room);
      LOG.info("the gate takes requests at port {}", server.port());
    }
    for (String host : hosts) {
      GatedService service = read.get(host);
      if (service != null) {
        wake(service);
      }
    }
    return false;
  }

  /** A service that cannot be woken delays no other. The next pass tries again. */
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
  }
}
