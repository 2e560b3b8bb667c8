package dev.fairlead.work.workload.service.contact;

import dev.fairlead.fleet.cluster.Capabilities;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterEvent;
import dev.fairlead.fleet.cluster.ClusterLifecycle;
import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.loop.MonotonicClock;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.Contact;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Tracks whether one cluster answers, and stores that in its row. The scheduler does not use a
 * cluster until its row records a response. Thread-safe, because a pass may itself be waiting for
 * the cluster.
 */
public final class ClusterContact {
  public static final Duration UNREACHABLE_AFTER = Duration.ofSeconds(60);

  /**
   * Time without a response after which a cluster gets no new work. It is called every two seconds
   * and checked every second, so the change is stored within five seconds of the last response.
   */
  static final Duration UNANSWERED = Duration.ofSeconds(4);

  /** Time after which attempts that were not sent to their cluster are planned elsewhere. */
  static final Duration SHUT = Duration.ofSeconds(5);

  /** Interval of checks of an unchanged state, because another process may have changed the row. */
  private static final Duration TAKE = Duration.ofSeconds(1);

  private static final int TAKEN_AT_ONCE = 10;

  /** Interval at which an unchanged contact is stored. */
  private static final Duration NOTE_CONTACT = Duration.ofSeconds(15);

  /** Time for which a refusal is shown. The scheduler skips the cluster for a shorter time. */
  private static final Duration REFUSED = Duration.ofMinutes(3);

  private final ClusterId id;
  private final InventoryStore inventory;
  private final Transactions transactions;
  private final MonotonicClock clock;
  private final Map<ProjectId, Refused> refused = new TreeMap<>();
  private final TokenBucket notes;
  private boolean silent;
  private @Nullable String heldBack;
  private @Nullable String warning;

  /** Whether the cluster has reported its active database. */
  private boolean told;

  private long heldBackAt;
  private @Nullable String shut;
  private @Nullable Instant answeredAt;
  private @Nullable Noted noted;
  private long notedAt;

  ClusterContact(
      ClusterId id, InventoryStore inventory, Transactions transactions, MonotonicClock clock) {
    this.id = id;
    this.inventory = inventory;
    this.transactions = transactions;
    this.clock = clock;
    this.notes = new TokenBucket(TAKEN_AT_ONCE, TAKE, clock);
  }

  /**
   * State of the cluster for its row. A refusal is shown and does not affect other projects.
   *
   * @param unanswered whether it has not answered for {@link #UNANSWERED}
   */
  private record Noted(
      Capabilities capabilities,
      @Nullable String trouble,
      boolean unanswered,
      boolean degraded,
      boolean silent) {}

  /** A message of the API server with its time. */
  private record Refused(String message, long atNanos) {}

  /** Returns whether the cluster has never answered, or not for {@link #UNREACHABLE_AFTER}. */
  synchronized boolean silent() {
    return silent;
  }

  /** Returns whether the cluster has not answered for {@link #UNANSWERED}, as last stored. */
  public synchronized boolean unanswered() {
    return noted != null && noted.unanswered();
  }

  /** The reason why nothing was sent for {@link #SHUT} or longer, null while sending is allowed. */
  public synchronized @Nullable String shut() {
    return shut;
  }

  /** The cluster refuses pods of the project, with this message. */
  public synchronized void refuses(ProjectId project, String message) {
    refused.put(project, new Refused(message, clock.nanos()));
  }

  /** A launch for the project succeeded. */
  public synchronized void takes(ProjectId project, AttemptState state) {
    if (state == AttemptState.LAUNCHING) {
      refused.remove(project);
    }
  }

  /**
   * Shows this text, null if none. It does not affect the state of the cluster, and a reason that
   * does takes precedence.
   */
  public synchronized void warn(@Nullable String text) {
    warning = text;
  }

  /** Forgets the stored state, which another process may have changed. */
  synchronized void forget() {
    noted = null;
    heldBack = null;
    warning = null;
    told = false;
  }

  /**
   * Stores changes of the contact.
   *
   * @param why the reason why nothing may be done on the cluster, null when it may
   * @return whether it has become silent, or answers again
   */
  synchronized boolean look(
      HeldLease lease, ClusterGateway gateway, @Nullable String why, Instant now) {
    if (heldBack == null) {
      heldBackAt = clock.nanos();
    }
    heldBack = why;
    told |= why == null || Cluster.onlyReported(why);
    Contact contact = gateway.contact();
    boolean wasSilent = silent;
    silent = !contact.synced() || contact.silentMillis() >= UNREACHABLE_AFTER.toMillis();
    note(lease, gateway, contact, now);
    shut = shut(contact);
    return wasSilent != silent;
  }

  /**
   * Stores that the cluster does not respond, even while a pass waits for a response.
   *
   * @param now returns the database's time
   */
  public synchronized void beat(HeldLease lease, ClusterGateway gateway, Supplier<Instant> now) {
    Contact contact = gateway.contact();
    if (noted != null && !noted.unanswered() && unanswered(contact)) {
      note(lease, gateway, contact, now.get());
    }
  }

  private static boolean unanswered(Contact contact) {
    return contact.silentMillis() >= UNANSWERED.toMillis();
  }

