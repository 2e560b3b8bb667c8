package dev.fairlead.supply;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A supplier has no nodes of a kind on a cluster for a pool. Follows from the requests that it did
 * not meet since it last met one: the wait doubles with each, and those of {@link #MEMORY} ago no
 * longer count. After nodes that twice in a row were not what was asked for it is as long as that,
 * or until the supply is changed: the same nodes would come again. Once, they may have been late.
 * The first of those two is remembered longer, since else the stop would end when it is forgotten.
 *
 * @param until about when it is asked again
 * @param misfit what came in place of what was asked for, null for nothing
 */
public record StockOut(Instant until, int refusals, @Nullable String misfit) {
  /** How long what a supplier did not give is remembered. */
  public static final Duration MEMORY = Duration.ofHours(6);

  /** How old the requests are at the most from which it follows. */
  public static final Duration READ = MEMORY.multipliedBy(2);

  private static final Duration FIRST = Duration.ofMinutes(2);
  private static final Duration LONGEST = Duration.ofMinutes(30);
  private static final int DOUBLINGS = 8;
  private static final int MISFITS = 2;

  /** Null when there is none at that time. */
  static @Nullable StockOut of(Supply supply, Collection<SupplyRequest> requests, Instant now) {
    List<SupplyRequest> settled =
        requests.stream()
            .filter(each -> each.isOf(supply) && each.settledAt() != null)
            .sorted(Comparator.comparing(StockOut::settled))
            .toList();
    Instant from = now.minus(MEMORY);
    int refusals = 0;
    int misfits = 0;
    Instant until = Instant.MIN;
    String misfit = null;
    for (SupplyRequest each : settled) {
      Instant at = settled(each);
      if (!each.state().failed()) {
        refusals = 0;
        misfits = 0;
        until = Instant.MIN;
        misfit = null;
      } else if (each.misfit() == null || isAsNow(each, supply)) {
        refusals += at.isAfter(from) ? 1 : 0;
        misfit = each.misfit();
        misfits = misfit == null ? 0 : misfits + 1;
        until = at.plus(misfits < MISFITS ? wait(refusals, each.retryAfter()) : MEMORY);
      }
    }
    return until.isAfter(now) ? new StockOut(until, refusals, misfit) : null;
  }

  private static boolean isAsNow(SupplyRequest request, Supply supply) {
    return request.asked().supply() == supply.version();
  }

  private static Instant settled(SupplyRequest request) {
    Instant at = request.settledAt();
    return at == null ? Instant.MAX : at;
  }

  private static Duration wait(int refusals, @Nullable Duration asked) {
    Duration doubled = FIRST.multipliedBy(1L << Math.clamp(refusals - 1, 0, DOUBLINGS));
    Duration own = doubled.compareTo(LONGEST) > 0 ? LONGEST : doubled;
    if (asked == null || asked.compareTo(own) < 0) {
      return own;
    }
    return asked.compareTo(MEMORY) > 0 ? MEMORY : asked;
  }
}
