package dev.fairlead.work.webhook.service;

import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.identity.IdSource;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Permissions;
import dev.fairlead.work.event.EventLog;
import dev.fairlead.work.event.EventPosition;
import dev.fairlead.work.event.EventRecord;
import dev.fairlead.work.event.EventRecordBuilder;
import dev.fairlead.work.event.Fact;
import dev.fairlead.work.publisher.service.spi.TailedEvent;
import dev.fairlead.work.webhook.Webhook;
import dev.fairlead.work.webhook.WebhookAnswer;
import dev.fairlead.work.webhook.WebhookDelivery;
import dev.fairlead.work.webhook.WebhookSignature;
import dev.fairlead.work.webhook.WebhookState;
import dev.fairlead.work.webhook.WebhookStore;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Orders of an owner for an existing webhook: pause, resume, rotate, replay and test. */
@Service
public class WebhookOrders {
  private static final int MOST_ROWS = WebhookState.MOST_WAITING + WebhookState.MOST_DEAD + 1;

  private final Transactions transactions;
  private final Webhooks webhooks;
  private final WebhookStore store;
  private final EventLog log;
  private final WebhookRounds sender;
  private final WebhookMessages messages;
  private final AuditLog audit;
  private final IdSource ids;
  private final InstantSource clock;

  public WebhookOrders(
      Transactions transactions,
      Webhooks webhooks,
      WebhookStore store,
      EventLog log,
      WebhookRounds sender,
      WebhookMessages messages,
      AuditLog audit,
      IdSource ids,
      InstantSource clock) {
    this.transactions = transactions;
    this.webhooks = webhooks;
    this.store = store;
    this.log = log;
    this.sender = sender;
    this.messages = messages;
    this.audit = audit;
    this.ids = ids;
    this.clock = clock;
  }

  /**
   * The webhook of an order.
   *
   * @param project name, or null for a webhook of the tenant itself
   * @param validateOnly the order is checked and not stored
   */
  public record Order(@Nullable String project, String name, boolean validateOnly) {}

  /**
   * Stops the calls. Events wait in the log for seven days.
   *
   * @throws Refusal FORBIDDEN, NOT_FOUND
   */
  public WebhookView pause(Actor actor, Order order) {
    return ordered(
        actor, "pauseWebhook", order, state -> state.paused("paused by " + actor.name()));
  }

  /**
   * Sends the events since the pause, and retries the failed events.
   *
   * @throws Refusal FORBIDDEN, NOT_FOUND, or POSITION_EXPIRED when some of the events left the log
   */
  public WebhookView resume(Actor actor, Order order) {
    return ordered(
        actor,
        "resumeWebhook",
        order,
        state -> {
          if (lost(state.position())) {
            throw new Refusal(
                ProblemCode.POSITION_EXPIRED,
                "Events that were not sent have left the log, which has them for seven days."
                    + " Choose by a replay where to continue, then resume the webhook.");
          }
          Instant now = clock.instant();
          List<WebhookDelivery> waiting =
              rows(state).stream().filter(each -> !each.dead()).map(d -> d.again(now)).toList();
          store.replace(state.tenant(), List.of(), waiting);
          return state.resumed(now);
        });
  }

  /**
   * Creates another secret and returns it. The previous secret also signs for the overlap.
   *
   * @throws Refusal FORBIDDEN, NOT_FOUND
   */
  public WebhookView rotate(Actor actor, Order order, Duration overlap) {
    AtomicReference<String> secret = new AtomicReference<>();
    WebhookView view =
        ordered(
            actor,
            "rotateWebhookSecret",
            order,
            state -> {
              WebhookState next = state.rotated(overlap, clock.instant());
              secret.set(WebhookSignature.text(sender.secret(next.id(), next.secrets().version())));
              return next;
            });
    return order.validateOnly() ? view : view.with(secret.get());
  }

  /**
   * Sends the events after the position again.
   *
   * @throws Refusal FORBIDDEN, NOT_FOUND, POSITION_EXPIRED when some of the events left the log, or
   *     ILLEGAL_STATE for a position that the webhook has not reached
   */
  public WebhookView replay(Actor actor, Order order, EventPosition from) {
    return ordered(
        actor,
        "replayWebhook",
        order,
        state -> {
          if (lost(from)) {
            throw new Refusal(
                ProblemCode.POSITION_EXPIRED,
                "Events after this position have expired (retention is seven days).");
          }
          if (from.compareTo(state.position()) > 0 && !lost(state.position())) {
            throw new Refusal(
                ProblemCode.ILLEGAL_STATE,
                "The webhook has not reached this position and sends the earlier events"
                    + " first.");
          }
          List<WebhookDelivery> again =
              rows(state).stream().filter(each -> each.position().compareTo(from) > 0).toList();
          store.replace(state.tenant(), again, List.of());
          return state.replayed(from, clock.instant());
        });
  }

