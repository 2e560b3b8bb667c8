package dev.fairlead.work.webhook.service;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.cluster.OwnClusters;
import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.config.ConfigStore;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.loop.LeasedLoop;
import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.kernel.loop.MonotonicClock;
import dev.fairlead.kernel.loop.Recurring;
import dev.fairlead.kernel.meter.GaugeRows;
import dev.fairlead.kernel.metric.Metric;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.work.event.EventLog;
import dev.fairlead.work.event.WakeUps;
import dev.fairlead.work.webhook.Webhook;
import dev.fairlead.work.webhook.WebhookDelivery;
import dev.fairlead.work.webhook.WebhookId;
import dev.fairlead.work.webhook.WebhookRound;
import dev.fairlead.work.webhook.WebhookState;
import dev.fairlead.work.webhook.WebhookStatus;
import dev.fairlead.work.webhook.WebhookStore;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Sends events to webhooks. A pass stores the results of the rounds that ended and begins a round
 * for each webhook with work. Each webhook has a thread for its rounds, so a slow webhook delays no
 * other. The thread of the loop runs all statements.
 */
@Component
public class WebhookLoop extends LeasedLoop {
  private static final Logger LOG = LoggerFactory.getLogger(WebhookLoop.class);
  private static final Duration IDLE = Duration.ofSeconds(1);
  private static final Duration SENDING = Duration.ofMillis(50);
  private static final Duration LOOK_EVERY = Duration.ofSeconds(1);
  private static final Duration SAVE_EVERY = Duration.ofSeconds(30);
  private static final Duration FORGET_EVERY = Duration.ofMinutes(10);
  private static final Duration KEPT_FOR = Duration.ofDays(7);
  private static final Duration LAST_ROUNDS = Duration.ofSeconds(15);
  private static final Duration REST = Duration.ofMinutes(1);
  private static final int MOST_FORGOTTEN = 1_000;

  /**
   * Rounds that began within {@link #BEGINNING} and have not ended. If more begin together, the TLS
   * handshakes of a new process take so long that calls time out. Webhooks whose last round took
   * longer have the same number of separate slots, so that they do not delay others.
   */
  private static final int MOST_BEGINNING = 64;

  private static final Duration BEGINNING = Duration.ofSeconds(2);

  private final WebhookStore store;
  private final ConfigStore documents;
  private final InventoryStore inventory;
  private final WebhookRounds sender;
  private final WebhookEvents events;
  private final Transactions transactions;
  private final InstantSource clock;
  private final MonotonicClock monotonic;
  private final MeterRegistry metrics;
  private final GaugeRows lag;
  private final GaugeRows disabled;
  private final OwnClusters own = new OwnClusters();
  private final Recurring look;
  private final Recurring forget;
  private final SortedMap<WebhookId, Endpoint> endpoints = new TreeMap<>();
  private boolean acting;
  private long turns;

  public WebhookLoop(
      Leases leases,
      WebhookStore store,
      ConfigStore documents,
      InventoryStore inventory,
      WebhookRounds sender,
      EventLog log,
      Transactions transactions,
      InstantSource clock,
      MeterRegistry metrics) {
    super("webhooks", "background", IDLE, leases);
    this.store = store;
    this.documents = documents;
    this.inventory = inventory;
    this.sender = sender;
    this.events = new WebhookEvents(log);
    this.transactions = transactions;
    this.clock = clock;
    this.monotonic = leases.clock();
    this.metrics = metrics;
    this.lag = new GaugeRows(metrics, Metric.WEBHOOK_LAG);
    this.disabled = new GaugeRows(metrics, Metric.WEBHOOKS_DISABLED);
    this.look = Recurring.fromNowOn(monotonic, LOOK_EVERY);
    this.forget = Recurring.after(monotonic, FORGET_EVERY);
  }

  /** Local state of a webhook in this process. */
  private static final class Endpoint {
    private ConfigDocument<Webhook> document;
    private WebhookState state;
    private List<WebhookDelivery> waiting;
    private int dead;
    private @Nullable FutureTask<WebhookRound.Result> round;
    private long begunAt;
    private boolean slow;
    private @Nullable Instant unsavedSince;

