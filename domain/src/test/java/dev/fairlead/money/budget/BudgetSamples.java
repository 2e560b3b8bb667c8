package dev.fairlead.money.budget;

import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.UUID;

/** One scope, one attempt and the times of the tests of budgets. */
final class BudgetSamples {
  static final TenantId TENANT = new TenantId(new UUID(1, 1));
  static final BudgetScope JOB =
      new BudgetScope(
          TENANT, new ProjectId(new UUID(2, 1)), new QuotaNodeId(new UUID(3, 1)), "ana");
  static final UUID ATTEMPT = new UUID(4, 1);
  static final long NOW = at("2026-11-15T00:00:00Z");
  static final long NOVEMBER = at("2026-11-01T00:00:00Z");
  static final long DECEMBER = at("2026-12-01T00:00:00Z");
  static final long HOUR = Duration.ofHours(1).toMillis();
  static final long GPU = 1000;
  static final BudgetPlace PLACE =
      new BudgetPlace(
          new ClusterId(new UUID(6, 1)), "", new Flavor("H100", CapacityType.ON_DEMAND));

  private BudgetSamples() {}

  static long at(String time) {
    return Instant.parse(time).toEpochMilli();
  }

  static BudgetState state(Budget budget) {
    return new BudgetState(budget, Collections.emptySortedMap());
  }

  static long hours(BigInteger amount) {
    return amount.longValueExact() / Budget.GPU_HOUR;
  }

  static Budget budget(long hours, BudgetGrant... grants) {
    return new Budget(
        new BudgetId(new UUID(5, 1)),
        new BudgetScope(TENANT, JOB.project(), null, null),
        "research",
        BudgetUnit.GPU_HOURS,
        BudgetTimes.hours(hours),
        BudgetPeriod.MONTH,
        Budget.Mode.HARD,
        BudgetExhaustedPolicy.FINISH,
        List.of(50, 80),
        List.of(grants),
        1);
  }
}