  private @Nullable String shut(Contact contact) {
    if (heldBack != null) {
      return clock.nanos() - heldBackAt >= SHUT.toNanos() ? heldBack : null;
    }
    return contact.silentMillis() >= SHUT.toMillis()
        ? unanswered(answeredAt, contact.trouble())
        : null;
  }

  private static String unanswered(@Nullable Instant since, @Nullable String trouble) {
    return Cluster.UNANSWERED
        + (since == null ? " yet" : " since " + since)
        + (trouble == null ? "" : " (" + trouble + ")");
  }

  private void note(HeldLease lease, ClusterGateway gateway, Contact contact, Instant now) {
    boolean unanswered = unanswered(contact);
    if (!unanswered) {
      answeredAt = null;
    } else if (answeredAt == null && contact.synced()) {
      answeredAt = now.minusMillis(contact.silentMillis()).truncatedTo(ChronoUnit.SECONDS);
    }
    String trouble =
        contact.trouble() == null || Cluster.onlyReported(heldBack) ? heldBack : contact.trouble();
    Capabilities capabilities = gateway.capabilities();
    String shown = trouble == null && !unanswered ? shown() : trouble;
    note(
        lease,
        new Noted(
            capabilities,
            shown == null && !unanswered
                ? capabilities.reasons().get(Capabilities.GPU_MODELS)
                : shown,
            unanswered,
            unanswered || trouble != null,
            silent),
        now);
  }

  private @Nullable String shown() {
    return warning == null ? refusal() : warning;
  }

  /** The newest refusal that still counts, null if none. */
  private @Nullable String refusal() {
    long now = clock.nanos();
    refused.values().removeIf(r -> now - r.atNanos() >= REFUSED.toNanos());
    return refused.values().stream()
        .max(Comparator.comparingLong(Refused::atNanos))
        .map(newest -> "refuses pods (other projects may be unaffected): " + newest.message())
        .orElse(null);
  }

  /**
   * Stores the state if it changed. Also checks an unchanged state from time to time, because
   * another process may have changed the row.
   */
  private void note(HeldLease lease, Noted shown, Instant now) {
    long nanos = clock.nanos();
    boolean old = noted == null || nanos - notedAt >= TAKE.toNanos();
    boolean fallen = shown.unanswered() && noted != null && !noted.unanswered();
    if (old || fallen || !shown.equals(noted) && notes.take()) {
      transactions.runFenced(lease, () -> store(shown, now));
      noted = shown;
      notedAt = nanos;
    }
  }

  private void store(Noted shown, Instant now) {
    Cluster cluster = inventory.cluster(id).orElse(null);
    if (cluster == null) {
      return;
    }
    ClusterEvent event =
        shown.silent()
            ? ClusterEvent.SILENCE
            : shown.degraded() ? ClusterEvent.TROUBLE : ClusterEvent.CONTACT;
    ClusterState next = ClusterLifecycle.TABLE.next(cluster.state(), event).orElse(cluster.state());
    Instant seen = seen(shown, cluster.lastSeenAt(), now);
    String trouble = trouble(shown, cluster, seen);
    Capabilities can = known(shown, cluster.capabilities());
    boolean changed =
        next != cluster.state()
            || !Objects.equals(cluster.trouble(), trouble)
            || !cluster.capabilities().equals(can);
    if (changed) {
      inventory.update(cluster.moved(next, seen, trouble, can));
    } else if (seen != null && due(cluster.lastSeenAt(), seen)) {
      inventory.seen(id, seen);
    }
  }

  /** A cluster is reported as read-only until it confirms this database as its active one. */
  private @Nullable String trouble(Noted shown, Cluster cluster, @Nullable Instant seen) {
    if (Cluster.onlyReported(shown.trouble())) {
      return shown.trouble();
    }
    boolean asked = heldBack == null && !shown.unanswered() && !shown.silent();
    if (cluster.onlyReported() && !asked) {
      return cluster.trouble();
    }
    return shown.unanswered() ? unanswered(seen, shown.trouble()) : shown.trouble();
  }

  /**
   * A connection that is not open yet lists no nodes. That proves nothing about their labels and
   * taints, which prevent the removal of a cluster.
   */
  private static Capabilities known(Noted shown, Capabilities before) {
    Capabilities can = shown.capabilities();
    boolean told = can.nodeLabelsAndTaints() != Capabilities.Presence.UNKNOWN || !shown.silent();
    return told ? can : can.with(before.nodeLabelsAndTaints());
  }

  /**
   * Time of the last known response. A response that does not name the cluster's active database
   * does not count as contact. Other processes would take it as proof for this database.
   */
  private @Nullable Instant seen(Noted shown, @Nullable Instant before, Instant now) {
    if (!told) {
      return before;
    }
    if (!shown.unanswered() && !shown.silent()) {
      return now;
    }
    Instant last = answeredAt;
    return last != null && (before == null || last.isAfter(before)) ? last : before;
  }

  /** After the database's clock was set back, the last contact is later than the current one. */
  private static boolean due(@Nullable Instant last, Instant seen) {
    return last == null || Duration.between(last, seen).abs().compareTo(NOTE_CONTACT) >= 0;
  }
}
