package dev.fairlead.money.statement.service;

import dev.fairlead.fleet.quota.FleetQuotaStore;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.money.statement.IdleCostPolicy;
import dev.fairlead.money.statement.IdleCostStore;
import dev.fairlead.money.statement.IdleRule;
import dev.fairlead.money.statement.Statement;
import dev.fairlead.money.usage.ledger.UseLedger;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.audit.ConfigKind;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Permissions;
import dev.fairlead.people.tenant.TenantId;
import java.time.Instant;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Assigns the cost of idle capacity to tenants. */
@Service
public class IdleCostCommands {
  private static final String CREATE = "createIdleCostPolicy";

  /** Maximum number of rows in all. */
  private static final int MOST = 1_000;

  private final Transactions transactions;
  private final IdleCostStore store;
  private final FleetQuotaStore fleet;
  private final UseLedger ledger;
  private final AuditLog audit;

  public IdleCostCommands(
      Transactions transactions,
      IdleCostStore store,
      FleetQuotaStore fleet,
      UseLedger ledger,
      AuditLog audit) {
    this.transactions = transactions;
    this.store = store;
    this.fleet = fleet;
    this.ledger = ledger;
    this.audit = audit;
  }

  /**
   * Adds a policy. Months that have begun do not change.
   *
   * @param from first month. The next one when absent
   * @throws Refusal FORBIDDEN, INVALID_FIELD for a month that has begun or for missing weights,
   *     LIMIT_EXCEEDED
   */
  public IdleCostPolicy create(
      Actor actor,
      @Nullable YearMonth from,
      IdleRule idle,
      IdleRule outOfService,
      boolean validateOnly) {
    Permissions.require(actor, CREATE);
    return transactions.callOrTry(validateOnly, () -> appended(actor, from, idle, outOfService));
  }

  private IdleCostPolicy appended(
      Actor actor, @Nullable YearMonth from, IdleRule idle, IdleRule outOfService) {
    Instant now = Instant.ofEpochMilli(ledger.now());
    YearMonth next = YearMonth.from(now.atZone(ZoneOffset.UTC)).plusMonths(1);
    YearMonth first = from == null ? next : from;
    if (first.isBefore(next)) {
      throw Refusal.field(
          "/from",
          "%s began at %s, and a month cannot change after its start. Set %s or a later month."
              .formatted(first, Statement.begin(first), next));
    }
    if (store.policies().size() >= MOST) {
      throw new Refusal(
          ProblemCode.LIMIT_EXCEEDED, "There are %d policies, the maximum.".formatted(MOST));
    }
    IdleCostPolicy policy =
        new IdleCostPolicy(
            first,
            idle,
            outOfService,
            idle == IdleRule.BY_QUOTA || outOfService == IdleRule.BY_QUOTA
                ? weights()
                : new TreeMap<>(),
            actor.name(),
            now);
    store.insert(policy);
    TreeMap<String, Object> detail = new TreeMap<>();
    detail.put("idle", idle.name());
    detail.put("outOfService", outOfService.name());
    audit.append(
        new AuditRecord(actor, CREATE, first.toString(), true, detail)
            .changed(null, policy)
            .kept(ConfigKind.IDLE_COST, first.toString(), null, policy));
    return policy;
  }

  private SortedMap<TenantId, Long> weights() {
    SortedMap<TenantId, Long> weights = new TreeMap<>();
    for (QuotaNode node : transactions.forAllTenants(fleet::fleet)) {
      if (node.parent() != null && node.weight() > 0) {
        weights.put(node.tenant(), node.weight());
      }
    }
    if (weights.isEmpty()) {
      throw Refusal.field(
          "/idle", "No tenant has a weight in the fleet quota. Give one a weight first.");
    }
    return weights;
  }
}
