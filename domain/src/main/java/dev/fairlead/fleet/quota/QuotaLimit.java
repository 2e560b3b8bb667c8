package dev.fairlead.fleet.quota;

import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.Saturating;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Quota of a node for one flavor and resource, in base units (milli for CPU and GPU, MiB for
 * memory).
 *
 * @param nominal amount that the subtree owns, null = unlimited
 * @param borrowingLimit amount that it may borrow from its parent, null = no limit
 * @param lendingLimit amount that it lends when idle, null = all of it
 * @param windows times with other amounts, where the first open window decides
 * @param evictLead time before a window lowers the amounts, null = work beyond them continues.
 *     During this time the lower amounts already apply and work beyond them is evicted
 */
public record QuotaLimit(
    Flavor flavor,
    String resource,
    @Nullable Long nominal,
    @Nullable Long borrowingLimit,
    @Nullable Long lendingLimit,
    List<LimitWindow> windows,
    @Nullable Duration evictLead) {
  /** Maximum number of windows of a limit. */
  public static final int MOST_WINDOWS = 16;

  /**
   * Maximum number of changes that are evaluated in a lead. Beyond it the smallest amounts of all
   * times count.
   */
  private static final int MOST_IN_LEAD = 8;

  /** Maximum number of changes that are evaluated for the next rise. */
  private static final int MOST_CHANGES = 2 * MOST_WINDOWS;

  public QuotaLimit {
    windows = List.copyOf(windows);
  }

  /** Creates a limit that is constant. */
  public QuotaLimit(
      Flavor flavor,
      String resource,
      @Nullable Long nominal,
      @Nullable Long borrowingLimit,
      @Nullable Long lendingLimit) {
    this(flavor, resource, nominal, borrowingLimit, lendingLimit, List.of(), null);
  }

  /**
   * Returns the limit at that time as a constant limit. With a lead, returns the smallest amounts
   * until the lead is over.
   */
  public QuotaLimit at(Instant now) {
    QuotaLimit least = given(now);
    Instant end = evictLead == null ? now : now.plus(evictLead);
    Instant next = now.equals(end) ? null : changed(now);
    for (int looks = 0; next != null && !next.isAfter(end) && looks < MOST_IN_LEAD; looks++) {
      least = least(least, given(next));
      next = changed(next);
    }
    return next == null || next.isAfter(end) ? least : least(least, smallest());
  }

  private QuotaLimit given(Instant now) {
    return open(now).map(this::in).orElseGet(() -> amounts(nominal, borrowingLimit));
  }

  private QuotaLimit least(QuotaLimit a, QuotaLimit b) {
    return amounts(smaller(a.nominal, b.nominal), smaller(a.borrowingLimit, b.borrowingLimit));
  }

  /**
   * Returns whether work that was admitted at that time must leave because the limit was reduced.
   *
   * @param now the current limit
   */
  public boolean evicts(Instant admitted, QuotaLimit now) {
    return evictLead != null && at(admitted).above(now);
  }

  /**
   * Returns whether the limit evicts and was smaller at that time than now, so that a closing
   * window does not stop work from that time.
   */
  public boolean roseSince(Instant admitted, Instant now) {
    return evictLead != null && at(now).above(at(admitted));
  }

  private Optional<LimitWindow> open(Instant now) {
    return windows.stream().filter(each -> each.window().openUntil(now) != null).findFirst();
  }

  private QuotaLimit in(LimitWindow window) {
    return amounts(
        window.nominal() == null ? nominal : window.nominal(),
        window.borrowingLimit() == null ? borrowingLimit : window.borrowingLimit());
  }

  private QuotaLimit amounts(@Nullable Long owned, @Nullable Long borrowed) {
    return new QuotaLimit(flavor, resource, owned, borrowed, lendingLimit);
  }

  /** Returns the largest amounts at any time. */
  public QuotaLimit largest() {
    QuotaLimit largest = amounts(nominal, borrowingLimit);
    for (LimitWindow window : windows) {
      QuotaLimit then = in(window);
      largest =
          amounts(
              larger(largest.nominal, then.nominal),
              larger(largest.borrowingLimit, then.borrowingLimit));
    }
    return largest;
  }

  /** Returns the smallest amounts at any time. */
  public QuotaLimit smallest() {
    QuotaLimit smallest = amounts(nominal, borrowingLimit);
    for (LimitWindow window : windows) {
      QuotaLimit then = in(window);
      smallest = least(smallest, then);
    }
    return smallest;
  }

  private static @Nullable Long larger(@Nullable Long a, @Nullable Long b) {
    return a == null || b == null ? null : Long.valueOf(Math.max(a, b));
  }

  private static @Nullable Long smaller(@Nullable Long a, @Nullable Long b) {
    if (a == null || b == null) {
      return a == null ? b : a;
    }
    return Long.valueOf(Math.min(a, b));
  }

  /** Returns when the amounts may change next, null for never. */
  public @Nullable Instant nextChange(Instant now) {
    Instant next = changed(now);
    Duration lead = evictLead;
    Instant soon = lead == null || lead.isZero() ? null : changed(now.plus(lead));
    return soon == null || lead == null ? next : earlier(next, soon.minus(lead));
  }

  private @Nullable Instant changed(Instant now) {
    Instant next = null;
    for (LimitWindow each : windows) {
      Instant until = each.window().openUntil(now);
      Instant opens = each.window().opensAfter(now);
      next = earlier(next, earlier(until, opens));
    }
    return next;
  }

  private static @Nullable Instant earlier(@Nullable Instant a, @Nullable Instant b) {
    if (a == null || b == null) {
      return a == null ? b : a;
    }
    return a.isBefore(b) ? a : b;
  }

  /** Returns the next times at which the amounts change. */
  public List<LimitChange> changes(Instant now, int most) {
    List<LimitChange> changes = new ArrayList<>();
    Optional<LimitChange> next = change(now);
    while (next.isPresent() && changes.size() < most) {
      changes.add(next.get());
      next = change(next.get().at());
    }
    return changes;
  }

  /** Returns the current limit and the next times at which the amounts change. */
  public List<LimitChange> from(Instant now, int most) {
    List<LimitChange> all = new ArrayList<>();
    all.add(new LimitChange(now, at(now), differs(now), zone(now)));
    all.addAll(changes(now, most - 1));
    return all;
  }

  private Optional<LimitChange> change(Instant now) {
    Instant at = differs(now);
    return at == null
        ? Optional.empty()
        : Optional.of(new LimitChange(at, at(at), differs(at), zone(at)));
  }

  /** Returns when the amounts next differ. Adjacent windows with equal amounts are skipped. */
  private @Nullable Instant differs(Instant then) {
    QuotaLimit before = at(then);
    Instant time = nextChange(then);
    for (int looks = 1; time != null && at(time).equals(before); looks++) {
      time = looks == MOST_CHANGES ? null : nextChange(time);
    }
    return time;
  }

  private ZoneId zone(Instant time) {
    return open(time)
        .or(() -> open(time.minusMillis(1)))
        .map(each -> each.window().zone())
        .orElse(ZoneOffset.UTC);
  }

  /** Returns the next change that permits more use, empty if none is near. */
  public Optional<LimitChange> nextRise(Instant now) {
    QuotaLimit is = at(now);
    Optional<LimitChange> next = change(now);
    for (int looks = 1; next.isPresent() && !next.get().limit().above(is); looks++) {
      next = looks == MOST_WINDOWS ? Optional.empty() : change(next.get().at());
    }
    return next;
  }

  /**
   * Returns whether the limit has a higher nominal amount, or a higher amount including borrowing.
   */
  private boolean above(QuotaLimit other) {
    return more(nominal, other.nominal) || more(most(), other.most());
  }

  /** Returns null for no limit. */
  private @Nullable Long most() {
    return nominal == null || borrowingLimit == null
        ? null
        : Long.valueOf(Saturating.plus(nominal, borrowingLimit));
  }

  private static boolean more(@Nullable Long a, @Nullable Long b) {
    return b != null && (a == null || a > b);
  }
}
