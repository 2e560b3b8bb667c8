package dev.fairlead.money.statement.web;

import dev.fairlead.money.statement.IdleCostPolicy;
import dev.fairlead.money.statement.IdleRule;
import dev.fairlead.people.tenant.TenantId;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;

/**
 * Policy that distributes the cost of idle capacity from a given month.
 *
 * @param from first month, in UTC
 * @param idle how the cost of free, reserved and stranded capacity is distributed
 * @param outOfService how the cost of unhealthy capacity and of maintenance is distributed
 * @param weights weights of tenants in the fleet quota when the policy was created, empty without
 *     BY_QUOTA
 * @param by caller that created the policy
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
