package dev.fairlead.money.statement.service;

import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.money.price.PriceBook;
import dev.fairlead.money.price.PriceSpans;
import dev.fairlead.money.price.PriceStore;
import dev.fairlead.money.statement.CommitmentLine;
import dev.fairlead.money.statement.CommitmentSums;
import dev.fairlead.money.usage.FleetUse;
import dev.fairlead.money.usage.ledger.UseLedger;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Permissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.springframework.stereotype.Service;

/** Reports the cost of commitments, and their use by all tenants. */
@Service
public class CommitmentQueries {
  private final UseLedger ledger;
  private final PriceStore prices;
  private final Transactions transactions;

  public CommitmentQueries(UseLedger ledger, PriceStore prices, Transactions transactions) {
    this.ledger = ledger;
    this.prices = prices;
    this.transactions = transactions;
  }

  /**
   * @param preliminary whether an hour may still change
   */
  public record Found(List<CommitmentLine> lines, boolean preliminary) {}

  /**
   * Reports by the current hours and price book.
   *
   * @param from start of an hour
   * @param to start of a later hour
   * @throws Refusal FORBIDDEN, INVALID_PARAMETER for an empty span, LIMIT_EXCEEDED for more than
   *     {@link SavingsQueries#LONGEST}
   */
  public Found report(Actor actor, Instant from, Instant to) {
    Permissions.require(actor, "reportCommitments");
    if (!from.isBefore(to)) {
      throw new Refusal(
          ProblemCode.INVALID_PARAMETER,
          "The report ends at %s and begins at %s. Set a later end.".formatted(to, from));
    }
    if (Duration.between(from, to).compareTo(SavingsQueries.LONGEST) > 0) {
      throw new Refusal(
          ProblemCode.LIMIT_EXCEEDED,
          "A report of commitments covers at most %d days, but from %s to %s are %d. Request a shorter period."
              .formatted(
                  SavingsQueries.LONGEST.toDays(), from, to, Duration.between(from, to).toDays()));
    }
    return transactions.read(() -> {
      PriceBook book = prices.book();
      CommitmentSums sums = new CommitmentSums(book, new PriceSpans(book, from, to));
      FleetUse.ofReserved(ledger, from, to, sums::add);
      return new Found(sums.lines(), ledger.open() < to.toEpochMilli());
    });
  }
}
