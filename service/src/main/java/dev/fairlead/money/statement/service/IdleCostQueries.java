package dev.fairlead.money.statement.service;

import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.money.price.PriceSpans;
import dev.fairlead.money.price.PriceStore;
import dev.fairlead.money.statement.IdleCostPolicy;
import dev.fairlead.money.statement.IdleCostStore;
import dev.fairlead.money.statement.IdleCosts;
import dev.fairlead.money.statement.IdleLine;
import dev.fairlead.money.statement.IdleUse;
import dev.fairlead.money.statement.Statement;
import dev.fairlead.money.statement.TenantUse;
import dev.fairlead.money.usage.ledger.UseLedger;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Permissions;
import dev.fairlead.people.tenant.Tenant;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.people.tenant.TenantStore;
import java.time.YearMonth;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Reports the cost of idle capacity in a month, and the tenants that pay it. */
@Service
public class IdleCostQueries {
  private final IdleCostStore store;
  private final UseLedger ledger;
  private final PriceStore prices;
  private final TenantStore tenants;
  private final Transactions transactions;

  public IdleCostQueries(
      IdleCostStore store,
      UseLedger ledger,
      PriceStore prices,
      TenantStore tenants,
      Transactions transactions) {
    this.store = store;
    this.ledger = ledger;
    this.prices = prices;
    this.tenants = tenants;
    this.transactions = transactions;
  }

  /**
   * A line with its shares.
   *
   * @param owner name of the tenant that owns the capacity, null if none
   * @param shares by the name of the paying tenant, empty when it is not divided
   */
  public record LineShares(
      IdleLine line, @Nullable String owner, SortedMap<String, IdleLine> shares) {
    public LineShares {
      shares = new TreeMap<>(shares);
    }
  }

  /**
   * @param preliminary whether an hour of the month may still change
   */
  public record Found(
      YearMonth month, boolean preliminary, IdleCostPolicy policy, List<LineShares> lines) {}

  /**
   * Reports by the current hours and price book.
   *
   * @throws Refusal FORBIDDEN
   */
  public Found report(Actor actor, YearMonth month) {
    Permissions.require(actor, "reportIdleCost");
    return transactions.read(() -> {
      PriceSpans spans =
          new PriceSpans(prices.book(), Statement.begin(month), Statement.end(month));
      IdleCostPolicy policy = IdleCostPolicy.of(store.policies(), month);
      IdleCosts costs = costs(policy, spans);
      List<LineShares> lines = new ArrayList<>();
      for (IdleLine line : costs.lines()) {
        SortedMap<String, IdleLine> shares = new TreeMap<>();
        costs.shares(line).forEach((tenant, share) -> shares.put(name(tenant), share));
        TenantId owner = line.key().owner();
        lines.add(new LineShares(line, owner == null ? null : name(owner), shares));
      }
      return new Found(month, ledger.open() < spans.endMillis(), policy, lines);
    });
  }

  /** The name of the tenant, or its id after its deletion. */
  private String name(TenantId tenant) {
    return tenants.tenant(tenant).map(Tenant::name).orElseGet(tenant::text);
  }

  /**
   * Policies in the order of their creation.
   *
   * @throws Refusal FORBIDDEN
   */
  public List<IdleCostPolicy> policies(Actor actor) {
    Permissions.require(actor, "listIdleCostPolicies");
    return store.policies();
  }

  /**
   * The lines that the tenant pays in a month. Nothing is read without a policy that divides the
   * cost.
   */
  List<IdleLine> shares(TenantId tenant, YearMonth month, PriceSpans spans) {
    IdleCostPolicy policy = IdleCostPolicy.of(store.policies(), month);
    return policy.distributes() ? costs(policy, spans).shares(tenant) : List.of();
  }

  private IdleCosts costs(IdleCostPolicy policy, PriceSpans spans) {
    IdleCosts costs =
        new IdleCosts(
            policy, spans, policy.distributes() ? TenantUse.of(ledger, spans) : List.of());
    IdleUse.each(ledger, spans, costs::add);
    return costs;
  }
}
