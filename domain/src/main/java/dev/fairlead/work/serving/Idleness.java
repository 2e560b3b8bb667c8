package dev.fairlead.work.serving;

import dev.fairlead.kernel.resources.DurationText;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Whether a service with {@code minReplicas: 0} sleeps, and the measurements behind it. It is
 * stored with the service.
 *
 * <p>A service sleeps only on evidence: a count of its requests that is {@code idleAfter} later
 * than its last use and has not changed since. A count that cannot be read is not evidence. Before
 * the replicas stop, the route leaves them until a count that is {@link #CLOSING_FOR} later has not
 * changed either. A request during this time returns the traffic without a start.
 *
 * @param phase whether replicas should run
 * @param since start of the phase
 * @param usedAt time of its last use, at most {@link #GRANULARITY} too early: a request was
 *     counted, it was woken, a floor applied, or its replicas became ready
 * @param requests counted requests at that time
 * @param wokenAt last wake from sleep, or the start of a new service. Null before the first
 * @param starts times from a wake to a ready replica, the newest last, at most {@link #MOST_STARTS}
 * @param reason reason of the phase, for users
 */
@RecordBuilder
public record Idleness(
    Phase phase,
    Instant since,
    Instant usedAt,
    long requests,
    @Nullable Instant wokenAt,
    List<Duration> starts,
    String reason)
    implements IdlenessBuilder.With {
  public static final Duration DEFAULT_AFTER = Duration.ofMinutes(15);
  public static final int MOST_STARTS = 10;

  /**
   * Shortest time between the end of the traffic and the stop of the replicas. Routes change every
   * 2 s.
   */
  static final Duration CLOSING_FOR = Duration.ofSeconds(10);

  /** Time for a count after {@link #CLOSING_FOR}. Requests are counted every 15 s. */
  static final Duration LONGEST_CLOSING = Duration.ofMinutes(2);

  /** Uses within this time are stored as one. */
  static final Duration GRANULARITY = Duration.ofSeconds(10);

  private static final int PERCENT = 100;
  private static final int RESERVE = 50;

  /** Progress of a service towards sleep. */
  public enum Phase {
    /** A replica is needed, and none has been ready since the wake. */
    WAKING,
    /** A replica has been ready since the wake. */
    AWAKE,
    /** The route has left the replicas, which still run. */
    CLOSING,
    /** All replicas are stopped. */
    SLEEPING
  }

  public Idleness {
    starts = List.copyOf(starts);
  }

  /** Returns the idleness of a service that is not planned yet. */
  public static Idleness unplanned(boolean ready, Instant now) {
    return first(ready, 0, now);
  }

  private static Idleness first(boolean ready, long requests, Instant now) {
    return ready
        ? new Idleness(Phase.AWAKE, now, now, requests, null, List.of(), "a replica is ready")
        : new Idleness(
            Phase.WAKING, now, now, requests, now, List.of(), "the service has no replica yet");
  }

  /**
   * The next phase.
   *
   * @param before null for a service that did not sleep until now
   * @param ready whether a replica is ready
   * @param sample requests of all versions, null while they are unknown
   * @return null for a service that never sleeps
   */
  static @Nullable Idleness next(
      ModelService service,
      @Nullable Idleness before,
      boolean ready,
      Scaling.@Nullable Sample sample,
      Instant now) {
    Duration after = service.idleAfter();
    if (after == null) {
      return null;
    }
    Scaling.Sample counted = sample == null ? null : sample.notAfter(now);
    long requests = counted == null ? 0 : counted.requests();
    if (before == null) {
      return first(ready, requests, now);
    }
    Idleness seen =
        service.at(now).minReplicas() > 0 ? before.woken(now, "a floor applies") : before;
    return switch (seen.phase) {
      case WAKING -> ready ? seen.started(requests, now) : seen;
      case AWAKE -> seen.awake(after, ready, counted, now);
      case CLOSING -> seen.closing(after, counted, now);
      case SLEEPING -> seen;
    };
  }

  private Idleness started(long counted, Instant now) {
    List<Duration> all = new ArrayList<>(starts);
    if (wokenAt != null && wokenAt.equals(since)) {
      all.add(Duration.between(since, now));
    }
    List<Duration> recent = all.subList(Math.max(0, all.size() - MOST_STARTS), all.size());
    return new Idleness(Phase.AWAKE, now, now, counted, wokenAt, recent, "a replica is ready");
  }

  private Idleness awake(
      Duration after, boolean ready, Scaling.@Nullable Sample counted, Instant now) {
    if (!ready) {
      return used(requests, now, "no replica is ready");
    }
    if (counted == null) {
      return reasoned("the service stays awake, because its requests are not counted");
    }
    String used = "it sleeps after %s without requests".formatted(DurationText.of(after));
    if (counted.requests() != requests) {
      return used(counted.requests(), now, used);
    }
    if (Duration.between(usedAt, counted.at()).compareTo(after) < 0) {
      return reasoned(used);
    }
    return in(Phase.CLOSING, now, idle(after));
  }

  private Idleness closing(Duration after, Scaling.@Nullable Sample counted, Instant now) {
    if (counted != null && counted.requests() != requests) {
      return new Idleness(
          Phase.AWAKE, now, now, counted.requests(), wokenAt, starts, "it has requests");
    }
    Instant least = since.plus(CLOSING_FOR);
    if (now.isBefore(least)) {
      return this;
    }
    if (counted != null && !counted.at().isBefore(least)) {
      return in(Phase.SLEEPING, now, idle(after));
    }
    return now.isBefore(since.plus(LONGEST_CLOSING))
        ? this
        : new Idleness(
            Phase.AWAKE, now, now, requests, wokenAt, starts, "its requests are not counted");
  }

  private static String idle(Duration after) {
    return "it had no requests for " + DurationText.of(after);
  }

  private Idleness in(Phase next, Instant now, String why) {
    return with().phase(next).since(now).reason(why).build();
  }

  private Idleness reasoned(String why) {
    return withReason(why);
  }

  private Idleness used(long counted, Instant now, String why) {
    return now.isBefore(usedAt.plus(GRANULARITY))
        ? this
        : with().usedAt(now).requests(counted).reason(why).build();
  }

  /** Marks the service as wanted. If the service is already awake, the wake counts as use. */
  public Idleness woken(Instant now, String why) {
    return switch (phase) {
      case WAKING, AWAKE -> used(requests, now, why);
      case CLOSING -> new Idleness(Phase.AWAKE, now, now, requests, wokenAt, starts, why);
      case SLEEPING -> new Idleness(Phase.WAKING, now, now, requests, now, starts, why);
    };
  }

  /** Returns whether no version has traffic. */
  public boolean closed() {
    return phase == Phase.CLOSING || phase == Phase.SLEEPING;
  }

  public boolean sleeping() {
    return phase == Phase.SLEEPING;
  }

  /**
   * Time within which a start is expected: one and a half times the longest recent start, in whole
   * seconds. Empty before the first start.
   */
  public Optional<Duration> startBudget() {
    return starts.stream()
        .max(Comparator.naturalOrder())
        .map(longest -> longest.multipliedBy(PERCENT + RESERVE).dividedBy(PERCENT))
        .map(budget -> Duration.ofSeconds(budget.toSeconds() + 1));
  }
}