    /** Time of the oldest event that is not sent yet, or null when all are sent. */
    private @Nullable Instant oldest;

    /** Time before which no round begins, because a defect of this process failed a round. */
    private @Nullable Instant restsUntil;

    /** Turn of the last read of its events. If several lag, the least recently read come first. */
    private long servedAt;

    /** Status in the database. A pause by its owner holds before the rows are read again. */
    private WebhookStatus wanted;

    /** Whether old rows were deleted, so that the number of dead letters must be read again. */
    private boolean pruned;

    Endpoint(ConfigDocument<Webhook> document, WebhookState state, WebhookStore.Backlog backlog) {
      this.document = document;
      this.state = state;
      this.waiting = backlog.waiting();
      this.dead = backlog.dead();
      this.wanted = state.status();
    }

    /** Returns whether the owner made a change that the rows in memory do not have. */
    boolean outdated(WebhookState stored) {
      return pruned || stored.epoch() != state.epoch() || stored.status() != state.status();
    }
  }

  @Override
  public Duration idle() {
    boolean sending = endpoints.values().stream().anyMatch(each -> each.round != null);
    return sending ? SENDING : super.idle();
  }

  @Override
  public Set<WakeUps.Topic> wakesOn() {
    return Set.of(WakeUps.Topic.JOBS, WakeUps.Topic.ATTEMPTS, WakeUps.Topic.SETTINGS);
  }

  @Override
  protected boolean turn(HeldLease lease) {
    turns++;
    collect(lease);
    boolean looked = look.due();
    if (looked) {
      acting = acts();
      events.look();
      load();
      look.done();
    }
    if (forget.due()) {
      int _ =
          transactions.callFenced(
              lease, () -> store.forget(clock.instant().minus(KEPT_FOR), MOST_FORGOTTEN));
      endpoints.values().forEach(each -> each.pruned = true);
      forget.done();
    }
    boolean more = !endpoints.isEmpty() && events.tick();
    if (acting) {
      beginRounds();
    }
    show();
    if (looked && endpoints.isEmpty()) {
      quiet();
    }
    return more;
  }

  @Override
  protected void forget() {
    endpoints.clear();
    events.forget();
    own.forget();
    lag.show(Map.of());
    disabled.show(Map.of());
  }

  /** Waits for rounds to end and stores their results, so that the next process repeats nothing. */
  @Override
  public void close() {
    awaitRounds();
    try {
      keeper().tick().ifPresent(this::collect);
    } finally {
      super.close();
    }
  }

  /** Waits until the rounds under way end, at most for a while. */
  void awaitRounds() {
    long end = monotonic.nanos() + LAST_ROUNDS.toNanos();
    for (Endpoint endpoint : endpoints.values()) {
      FutureTask<WebhookRound.Result> round = endpoint.round;
      if (round != null) {
        try {
          WebhookRound.Result _ =
              round.get(Math.max(0, end - monotonic.nanos()), TimeUnit.NANOSECONDS);
        } catch (ExecutionException | TimeoutException failed) {
          LOG.debug(
              "a delivery round of webhook {} has no result", endpoint.state.id().text(), failed);
        } catch (InterruptedException ending) {
          Thread.currentThread().interrupt();
        }
      }
    }
  }

  /**
   * A copy of an installation's database sends nothing, because no cluster accepts its commands.
   */
  private boolean acts() {
    List<Cluster> enabled =
        inventory.clusters().stream()
            .filter(cluster -> cluster.state() != ClusterState.DISABLED)
            .toList();
    return enabled.isEmpty() || !own.among(enabled).isEmpty();
  }

  private void load() {
    Map<String, ConfigDocument<Webhook>> configured = new HashMap<>();
    documents.all(Webhook.DOCUMENTS).forEach(each -> configured.put(each.name(), each));
    Set<WebhookId> known = new HashSet<>();
    for (WebhookState stored : store.all()) {
      ConfigDocument<Webhook> document = configured.get(stored.document());
      if (document != null) {
        known.add(stored.id());
        load(document, stored);
      }
    }
    endpoints.keySet().retainAll(known);
  }

