package dev.fairlead.work.webhook;

import dev.fairlead.work.event.EventPosition;
import dev.fairlead.work.event.EventRecord;
import dev.fairlead.work.webhook.WebhookDelivery.Subject;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One round of calls to one webhook: decides which event may be sent, and applies the result of
 * each response. It makes no call and reads no clock. Not thread-safe.
 *
 * <p>Order of an object's events: after a failure the object waits, and its later events are passed
 * over. They are read again from the log when the failed event is accepted.
 */
public final class WebhookRound {
  private final WebhookState begin;
  private final SortedMap<Subject, WebhookDelivery> before = new TreeMap<>();
  private final SortedMap<Subject, WebhookDelivery> waiting = new TreeMap<>();

  /** The first event of each object that was passed over in this round. */
  private final SortedMap<Subject, EventRecord> passedOver = new TreeMap<>();

  private final List<WebhookDelivery> dead = new ArrayList<>();
  private final int deadBefore;
  private WebhookState state;
  private int calls;

  /**
   * @param stored waiting deliveries, at most one per object
   * @param deadBefore number of dead letters of the webhook
   */
  public WebhookRound(WebhookState state, Collection<WebhookDelivery> stored, int deadBefore) {
    this.begin = state;
    this.state = state;
    this.deadBefore = deadBefore;
    stored.forEach(each -> before.put(each.subject(), each));
    waiting.putAll(before);
  }

  /**
   * Returns deliveries that are due for a retry. Deliveries past their last retry come first, then
   * the longest overdue. A failing webhook is probed with one event. While few objects wait, the
   * probe sends an untried event. With up to {@link WebhookState#MOST_PROBED} waiting objects,
   * every second probe does so. Events that the receiver never accepts therefore do not block all
   * others.
   *
   * @param untried whether events exist that were never sent
   */
  public List<WebhookDelivery> due(boolean untried, Instant now) {
    List<WebhookDelivery> inOrder =
        before.values().stream()
            .sorted(
                Comparator.comparing((WebhookDelivery each) -> !each.pastPatience(now))
                    .thenComparing(WebhookDelivery::nextAt)
                    .thenComparing(WebhookDelivery::subject))
            .toList();
    if (begin.probed() && before.size() >= WebhookState.PROBED && !(untried && probesUntried())) {
      return List.of(inOrder.getFirst());
    }
    return begin.probed() && untried
        ? List.of()
        : inOrder.stream().filter(each -> !each.nextAt().isAfter(now)).toList();
  }

  /** Returns whether another call may begin in this round. */
  public boolean open() {
    return state.status() == WebhookStatus.ACTIVE && (calls == 0 || !state.probed());
  }

  /** Returns whether events that were not tried yet may be sent. */
  public boolean flows() {
    return open()
        && waiting.size() < WebhookState.MOST_WAITING
        && (!begin.probed() || probesUntried());
  }

  private boolean probesUntried() {
    return waiting.size() < WebhookState.PROBED
        || before.size() < WebhookState.MOST_PROBED && begin.health().failures() % 2 == 0;
  }

  /**
   * Returns whether the event should be sent now. It is passed over while an earlier event of its
   * object waits.
   */
  public boolean takes(EventRecord event) {
    Subject subject = Subject.of(event);
    if (!waiting.containsKey(subject) && !passedOver.containsKey(subject)) {
      return true;
    }
    EventRecord _ = passedOver.putIfAbsent(subject, event);
    return false;
  }

  /** A call is about to begin. */
  public void calls() {
    calls++;
  }

  /**
   * After a call.
   *
   * @param next the next event of the object that waits for this event, or null if none
   * @return whether the next event of the object may be sent
   */
  public boolean answered(
      EventRecord event, @Nullable EventRecord next, WebhookAnswer answer, Instant now) {
    Subject subject = Subject.of(event);
    WebhookDelivery known = waiting.get(subject);
    WebhookDelivery failed =
        known != null && known.position().equals(event.position())
            ? known
            : WebhookDelivery.untried(begin.id(), event, now);
    state = state.answered(answer, failed.attempts() == 0 ? null : failed.firstAt(), now);
    if (answer.accepted()) {
      follow(subject, next, now);
      return true;
    }
    return kept(failed.refused(answer, now), next, now);
  }

  /**
   * Handles a delivery whose event is no longer in the log. The delivery continues with the next
   * event of its object.
   */
  public void expired(WebhookDelivery delivery, @Nullable EventRecord next, Instant now) {
    boolean _ = kept(delivery.expired(now), next, now);
  }

  private boolean kept(WebhookDelivery failed, @Nullable EventRecord next, Instant now) {
    /* A webhook that accepted nothing for three days is disabled, and its events remain unsent. */
    boolean givenUp = failed.dead() && state.status() == WebhookStatus.ACTIVE;
    if (!givenUp) {
      waiting.put(failed.subject(), failed.dead() ? failed.again(now) : failed);
      return false;
    }
    dead.add(failed);
    if (deadBefore + dead.size() > WebhookState.MOST_DEAD) {
      state = state.disabled("more than " + WebhookState.MOST_DEAD + " events were abandoned");
    }
    follow(failed.subject(), next, now);
    return true;
  }

  private void follow(Subject subject, @Nullable EventRecord next, Instant now) {
    if (next == null) {
      waiting.remove(subject);
    } else {
      waiting.put(subject, WebhookDelivery.untried(begin.id(), next, now));
    }
  }

  /**
   * The changes of a round.
   *
   * @param state to store, unless its epoch is an older epoch
   * @param removed deliveries that are no longer stored under their position
   * @param written new and changed deliveries, dead ones included
   * @param waiting all deliveries that wait after the round
   */
  public record Result(
      WebhookState state,
      List<WebhookDelivery> removed,
      List<WebhookDelivery> written,
      List<WebhookDelivery> waiting) {
    public Result {
      removed = List.copyOf(removed);
      written = List.copyOf(written);
      waiting = List.copyOf(waiting);
    }
  }

  /**
   * @param through every event up to here was sent, was passed over, or is not for this webhook
   */
  public Result result(EventPosition through, Instant now) {
    passedOver.forEach((subject, event) ->
        waiting.putIfAbsent(subject, WebhookDelivery.untried(begin.id(), event, now)));
    if (begin.probed() && !state.probed()) {
      waiting.replaceAll((subject, each) -> each.at(now));
    }
    List<WebhookDelivery> removed = new ArrayList<>();
    before.forEach((subject, old) -> {
      WebhookDelivery left = waiting.get(subject);
      if (left == null || !left.position().equals(old.position())) {
        removed.add(old);
      }
    });
    List<WebhookDelivery> written = new ArrayList<>(dead);
    waiting.values().stream()
        .filter(each -> !each.equals(before.get(each.subject())))
        .forEach(written::add);
    return new Result(state.moved(through), removed, written, List.copyOf(waiting.values()));
  }
}
