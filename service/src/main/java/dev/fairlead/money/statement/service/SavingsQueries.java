package dev.fairlead.money.statement.service;

import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.money.price.PriceBook;
import dev.fairlead.money.price.PriceSpans;
import dev.fairlead.money.price.PriceStore;
import dev.fairlead.money.statement.Savings;
import dev.fairlead.money.statement.SavingsSums;
import dev.fairlead.money.statement.StatementUse;
import dev.fairlead.money.usage.ReservedOnly;
import dev.fairlead.money.usage.SpillHour;
import dev.fairlead.money.usage.ledger.UseLedger;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Permissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.springframework.stereotype.Service;

/**
 * Compares the cost of the tenant's use with the same use only on demand and only on reserved
 * capacity.
 */
@Service
public class SavingsQueries {
  /** Maximum time of one report. */
  public static final Duration LONGEST = Duration.ofDays(366);

  private final UseLedger ledger;
  private final PriceStore prices;
  private final Transactions transactions;

  public SavingsQueries(UseLedger ledger, PriceStore prices, Transactions transactions) {
    this.ledger = ledger;
    this.prices = prices;
    this.transactions = transactions;
  }

  /**
   * @param preliminary whether an hour may still change
   * @param waits time for which the work would have waited for reserved capacity, by model
   */
  public record Found(Savings savings, List<ReservedOnly.Wait> waits, boolean preliminary) {}

  /**
   * Reports by the current hours and price book.
   *
   * @param from start of an hour
   * @param to start of a later hour
   * @throws Refusal FORBIDDEN, INVALID_PARAMETER for an empty span, LIMIT_EXCEEDED for more than
   *     {@link #LONGEST}
   */
  public Found report(Actor actor, Instant from, Instant to) {
    Permissions.require(actor, "reportSavings");
    if (!from.isBefore(to)) {
      throw new Refusal(
          ProblemCode.INVALID_PARAMETER,
          "The report ends at %s and begins at %s. Set a later end.".formatted(to, from));
    }
    if (Duration.between(from, to).compareTo(LONGEST) > 0) {
      throw new Refusal(
          ProblemCode.LIMIT_EXCEEDED,
          "A report of savings covers at most %d days, but from %s to %s are %d. Request a shorter period."
              .formatted(LONGEST.toDays(), from, to, Duration.between(from, to).toDays()));
    }
    return transactions.read(() -> reckoned(actor, from, to));
  }

  private Found reckoned(Actor actor, Instant from, Instant to) {
    PriceBook book = prices.book();
    PriceSpans spans = new PriceSpans(book, from, to);
    SavingsSums sums = new SavingsSums(book, spans);
    StatementUse.each(ledger, actor.tenant(), spans, sums::add);
    long open = ledger.open();
    /* Waits of future hours are unknown. */
    Instant end = Instant.ofEpochMilli(Math.clamp(open, from.toEpochMilli(), to.toEpochMilli()));
    ReservedOnly queue = new ReservedOnly(end.toEpochMilli());
    SpillHour.each(ledger, actor.tenant(), from, end, queue::add);
    return new Found(sums.savings(), queue.waits(), open < to.toEpochMilli());
  }
}
