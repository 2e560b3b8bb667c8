package dev.fairlead.money.usage.service;

import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.money.usage.SpillReport;
import dev.fairlead.money.usage.ledger.UseLedger;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Permissions;
import dev.fairlead.people.tenant.Role;
import java.time.Duration;
import java.time.Instant;
import org.springframework.stereotype.Service;

/** Reports the use of capacity paid by the hour while reserved capacity was free. */
@Service
public class SpillQueries {
  private final UseLedger ledger;
  private final Transactions transactions;

  public SpillQueries(UseLedger ledger, Transactions transactions) {
    this.ledger = ledger;
    this.transactions = transactions;
  }

  /**
   * Sums the hours that begin in a span.
   *
   * @param everyTenant whether to include all tenants instead of the tenant of the request
   * @throws Refusal FORBIDDEN, also for all tenants with a role of a tenant, LIMIT_EXCEEDED for
   *     more time than {@link UsageQueries#LONGEST}
   */
  public SpillReport report(Actor actor, boolean everyTenant, Instant from, Instant to) {
    Permissions.require(actor, "reportSpill");
    if (everyTenant
        && actor.roles().stream().noneMatch(role -> role.scope() == Role.Scope.PLATFORM)) {
      throw new Refusal(
          ProblemCode.FORBIDDEN,
          "A report of every tenant requires a platform role. Omit everyTenant to report"
              + " your own tenant.");
    }
    if (Duration.between(from, to).compareTo(UsageQueries.LONGEST) > 0) {
      throw new Refusal(
          ProblemCode.LIMIT_EXCEEDED,
          "A report covers at most %d days, but from %s to %s are %d. Request a shorter period."
              .formatted(
                  UsageQueries.LONGEST.toDays(), from, to, Duration.between(from, to).toDays()));
    }
    return transactions.read(
        () -> SpillReport.of(ledger, everyTenant ? null : actor.tenant(), from, to));
  }
}