  private void load(ConfigDocument<Webhook> document, WebhookState stored) {
    Endpoint endpoint = endpoints.get(stored.id());
    if (endpoint == null || endpoint.round == null && endpoint.outdated(stored)) {
      endpoints.put(stored.id(), new Endpoint(document, stored, store.backlog(stored.id())));
    } else {
      endpoint.document = document;
      endpoint.wanted = stored.status();
      endpoint.state = endpoint.state.with(stored.secrets());
    }
  }

  /** The least recently served webhooks first. */
  private void beginRounds() {
    Map<Boolean, Integer> free = new HashMap<>(Map.of(true, MOST_BEGINNING, false, MOST_BEGINNING));
    endpoints.values().stream()
        .filter(this::beginning)
        .forEach(each -> free.merge(each.slow, -1, Integer::sum));
    for (Endpoint each :
        endpoints.values().stream()
            .sorted(Comparator.comparingLong(each -> each.servedAt))
            .toList()) {
      if (each.round == null && free.getOrDefault(each.slow, 0) > 0) {
        begin(each);
        Integer _ = free.merge(each.slow, each.round == null ? 0 : -1, Integer::sum);
      }
    }
  }

  private boolean beginning(Endpoint endpoint) {
    FutureTask<WebhookRound.Result> round = endpoint.round;
    return round != null
        && !round.isDone()
        && monotonic.nanos() - endpoint.begunAt < BEGINNING.toNanos();
  }

  /** Begins a round if the webhook has no round and has work. */
  private void begin(Endpoint endpoint) {
    Instant now = clock.instant();
    WebhookState state = endpoint.state;
    Instant rest = endpoint.restsUntil;
    if (rest != null && now.isBefore(rest)
        || state.status() != WebhookStatus.ACTIVE
        || endpoint.wanted != WebhookStatus.ACTIVE
        || state.health().nextAt().isAfter(now)) {
      return;
    }
    if (events.lost(state.position())) {
      endpoint.state =
          state.disabled(
              "events left the log before they were sent. Choose where to continue by a replay.");
      endpoint.unsavedSince = Instant.EPOCH;
      return;
    }
    WebhookRound plan = new WebhookRound(state, endpoint.waiting, endpoint.dead);
    WebhookEvents.Fresh fresh = events.fresh(state, Webhook.filter(endpoint.document));
    if (!fresh.skipped()) {
      endpoint.servedAt = turns;
      endpoint.oldest = fresh.events().isEmpty() ? null : fresh.events().getFirst().event().at();
    }
    List<WebhookRounds.Retry> retries =
        plan.due(!fresh.events().isEmpty(), now).stream()
            .limit(WebhookEvents.RETRIES)
            .map(due -> events.behind(due, state, Webhook.filter(endpoint.document)))
            .toList();
    boolean sends = !retries.isEmpty() || plan.flows() && !fresh.events().isEmpty();
    if (sends) {
      WebhookRounds.Work work =
          new WebhookRounds.Work(
              endpoint.document.value(),
              state,
              endpoint.waiting,
              endpoint.dead,
              retries,
              fresh.events(),
              fresh.through());
      FutureTask<WebhookRound.Result> round = new FutureTask<>(() -> sender.run(work, monotonic));
      endpoint.round = round;
      endpoint.begunAt = monotonic.nanos();
      Thread _ = Thread.ofVirtual().name("webhook-" + state.id().bare()).start(round);
    } else if (fresh.events().isEmpty() && !fresh.through().equals(state.position())) {
      endpoint.state = state.moved(fresh.through());
      endpoint.unsavedSince = endpoint.unsavedSince == null ? now : endpoint.unsavedSince;
    }
  }

