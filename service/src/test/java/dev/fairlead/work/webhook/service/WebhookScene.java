package dev.fairlead.work.webhook.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.loop.LeaseTimes;
import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.work.event.EventPosition;
import dev.fairlead.work.event.EventRecord;
import dev.fairlead.work.event.Fact;
import dev.fairlead.work.event.memory.MemoryEventLog;
import dev.fairlead.work.webhook.WebhookDelivery;
import dev.fairlead.work.webhook.WebhookState;
import dev.fairlead.work.webhook.service.WebhookOrders.Order;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;

/** A tenant with a webhook, a virtual clock, and receivers that a test lets fail. */
abstract class WebhookScene {
  static final String PORTAL = "https://portal.example";
  static final Duration TURN = Duration.ofSeconds(2);
  final MemoryStores stores = MemoryStores.empty(1);
  final TestWorld world = TestWorld.in(stores);
  final Receiver receiver = new Receiver();
  final Actor owner = new Actor(world.tenant().id(), "mia", Role.TENANT_OWNER);
  final Order target = new Order(null, "portal", false);
  final WebhookMessages messages = new Messages();
  final WebhookRounds sender =
      new WebhookRounds(receiver, purpose -> Optional.of(bytes(purpose)), messages, stores.clock());
  final Webhooks webhooks =
      new Webhooks(
          stores.transactions(),
          stores.webhooks(),
          stores.configs(),
          stores.tenants(),
          stores.events(),
          sender,
          messages,
          stores.audit(),
          stores.ids(),
          stores.clock());
  final WebhookOrders orders =
      new WebhookOrders(
          stores.transactions(),
          webhooks,
          stores.webhooks(),
          stores.events(),
          sender,
          messages,
          stores.audit(),
          stores.ids(),
          stores.clock());
  WebhookLoop loop = loop("one");
  String secret = "";
  long nanos;

  static byte[] bytes(String purpose) {
    String reversed = new StringBuilder(purpose).reverse().toString();
    return Arrays.copyOf(reversed.getBytes(StandardCharsets.UTF_8), 32);
  }

  /** Bodies are the number of the object and the type of the event. */
  static final class Messages implements WebhookMessages {
    @Override
    public String id(EventPosition position) {
      return position.transaction() + "-" + position.sequence();
    }

    @Override
    public String subject(WebhookDelivery.Subject subject) {
      return Long.toString(subject.id().getLeastSignificantBits());
    }

    @Override
    public byte[] body(EventRecord event) {
      String text = event.subjectId().getLeastSignificantBits() + "/" + event.fact().type();
      return text.getBytes(StandardCharsets.UTF_8);
    }
  }

  @BeforeEach
  void aWebhookOfTheTenant() {
    turns(Duration.ofSeconds(4));
    secret = String.valueOf(put("portal", null, PORTAL).secret());
  }

  WebhookView put(String name, @Nullable String project, String url, String... types) {
    return webhooks.put(
        owner,
        project,
        name,
        new Webhooks.Request(url, null, new TreeSet<>(List.of(types))),
        null,
        false);
  }

  WebhookLoop loop(String process) {
    return loop(
        process,
        new LeaseTimes(Duration.ofSeconds(3), Duration.ofSeconds(1), Duration.ofSeconds(2)));
  }

  WebhookLoop loop(String process, LeaseTimes times) {
    Leases leases = new Leases(stores.leases(), times, () -> nanos, process);
    return new WebhookLoop(
        leases,
        stores.webhooks(),
        stores.configs(),
        stores.inventory(),
        sender,
        stores.events(),
        stores.transactions(),
        stores.clock(),
        new SimpleMeterRegistry());
  }

  void happens(int object, String... types) {
    happens(object, null, types);
  }

  void happens(int object, @Nullable Project project, String... types) {
    for (String type : types) {
      stores
          .transactions()
          .run(() ->
              stores
                  .events()
                  .append(
                      List.of(Fact.of(type)),
                      new MemoryEventLog.Subject(
                          new JobId(new UUID(1, object)),
                          1,
                          world.tenant().id(),
                          project == null ? null : project.id(),
                          null),
                      "mia"));
    }
  }

  /** Runs passes for that time. Each pass ends with the rounds that it began. */
  void turns(Duration time) {
    Instant end = stores.clock().instant().plus(time);
    while (stores.clock().instant().isBefore(end)) {
      turn();
      stores.advance(time.compareTo(Duration.ofHours(1)) > 0 ? Duration.ofMinutes(1) : TURN);
    }
    turn();
  }

  void turn() {
    ticks();
    loop.awaitRounds();
  }

  /** A pass after a supervisor noted its cluster. */
  void ticks() {
    nanos += Duration.ofSeconds(1).toNanos();
    stores.inventory().seen(world.cluster().id(), stores.clock().instant());
    boolean _ = loop.tick();
  }

  WebhookState state() {
    return stores.webhooks().all().getFirst();
  }

  List<WebhookView.Delivery> deliveries() {
    return orders.deliveries(owner, target, null, 100);
  }

  static void awaits(CountDownLatch latch) {
    try {
      assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