  /**
   * Sends a failed event again, and then the later events of its object in their order.
   *
   * @throws Refusal FORBIDDEN, or NOT_FOUND also for an event without a failed delivery
   */
  public WebhookView retry(Actor actor, Order order, EventPosition event) {
    return ordered(
        actor,
        "replayWebhook",
        order,
        state -> {
          List<WebhookDelivery> rows = rows(state);
          WebhookDelivery failed =
              rows.stream()
                  .filter(each -> each.position().equals(event))
                  .findFirst()
                  .orElseThrow(() ->
                      new Refusal(
                          ProblemCode.NOT_FOUND,
                          "The event is not among the failed deliveries of this webhook."));
          Instant now = clock.instant();
          List<WebhookDelivery> removed = new ArrayList<>();
          WebhookDelivery from = failed;
          for (WebhookDelivery each : rows) {
            if (!each.dead() && each.subject().equals(failed.subject())) {
              removed.add(each);
              from = each.position().compareTo(from.position()) < 0 ? each : from;
            }
          }
          removed.add(failed);
          store.replace(state.tenant(), removed, List.of(from.again(now)));
          return state.replayed(state.position(), now);
        });
  }

  /** The position before the first event since that time. */
  public EventPosition since(Instant time) {
    EventPosition head = log.head(); // a head read later may already be after an event of that time
    return log.firstSince(time)
        .map(at -> new EventPosition(at.transaction(), at.sequence() - 1))
        .orElse(head);
  }

  /**
   * Sends one event of type {@code WebhookTest} now, regardless of the status of the webhook.
   *
   * @throws Refusal FORBIDDEN, NOT_FOUND
   */
  public WebhookView.TestAnswer test(Actor actor, Order order) {
    Permissions.require(actor, "testWebhook");
    ConfigDocument<Webhook> document =
        transactions.read(() -> webhooks.found(actor, order.project(), order.name()));
    WebhookState state = store.find(actor.tenant(), document.name()).orElseThrow();
    UUID unique = ids.next();
    Instant begin = clock.instant();
    EventRecord event =
        EventRecordBuilder.builder()
            .position(
                new EventPosition(
                    unique.getMostSignificantBits(), unique.getLeastSignificantBits()))
            .at(begin)
            .fact(Fact.of("WebhookTest"))
            .subject(IdKind.WEBHOOK)
            .subjectId(document.value().id().value())
            .version(document.version())
            .actor(actor.name())
            .tenant(actor.tenant())
            .project(document.project())
            .context(null)
            .build();
    WebhookAnswer answer = sender.send(document.value(), state.secrets(), new TailedEvent(event));
    SortedMap<String, Object> detail = new TreeMap<>();
    detail.put("status", answer.status());
    audit.append(new AuditRecord(actor, "testWebhook", document.name(), true, detail));
    return new WebhookView.TestAnswer(
        answer.accepted(),
        answer.status() == 0 ? null : answer.status(),
        answer.text(),
        Duration.between(begin, clock.instant()).toMillis());
  }

  /**
   * Failed deliveries, the newest event first.
   *
   * @param before only deliveries of earlier events, or null for all
   * @throws Refusal FORBIDDEN, NOT_FOUND
   */
  public List<WebhookView.Delivery> deliveries(
      Actor actor, Order order, @Nullable EventPosition before, int limit) {
    Permissions.require(actor, "listWebhookDeliveries");
    return transactions.read(() -> {
      ConfigDocument<Webhook> document = webhooks.found(actor, order.project(), order.name());
      return store.deliveries(actor.tenant(), document.value().id(), before, limit).stream()
          .map(each -> WebhookView.Delivery.of(each, messages))
          .toList();
    });
  }

  private WebhookView ordered(
      Actor actor, String operation, Order order, UnaryOperator<WebhookState> change) {
    Permissions.require(actor, operation);
    return transactions.callOrTry(
        order.validateOnly(),
        () -> {
          ConfigDocument<Webhook> document = webhooks.found(actor, order.project(), order.name());
          WebhookState next = change.apply(webhooks.state(actor, document));
          store.update(next);
          SortedMap<String, Object> detail = new TreeMap<>();
          detail.put("status", next.status().name());
          audit.append(new AuditRecord(actor, operation, document.name(), true, detail));
          return webhooks.view(document, next);
        });
  }

  private List<WebhookDelivery> rows(WebhookState state) {
    return store.deliveries(state.tenant(), state.id(), null, MOST_ROWS);
  }

  private boolean lost(EventPosition position) {
    return log.floor().compareTo(position) > 0;
  }
}
