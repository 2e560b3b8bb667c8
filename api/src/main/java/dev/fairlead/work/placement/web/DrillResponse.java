package dev.fairlead.work.placement.web;

import dev.fairlead.money.price.Money;
import dev.fairlead.money.price.Quote;
import dev.fairlead.work.spec.JobSpec.OnUnreachable;
import dev.fairlead.work.world.Drill;
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
 * @param lost all attempts on the cluster without a stop order
 * @param moving attempts that would start elsewhere immediately
 * @param evicting attempts that would start elsewhere after evictions
 * @param waiting attempts that would wait
 * @param notPlanned attempts that one planning cycle does not reach
 * @param untilProof attempts that stay until their end is proven, because their jobs have {@code
 *     onUnreachable: WAIT}
 * @param lostGpuHours GPU-hours of work since the last known checkpoint
 * @param cost hourly cost by currency, for capacity with a price
 * @param evicted jobs elsewhere that would be evicted because of the loss
 * @param delayed jobs and elements whose start would be delayed
 * @param items the 500 attempts with the most GPUs
 */
record DrillResponse(
    Instant asOf,
    String cluster,
    DrillCount lost,
    DrillCount moving,
    DrillCount evicting,
    DrillCount waiting,
    DrillCount notPlanned,
    DrillCount untilProof,
    BigDecimal lostGpuHours,
    List<DrillCost> cost,
    DrillEvicted evicted,
    int delayed,
    List<DrillItem> items) {
  private static final int MOST_ITEMS = 500;
  private static final BigDecimal MILLI_SECONDS_AN_HOUR = new BigDecimal(3_600_000);
  private static final int HOUR_DIGITS = 2;

  record DrillCount(int attempts, BigDecimal gpus) {}

  record DrillEvicted(int jobs, BigDecimal gpus) {}

  /**
   * Hourly cost in one currency.
   *
   * @param now cost of all attempts that would be lost
   * @param then cost of attempts that would start elsewhere immediately
   */
  record DrillCost(String currency, BigDecimal now, BigDecimal then) {}

  /** The consequence for an attempt. */
  enum DrillOutcome {
    MOVES,
    EVICTS,
    WAITS,
    NOT_PLANNED
  }

  /**
   * One attempt.
   *
   * @param element index in the array, null for a job without an array
   * @param costPerHour hourly cost at present prices, null without a price
   * @param to name of the new cluster, for MOVES and EVICTS
   * @param pool name of the new pool for MOVES, null for nodes without a pool
   * @param newCostPerHour hourly cost on the new cluster, for MOVES
   * @param currency currency of newCostPerHour
   * @param message explanation for EVICTS and WAITS
   */
  record DrillItem(
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
      DrillOutcome outcome,
      @Nullable String to,
      @Nullable String pool,
      @Nullable BigDecimal newCostPerHour,
      @Nullable String currency,
      @Nullable String message) {}

  static DrillResponse of(Drill drill) {
    List<Drill.LostAttempt> all = drill.losses();
    return new DrillResponse(
        drill.asOf(),
        drill.cluster().name(),
        count(all, loss -> true),
        count(all, loss -> loss.outcome() instanceof Drill.Outcome.Moves),
        count(all, loss -> loss.outcome() instanceof Drill.Outcome.Evicts),
        count(all, loss -> loss.outcome() instanceof Drill.Outcome.Waits),
        count(all, loss -> loss.outcome() instanceof Drill.Outcome.NotPlanned),
        count(all, loss -> loss.job().spec().onUnreachable() == OnUnreachable.WAIT),
        gpuHours(all.stream().mapToLong(DrillResponse::lostMilliSeconds).sum()),
        costs(all),
        new DrillEvicted(drill.evicted().jobs(), gpus(drill.evicted().gpuMilli())),
        drill.delayed(),
        all.stream().limit(MOST_ITEMS).map(DrillResponse::item).toList());
  }

  private static DrillCount count(List<Drill.LostAttempt> all, Predicate<Drill.LostAttempt> which) {
    List<Drill.LostAttempt> some = all.stream().filter(which).toList();
    return new DrillCount(
        some.size(), gpus(some.stream().mapToLong(Drill.LostAttempt::gpuMilli).sum()));
  }

  private static BigDecimal gpus(long milli) {
    return new BigDecimal(milli).movePointLeft(3).stripTrailingZeros();
  }

  private static long lostMilliSeconds(Drill.LostAttempt loss) {
    return loss.gpuMilli() * loss.unsaved().toSeconds();
  }

  private static BigDecimal gpuHours(long milliSeconds) {
    return new BigDecimal(milliSeconds)
        .divide(MILLI_SECONDS_AN_HOUR, HOUR_DIGITS, RoundingMode.HALF_UP);
  }

  private static List<DrillCost> costs(List<Drill.LostAttempt> all) {
    SortedMap<String, BigDecimal> now = new TreeMap<>();
    SortedMap<String, BigDecimal> then = new TreeMap<>();
    for (Drill.LostAttempt loss : all) {
      add(now, loss.quote());
      if (loss.outcome() instanceof Drill.Outcome.Moves moves) {
        add(then, moves.quote());
      }
    }
    then.keySet().forEach(currency -> now.putIfAbsent(currency, BigDecimal.ZERO));
    List<DrillCost> costs = new ArrayList<>();
    now.forEach((currency, before) ->
        costs.add(new DrillCost(currency, before, then.getOrDefault(currency, BigDecimal.ZERO))));
    return costs;
  }

  private static void add(SortedMap<String, BigDecimal> sums, Quote quote) {
    Money hour = quote.perHour();
    if (hour != null) {
      sums.merge(hour.currency(), hour.amount(), BigDecimal::add);
    }
  }

  private static DrillItem item(Drill.LostAttempt loss) {
    return switch (loss.outcome()) {
      case Drill.Outcome.Moves(String to, @Nullable String pool, Quote quote) ->
          item(loss, DrillOutcome.MOVES, to, pool, quote.perHour(), null);
      case Drill.Outcome.Evicts(String to, int attempts) ->
          item(loss, DrillOutcome.EVICTS, to, null, null, attempts + " others make way first");
      case Drill.Outcome.Waits waits ->
          item(loss, DrillOutcome.WAITS, null, null, null, waits.why().first().message());
      case Drill.Outcome.NotPlanned() ->
          item(loss, DrillOutcome.NOT_PLANNED, null, null, null, null);
    };
  }

  private static DrillItem item(
      Drill.LostAttempt loss,
      DrillOutcome outcome,
      @Nullable String to,
      @Nullable String pool,
      @Nullable Money then,
      @Nullable String message) {
    Money now = loss.quote().perHour();
    return new DrillItem(
        loss.job().id().text(),
        loss.job().name(),
        loss.job().user(),
        loss.queue(),
        loss.job().spec().array() == null ? null : loss.attempt().element(),
        loss.attempt().id().text(),
        gpus(loss.gpuMilli()),
        gpuHours(lostMilliSeconds(loss)),
        loss.job().spec().onUnreachable(),
        now == null ? null : now.amount(),
        outcome,
        to,
        pool,
        then == null ? null : then.amount(),
        then == null ? null : then.currency(),
        message);
  }
}
