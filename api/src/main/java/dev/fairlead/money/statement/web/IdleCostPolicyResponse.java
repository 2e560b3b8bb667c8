package dev.fairlead.money.statement.web;

import dev.fairlead.money.statement.IdleCostPolicy;
import dev.fairlead.money.statement.IdleRule;
import dev.fairlead.people.tenant.TenantId;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;

/**
 * What becomes of the cost of capacity that no job used, from a month on.
 *
 * @param from first month, in UTC
 * @param idle of what was free, kept or stranded
 * @param outOfService of what was sick or in maintenance
 * @param weights of tenants in the quotas between them when it was written; empty without BY_QUOTA
 * @param by which caller wrote it
 */
record IdleCostPolicyResponse(
    String from,
    IdleRule idle,
    IdleRule outOfService,
    List<TenantWeight> weights,
    String by,
    Instant recordedAt) {
  /** Weight of a tenant (its id). */
  record TenantWeight(String tenant, BigDecimal weight) {
    private static final int MILLI_DIGITS = 3;

    static TenantWeight of(TenantId tenant, long milli) {
      return new TenantWeight(tenant.text(), BigDecimal.valueOf(milli, MILLI_DIGITS));
    }
  }

  static IdleCostPolicyResponse of(IdleCostPolicy policy) {
    return new IdleCostPolicyResponse(
        policy.from().toString(),
        policy.idle(),
        policy.outOfService(),
        policy.weights().entrySet().stream()
            .map(each -> TenantWeight.of(each.getKey(), each.getValue()))
            .toList(),
        policy.by(),
        policy.recordedAt());
  }
}
