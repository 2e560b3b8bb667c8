package dev.fairlead.care.supply;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A provisioner temporarily lacks nodes of a kind on a cluster for a pool. It is derived from the
 * requests that failed since the last successful one: the wait doubles with each, and failures
 * older than {@link #MEMORY} do not count. If nodes twice within {@link #READ} did not match the
 * request, the wait is {@link #MEMORY}, regardless of refusals in between, or until the supply is
 * changed, because the same nodes would be added again. After one mismatch the nodes may only have
 * been late.
 *
 * @param until approximate time of the next request
 * @param misfit the node that did not match the request, null if none
 */
public record StockOut(Instant until, int refusals, @Nullable String misfit) {
  /** Time for which failed requests are remembered. */
  public static final Duration MEMORY = Duration.ofHours(6);

  /** Maximum age of the evaluated requests. */
  public static final Duration READ = MEMORY.multipliedBy(2);

  private static final Duration FIRST = Duration.ofMinutes(2);
  private static final Duration LONGEST = Duration.ofMinutes(30);
  private static final int DOUBLINGS = 8;

  /** Returns null if the provisioner has nodes at that time. */
  static @Nullable StockOut of(Supply supply, Collection<SupplyRequest> requests, Instant now) {
    List<SupplyRequest> settled =
        requests.stream()
            .filter(each -> each.isOf(supply) && each.settledAt() != null)
            .sorted(Comparator.comparing(StockOut::settled))
            .toList();
    Instant from = now.minus(MEMORY);
    int refusals = 0;
    Instant until = Instant.MIN;
    Instant lastMisfit = Instant.MIN;
    String misfit = null;
    for (SupplyRequest each : settled) {
      Instant at = settled(each);
      if (!each.state().failed()) {
        refusals = 0;
        until = Instant.MIN;
        lastMisfit = Instant.MIN;
        misfit = null;
      } else if (each.misfit() == null || isAsNow(each, supply)) {
        refusals += at.isAfter(from) ? 1 : 0;
        boolean wrong = each.misfit() != null;
        boolean again = wrong && lastMisfit.isAfter(at.minus(READ));
        Instant next = at.plus(again ? MEMORY : wait(refusals, each.retryAfter()));
        misfit = wrong || !until.isAfter(next) ? each.misfit() : misfit;
        until = until.isAfter(next) ? until : next;
        lastMisfit = wrong ? at : lastMisfit;
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
