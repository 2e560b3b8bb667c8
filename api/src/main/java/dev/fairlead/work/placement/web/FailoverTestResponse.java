package dev.fairlead.work.placement.web;

import dev.fairlead.money.price.Money;
import dev.fairlead.money.price.Quote;
import dev.fairlead.work.spec.JobSpec.OnUnreachable;
import dev.fairlead.work.world.FailoverTest;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Consequences of the loss of a cluster.
 *
 * @param cluster name of the cluster
 * @param lost attempts that would be lost: all on the cluster without a stop order
 * @param moving attempts that would start elsewhere immediately
 * @param evicting attempts that would start elsewhere after evictions
 * @param waiting attempts that would wait
 * @param notPlanned attempts beyond the limit of one planning cycle
 * @param untilProof attempts that stay until their end is proven, because their jobs have {@code
 *     onUnreachable: WAIT}
 * @param lostGpuHours GPU-hours of work since the last known checkpoint
 * @param cost hourly cost by currency, for capacity with a price
 * @param evicted jobs elsewhere that would be evicted because of the loss
 * @param delayed jobs and elements whose start would be delayed
 * @param items the 500 attempts with the most GPUs
 */
@RecordBuilder
record FailoverTestResponse(
    Instant asOf,
    String cluster,
    FailoverTestCount lost,
    FailoverTestCount moving,
    FailoverTestCount evicting,
    FailoverTestCount waiting,
    FailoverTestCount notPlanned,
    FailoverTestCount untilProof,
    BigDecimal lostGpuHours,
    List<FailoverTestCost> cost,
    FailoverTestEvicted evicted,
    int delayed,
    List<FailoverTestItem> items) {
  private static final int MOST_ITEMS = 500;
  private static final BigDecimal MILLI_SECONDS_AN_HOUR = new BigDecimal(3_600_000);
  private static final int HOUR_DIGITS = 2;

  record FailoverTestCount(int attempts, BigDecimal gpus) {}

  record FailoverTestEvicted(int jobs, BigDecimal gpus) {}

  /**
   * Hourly cost in one currency.
   *
   * @param now cost of all attempts that would be lost
   * @param then cost of attempts that would start elsewhere immediately
   */
  record FailoverTestCost(String currency, BigDecimal now, BigDecimal then) {}

  /** The consequence for an attempt. */
  enum FailoverTestOutcome {
    MOVES,
    EVICTS,
    WAITS,
    NOT_PLANNED
  }

  /**
   * One attempt.
   *
   * @param element index in the array, null for a job without an array
   * @param costPerHour hourly cost at current prices, null if there is no price
   * @param to name of the new cluster, for MOVES and EVICTS
   * @param pool name of the new pool for MOVES, null for nodes without a pool
   * @param newCostPerHour hourly cost on the new cluster, set for MOVES
   * @param currency currency of newCostPerHour
   * @param message explanation for EVICTS and WAITS
   */
  @RecordBuilder
  record FailoverTestItem(
      String job,
      String name,
      String user,
      String queue,
      @Nullable Integer element,
      String attempt,
      BigDecimal gpus,
      BigDecimal lostGpuHours,
      OnUnreachable onUnreachable,
      @Nullable BigDecimal costPerHour,
      FailoverTestOutcome outcome,
      @Nullable String to,
      @Nullable String pool,
      @Nullable BigDecimal newCostPerHour,
      @Nullable String currency,
      @Nullable String message) {}

  static FailoverTestResponse of(FailoverTest test) {
    List<FailoverTest.LostAttempt> all = test.losses();
    return FailoverTestResponseBuilder.builder()
        .asOf(test.asOf())
        .cluster(test.cluster().name())
        .lost(count(all, loss -> true))
        .moving(count(all, loss -> loss.outcome() instanceof FailoverTest.Outcome.Moves))
        .evicting(count(all, loss -> loss.outcome() instanceof FailoverTest.Outcome.Evicts))
        .waiting(count(all, loss -> loss.outcome() instanceof FailoverTest.Outcome.Waits))
        .notPlanned(count(all, loss -> loss.outcome() instanceof FailoverTest.Outcome.NotPlanned))
        .untilProof(count(all, loss -> loss.job().spec().onUnreachable() == OnUnreachable.WAIT))
        .lostGpuHours(
            gpuHours(all.stream().mapToLong(FailoverTestResponse::lostMilliSeconds).sum()))
        .cost(costs(all))
        .evicted(new FailoverTestEvicted(test.evicted().jobs(), gpus(test.evicted().gpuMilli())))
        .delayed(test.delayed())
        .items(all.stream().limit(MOST_ITEMS).map(FailoverTestResponse::item).toList())
        .build();
  }

  private static FailoverTestCount count(
      List<FailoverTest.LostAttempt> all, Predicate<FailoverTest.LostAttempt> which) {
    List<FailoverTest.LostAttempt> some = all.stream().filter(which).toList();
    return new FailoverTestCount(
        some.size(), gpus(some.stream().mapToLong(FailoverTest.LostAttempt::gpuMilli).sum()));
  }

  private static BigDecimal gpus(long milli) {
    return new BigDecimal(milli).movePointLeft(3).stripTrailingZeros();
  }

  private static long lostMilliSeconds(FailoverTest.LostAttempt loss) {
    return loss.gpuMilli() * loss.unsaved().toSeconds();
  }

  private static BigDecimal gpuHours(long milliSeconds) {
    return new BigDecimal(milliSeconds)
        .divide(MILLI_SECONDS_AN_HOUR, HOUR_DIGITS, RoundingMode.HALF_UP);
  }

  private static List<FailoverTestCost> costs(List<FailoverTest.LostAttempt> all) {
    SortedMap<String, BigDecimal> now = new TreeMap<>();
    SortedMap<String, BigDecimal> then = new TreeMap<>();
    for (FailoverTest.LostAttempt loss : all) {
      add(now, loss.quote());
      if (loss.outcome() instanceof FailoverTest.Outcome.Moves moves) {
        add(then, moves.quote());
      }
    }
    then.keySet().forEach(currency -> now.putIfAbsent(currency, BigDecimal.ZERO));
    List<FailoverTestCost> costs = new ArrayList<>();
    now.forEach((currency, before) ->
        costs.add(
            new FailoverTestCost(currency, before, then.getOrDefault(currency, BigDecimal.ZERO))));
    return costs;
  }

  private static void add(SortedMap<String, BigDecimal> sums, Quote quote) {
    Money hour = quote.perHour();
    if (hour != null) {
      sums.merge(hour.currency(), hour.amount(), BigDecimal::add);
    }
  }

  private static FailoverTestItem item(FailoverTest.LostAttempt loss) {
    return switch (loss.outcome()) {
      case FailoverTest.Outcome.Moves(String to, @Nullable String pool, Quote quote) ->
          item(loss, FailoverTestOutcome.MOVES, to, pool, quote.perHour(), null);
      case FailoverTest.Outcome.Evicts(String to, int attempts) ->
          item(
              loss,
              FailoverTestOutcome.EVICTS,
              to,
              null,
              null,
              attempts + " others are preempted first");
      case FailoverTest.Outcome.Waits waits ->
          item(loss, FailoverTestOutcome.WAITS, null, null, null, waits.why().first().message());
      case FailoverTest.Outcome.NotPlanned() ->
          item(loss, FailoverTestOutcome.NOT_PLANNED, null, null, null, null);
    };
  }

  private static FailoverTestItem item(
      FailoverTest.LostAttempt loss,
      FailoverTestOutcome outcome,
      @Nullable String to,
      @Nullable String pool,
      @Nullable Money then,
      @Nullable String message) {
    Money now = loss.quote().perHour();
    return FailoverTestResponseFailoverTestItemBuilder.builder()
        .job(loss.job().id().text())
        .name(loss.job().name())
        .user(loss.job().user())
        .queue(loss.queue())
        .element(loss.job().spec().array() == null ? null : loss.attempt().element())
        .attempt(loss.attempt().id().text())
        .gpus(gpus(loss.gpuMilli()))
        .lostGpuHours(gpuHours(lostMilliSeconds(loss)))
        .onUnreachable(loss.job().spec().onUnreachable())
        .costPerHour(now == null ? null : now.amount())
        .outcome(outcome)
        .to(to)
        .pool(pool)
        .newCostPerHour(then == null ? null : then.amount())
        .currency(then == null ? null : then.currency())
        .message(message)
        .build();
  }
}