  /** Stores the changes of ended rounds, and positions that only passed foreign events. */
  private void collect(HeldLease lease) {
    Instant now = clock.instant();
    Map<Endpoint, WebhookRound.Result> ended = new LinkedHashMap<>();
    for (Endpoint endpoint : endpoints.values()) {
      FutureTask<WebhookRound.Result> round = endpoint.round;
      Instant unsaved = endpoint.unsavedSince;
      if (round != null && round.isDone()) {
        endpoint.round = null;
        endpoint.slow = monotonic.nanos() - endpoint.begunAt > BEGINNING.toNanos();
        result(endpoint, round).ifPresent(result -> ended.put(endpoint, result));
      } else if (round == null && unsaved != null && unsaved.isBefore(now.minus(SAVE_EVERY))) {
        ended.put(
            endpoint,
            new WebhookRound.Result(endpoint.state, List.of(), List.of(), endpoint.waiting));
      }
    }
    if (ended.isEmpty()) {
      return;
    }
    Set<WebhookId> stored = transactions.callFenced(lease, () -> store.advance(ended.values()));
    ended.forEach((endpoint, result) -> {
      if (stored.contains(result.state().id())) {
        take(endpoint, result);
      } else {
        endpoints.remove(result.state().id());
      }
    });
  }

  private Optional<WebhookRound.Result> result(
      Endpoint endpoint, FutureTask<WebhookRound.Result> round) {
    try {
      return Optional.of(round.get());
    } catch (ExecutionException failed) {
      LOG.warn("a round of webhook {} failed", endpoint.state.id().text(), failed.getCause());
      passOver(1);
      endpoint.restsUntil = clock.instant().plus(REST);
    } catch (InterruptedException ending) {
      Thread.currentThread().interrupt();
    }
    return Optional.empty();
  }

  private void take(Endpoint endpoint, WebhookRound.Result result) {
    WebhookState before = endpoint.state;
    List<WebhookDelivery> dead = result.written().stream().filter(WebhookDelivery::dead).toList();
    count("delivered", result.state().health().delivered() - before.health().delivered());
    count("dead", dead.size());
    count("failed", result.written().stream().filter(each -> failedNow(each, endpoint)).count());
    if (result.state().status() == WebhookStatus.DISABLED) {
      LOG.warn(
          "webhook={} document={} is disabled: {}",
          before.id().text(),
          before.document(),
          result.state().reason());
    }
    endpoint.state = result.state().with(before.secrets());
    endpoint.waiting = result.waiting();
    endpoint.dead += dead.size();
    endpoint.unsavedSince = null;
  }

  private static boolean failedNow(WebhookDelivery written, Endpoint endpoint) {
    return !written.dead() && written.attempts() > 0 && !endpoint.waiting.contains(written);
  }

  private void count(String outcome, long number) {
    if (number > 0) {
      metrics
          .counter(Metric.WEBHOOK_DELIVERIES.meter(), Metric.WEBHOOK_DELIVERIES.tags(outcome))
          .increment((double) number);
    }
  }

  private void show() {
    Instant now = clock.instant();
    Instant oldest = now;
    long broken = 0;
    for (Endpoint endpoint : endpoints.values()) {
      if (endpoint.state.status() == WebhookStatus.DISABLED) {
        broken++;
      } else if (endpoint.state.status() == WebhookStatus.ACTIVE) {
        oldest = earlier(oldest, endpoint.oldest);
        oldest = earlier(oldest, first(endpoint.waiting));
      }
    }
    double seconds = Duration.between(oldest, now).toMillis() / 1000.0;
    double count = broken;
    lag.show(Map.<List<String>, DoubleSupplier>of(List.of(), () -> seconds));
    disabled.show(Map.<List<String>, DoubleSupplier>of(List.of(), () -> count));
  }

  private static @Nullable Instant first(Collection<WebhookDelivery> waiting) {
    return waiting.stream()
        .map(WebhookDelivery::eventAt)
        .min(Comparator.naturalOrder())
        .orElse(null);
  }

  private static Instant earlier(Instant one, @Nullable Instant other) {
    return other != null && other.isBefore(one) ? other : one;
  }
}
