package dev.fairlead.work.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.event.EventPosition;
import dev.fairlead.work.event.EventRecord;
import dev.fairlead.work.event.Fact;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.TestWorld;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

public abstract class WebhookStoreContract {
  private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");
  private static final WebhookAnswer BROKEN = new WebhookAnswer(500, "broken", null);
  private static final WebhookAnswer DONE = new WebhookAnswer(204, "", null);
  private Stores stores;
  private WebhookStore webhooks;
  private TestWorld world;
  private TenantId tenant;
  private ConfigDocument<Webhook> document;
  private WebhookState state;
  private List<EventRecord> events;

  protected abstract Stores stores();

  @BeforeEach
  void aWebhookAndTheEventsOfAJob() {
    stores = stores();
    webhooks = stores.webhooks();
    world = TestWorld.in(stores);
    tenant = world.tenant().id();
    WebhookId id = new WebhookId(stores.ids().next());
    Webhook webhook =
        new Webhook(id, "portal", null, "https://portal.example", null, new TreeSet<>());
    document =
        stores
            .configs()
            .put(
                new ConfigDocument<>(
                    Webhook.DOCUMENTS,
                    Webhook.document(tenant, null, "portal"),
                    tenant,
                    null,
                    webhook,
                    0));
    state = WebhookState.first(id, tenant, document.name(), EventPosition.START, NOW);
    webhooks.insert(state);
    var job = world.submit(Specs.job("first"));
    events = stores.events().of(tenant, job.id().kind(), job.id().value(), EventPosition.START, 10);
  }

  private EventRecord event(long sequence) {
    EventRecord like = events.getFirst();
    return new EventRecord(
        new EventPosition(7, sequence),
        NOW,
        Fact.of("JobQueued"),
        like.subject(),
        new UUID(1, sequence),
        1,
        "mia",
        tenant,
        null,
        null);
  }

  /** A round in which the event is refused at that time. */
  private WebhookRound.Result refused(EventRecord event, Instant at) {
    WebhookRound round = new WebhookRound(state, List.of(), 0);
    round.calls();
    boolean _ = round.answered(event, null, BROKEN, at);
    return round.result(event.position(), at);
  }

  @Test
  void storedWebhookIsReadBackWithAllFields() {
    WebhookState rotated = state.rotated(Duration.ofHours(1), NOW).paused("by mia");
    webhooks.update(rotated);

    assertThat(webhooks.locked(tenant, document.name())).contains(rotated);
    assertThat(webhooks.find(tenant, document.name())).contains(rotated);
    assertThat(webhooks.all()).contains(rotated);
    assertThat(webhooks.find(TestWorld.in(stores).tenant().id(), document.name())).isEmpty();
  }

  /** Fails when a failed delivery is lost, or stored twice. */
  @Test
  void aRoundStoresPositionAndFailedDeliveries() {
    WebhookRound.Result first = refused(event(1), NOW);
    assertThat(advanced(first)).isTrue();

    WebhookStore.Backlog backlog = webhooks.backlog(state.id());
    assertThat(backlog).isEqualTo(new WebhookStore.Backlog(first.waiting(), 0));
    assertThat(backlog.waiting()).hasSize(1);
    WebhookState now = webhooks.find(tenant, document.name()).orElseThrow();
    assertThat(now).isEqualTo(first.state());
    assertThat(now.position()).isEqualTo(event(1).position());

    WebhookRound round = new WebhookRound(now, backlog.waiting(), 0);
    round.calls();
    boolean _ = round.answered(event(1), null, DONE, NOW);
    assertThat(advanced(round.result(now.position(), NOW))).isTrue();
    assertThat(webhooks.backlog(state.id()).waiting()).isEmpty();
  }

  private boolean advanced(WebhookRound.Result result) {
    return !webhooks.advance(List.of(result)).isEmpty();
  }

  /**
   * Fails when the result of one webhook is stored for another, or lost with the result of another.
   */
  @Test
  void roundsOfSeveralWebhooksAreStoredTogether() {
    WebhookId id = new WebhookId(stores.ids().next());
    WebhookState gone = WebhookState.first(id, tenant, "gone", EventPosition.START, NOW);
    WebhookRound.Result first = refused(event(1), NOW);
    WebhookRound.Result lost = new WebhookRound.Result(gone, List.of(), List.of(), List.of());

    assertThat(webhooks.advance(List.of(lost, first))).containsExactly(state.id());
    assertThat(webhooks.find(tenant, document.name())).contains(first.state());
    assertThat(webhooks.advance(List.of())).isEmpty();
  }

  /** Fails when a round overwrites changes that the owner made while it ran. */
  @Test
  void roundDoesNotOverwriteAPauseSecretOrPosition() {
    webhooks.update(state.rotated(Duration.ofHours(1), NOW).paused("by mia"));
    assertThat(advanced(refused(event(1), NOW))).isTrue();
    WebhookState paused = webhooks.find(tenant, document.name()).orElseThrow();
    assertThat(paused.status()).isEqualTo(WebhookStatus.PAUSED);
    assertThat(paused.reason()).isEqualTo("by mia");
    assertThat(paused.secrets().version()).isEqualTo(2);

    webhooks.update(paused.replayed(EventPosition.START, NOW));
    assertThat(advanced(refused(event(2), NOW))).isFalse();
    assertThat(webhooks.find(tenant, document.name()).orElseThrow().position())
        .isEqualTo(EventPosition.START);
    assertThat(webhooks.backlog(state.id()).waiting()).hasSize(1);
  }

  /** Fails when a page skips or repeats a delivery, or dead letters remain forever. */
  @Test
  void deliveriesAreReadInPagesAndDeadLettersAreDeleted() {
    WebhookDelivery dead = refused(event(1), NOW).waiting().getFirst().expired(NOW);
    WebhookDelivery waits = refused(event(2), NOW).waiting().getFirst();
    webhooks.replace(tenant, List.of(), List.of(dead, waits));

    assertThat(webhooks.backlog(state.id())).isEqualTo(new WebhookStore.Backlog(List.of(waits), 1));
    assertThat(webhooks.deliveries(tenant, state.id(), null, 1)).containsExactly(waits);
    assertThat(webhooks.deliveries(tenant, state.id(), waits.position(), 5)).containsExactly(dead);
    assertThat(webhooks.forget(NOW, 10)).isZero();
    assertThat(webhooks.forget(NOW.plusSeconds(1), 10)).isEqualTo(1);
    webhooks.replace(tenant, List.of(waits), List.of());
    assertThat(webhooks.deliveries(tenant, state.id(), null, 5)).isEmpty();
  }

  /** Fails when positions and deliveries outlive the document of their webhook. */
  @Test
  void allStateIsDeletedWithTheDocument() {
    assertThat(advanced(refused(event(1), NOW))).isTrue();
    stores.configs().remove(document);

    assertThat(webhooks.all()).noneMatch(each -> each.id().equals(state.id()));
    assertThat(webhooks.find(tenant, document.name())).isEmpty();
    assertThat(advanced(refused(event(2), NOW))).isFalse();
  }
}
