package dev.fairlead.work.webhook.service;

import dev.fairlead.kernel.keyring.SharedKey;
import dev.fairlead.kernel.loop.MonotonicClock;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.work.event.EventPosition;
import dev.fairlead.work.event.EventRecord;
import dev.fairlead.work.publisher.service.spi.TailedEvent;
import dev.fairlead.work.webhook.Webhook;
import dev.fairlead.work.webhook.WebhookAnswer;
import dev.fairlead.work.webhook.WebhookCalls;
import dev.fairlead.work.webhook.WebhookDelivery;
import dev.fairlead.work.webhook.WebhookDelivery.Subject;
import dev.fairlead.work.webhook.WebhookId;
import dev.fairlead.work.webhook.WebhookRound;
import dev.fairlead.work.webhook.WebhookSignature;
import dev.fairlead.work.webhook.WebhookState;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Signs events and sends them. A round calls one webhook, a few calls at a time, and touches no
 * database. A process that ends during a round loses its result, so the next one sends the events
 * of that round again.
 */
@Component
public class WebhookRounds {
  /** Calls to one webhook at a time. */
  private static final int LANES = 4;

  /** Maximum events of one object that a retry sends in a round. */
  static final int MOST_OF_OBJECT = 20;

  /** No call begins later in a round, so that its result is stored soon. */
  private static final Duration LONGEST = Duration.ofSeconds(5);

  private final WebhookCalls calls;
  private final SharedKey key;
  private final WebhookMessages messages;
  private final InstantSource clock;

  public WebhookRounds(
      WebhookCalls calls, SharedKey key, WebhookMessages messages, InstantSource clock) {
    this.calls = calls;
    this.key = key;
    this.messages = messages;
    this.clock = clock;
  }

  /**
   * The secret of that version.
   *
   * @throws Refusal UNAVAILABLE without a key file
   */
  byte[] secret(WebhookId webhook, int version) {
    return key.derived(WebhookSignature.purpose(webhook, version))
        .orElseThrow(() ->
            new Refusal(
                ProblemCode.UNAVAILABLE,
                "This installation has no signing key. An operator must set"
                    + " FAIRLEAD_KEY_FILE."));
  }

  /** Returns the reason why the address is never called, or null when it may be called. */
  @Nullable String refusal(String url, @Nullable String caData) {
    return calls.refuses(url, caData).orElse(null);
  }

  /** Sends one event now and returns the response of the receiver. */
  WebhookAnswer send(Webhook webhook, WebhookState.Secrets secrets, TailedEvent event) {
    try {
      Instant now = clock.instant();
      List<byte[]> signing = new ArrayList<>();
      signing.add(secret(webhook.id(), secrets.version()));
      Instant until = secrets.previousUntil();
      if (until != null && now.isBefore(until)) {
        signing.add(secret(webhook.id(), secrets.version() - 1));
      }
      byte[] body = event.written(messages::body);
      return calls.post(
          webhook.url(),
          webhook.caData(),
          WebhookSignature.headers(messages.id(event.event().position()), now, body, signing),
          body);
    } catch (RuntimeException failed) {
      return WebhookAnswer.none("the event could not be sent: " + failed.getMessage());
    }
  }

  /**
   * The events of an object that waits.
   *
   * @param events from the failed one, in order
   */
  record Retry(WebhookDelivery delivery, List<EventRecord> events) {}

  /**
   * The calls of a round.
   *
   * @param fresh events after the webhook's position that match its filter
   * @param through position after all events
   */
  record Work(
      Webhook webhook,
      WebhookState state,
      List<WebhookDelivery> waiting,
      int dead,
      List<Retry> retries,
      List<TailedEvent> fresh,
      EventPosition through) {}

  /**
   * Sends the calls of a round. Takes at most the time of the longest round and one call.
   *
   * @throws IllegalStateException when a call failed in an unexpected way: the round then has no
   *     result, and its events are sent again
   */
  WebhookRound.Result run(Work work, MonotonicClock monotonic) throws InterruptedException {
    Run run = new Run(work, monotonic);
    List<Future<?>> calls = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      work.retries().forEach(retry -> calls.add(threads.submit(() -> run.retry(retry))));
      run.flow(threads, calls);
    }
    for (Future<?> call : calls) {
      Run.awaitEnd(call);
    }
    return run.result();
  }

  private final class Run {
    private final Work work;
    private final WebhookRound round;
    private final MonotonicClock monotonic;
    private final long begunAt;
    private final Semaphore lanes = new Semaphore(LANES);
    private EventPosition through;

    Run(Work work, MonotonicClock monotonic) {
      this.work = work;
      this.round = new WebhookRound(work.state(), work.waiting(), work.dead());
      this.monotonic = monotonic;
      this.begunAt = monotonic.nanos();
      this.through = work.state().position();
    }

    WebhookRound.Result result() {
      synchronized (round) {
        return round.result(through, clock.instant());
      }
    }

    private boolean late() {
      return monotonic.nanos() - begunAt > LONGEST.toNanos();
    }

    /** Sends events in the order of the log. Events of one object wait for each other. */
    void flow(ExecutorService threads, List<Future<?>> calls) throws InterruptedException {
      Map<Subject, Future<?>> underWay = new HashMap<>();
      for (TailedEvent event : work.fresh()) {
        awaitEnd(underWay.remove(Subject.of(event.event())));
        lanes.acquire();
        boolean sends;
        synchronized (round) {
          if (late() || !round.flows()) {
            lanes.release();
            return;
          }
          sends = round.takes(event.event());
          if (sends) {
            round.calls();
          }
        }
        through = event.event().position();
        if (!sends) {
          lanes.release();
          continue;
        }
        Future<?> call =
            threads.submit(() -> {
              try {
                return sent(event, null);
              } finally {
                lanes.release();
              }
            });
        calls.add(call);
        underWay.put(Subject.of(event.event()), call);
      }
      through = work.through();
    }

    private static void awaitEnd(@Nullable Future<?> before) throws InterruptedException {
      if (before != null) {
        try {
          Object _ = before.get();
        } catch (ExecutionException failed) {
          throw new IllegalStateException(failed.getCause());
        }
      }
    }

    private boolean sent(TailedEvent event, @Nullable EventRecord next) {
      WebhookAnswer answer = send(work.webhook(), work.state().secrets(), event);
      synchronized (round) {
        return round.answered(event.event(), next, answer, clock.instant());
      }
    }

    boolean retry(Retry retry) throws InterruptedException {
      List<EventRecord> events = retry.events();
      EventRecord first = events.isEmpty() ? null : events.getFirst();
      if (first == null || !first.position().equals(retry.delivery().position())) {
        synchronized (round) {
          round.expired(retry.delivery(), first, clock.instant());
        }
        return false;
      }
      lanes.acquire();
      try {
        boolean more = true;
        for (int i = 0; more && i < Math.min(events.size(), MOST_OF_OBJECT); i++) {
          synchronized (round) {
            if (late() || !round.open()) {
              return false;
            }
            round.calls();
          }
          EventRecord next = i + 1 < events.size() ? events.get(i + 1) : null;
          more = sent(new TailedEvent(events.get(i)), next);
        }
        return more;
      } finally {
        lanes.release();
      }
    }
  }
}
