package dev.fairlead.money.statement;

import dev.fairlead.money.price.Money;
import dev.fairlead.money.price.Price;
import dev.fairlead.money.price.PriceSpans;
import dev.fairlead.people.tenant.TenantId;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Adds up the cost of a month's unused capacity, and divides it among tenants by a policy: the
 * shares of a line add up to the line, to the last unit. Capacity owned by a tenant is paid by that
 * tenant. The rest is split by usage or quota. If no tenant has usage or quota, the line is not
 * charged.
 */
public final class IdleCosts {
  private final IdleCostPolicy policy;
  private final PriceSpans spans;
  private final SortedMap<TenantId, Long> used = new TreeMap<>();
  private final Map<String, SortedMap<TenantId, Long>> usedOfModel = new TreeMap<>();
  private final SortedMap<IdleLine.Key, Long> sums = new TreeMap<>();

  public IdleCosts(IdleCostPolicy policy, PriceSpans spans, Collection<TenantUse> uses) {
    this.policy = policy;
    this.spans = spans;
    for (TenantUse use : uses) {
      used.merge(use.tenant(), use.milliMillis(), Math::addExact);
      usedOfModel
          .computeIfAbsent(use.model(), m -> new TreeMap<>())
          .merge(use.tenant(), use.milliMillis(), Math::addExact);
    }
  }

  /** Adds usage. The order does not matter. */
  public void add(IdleUse idle) {
    Price price = spans.run(idle.cluster(), idle.pool(), idle.flavor(), idle.span()).price();
    Money perGpuHour = price == null ? null : price.perUnit();
    sums.merge(
        new IdleLine.Key(
            idle.owner(), idle.flavor(), idle.bucket(), policy.rule(idle.bucket()), perGpuHour),
        idle.milliMillis(),
        Math::addExact);
  }

  /** The total, regardless of whether tenants pay it. Each line is rounded once. */
  public List<IdleLine> lines() {
    List<IdleLine> lines = new ArrayList<>();
    sums.forEach((key, milliMillis) -> {
      Money price = key.perGpuHour();
      BigInteger micros = price == null ? BigInteger.ZERO : StatementLine.cost(price, milliMillis);
      lines.add(new IdleLine(key, BigInteger.valueOf(milliMillis), micros));
    });
    return lines;
  }

  /** Share of each tenant in a line, empty if it is not charged. */
  public SortedMap<TenantId, IdleLine> shares(IdleLine line) {
    SortedMap<TenantId, Long> weights = weights(line.key());
    SortedMap<TenantId, BigInteger> micros = Portions.of(line.micros(), weights);
    SortedMap<TenantId, BigInteger> times = Portions.of(line.milliMillis(), weights);
    SortedMap<TenantId, IdleLine> shares = new TreeMap<>();
    times.forEach((tenant, time) -> {
      IdleLine share = new IdleLine(line.key(), time, micros.getOrDefault(tenant, BigInteger.ZERO));
      if (!share.isNothing()) {
        shares.put(tenant, share);
      }
    });
    return shares;
  }

  /** Amount that one tenant pays. */
  public List<IdleLine> shares(TenantId tenant) {
    List<IdleLine> shares = new ArrayList<>();
    for (IdleLine line : lines()) {
      IdleLine share = shares(line).get(tenant);
      if (share != null) {
        shares.add(share);
      }
    }
    return shares;
  }

  private SortedMap<TenantId, Long> weights(IdleLine.Key key) {
    if (key.perGpuHour() == null || key.rule() == IdleRule.APART) {
      return new TreeMap<>();
    }
    TenantId owner = key.owner();
    if (owner != null) {
      return new TreeMap<>(Map.of(owner, 1L));
    }
    return switch (key.rule()) {
      case APART -> new TreeMap<>();
      case BY_QUOTA -> policy.weights();
      case BY_USE -> usedOfModel.getOrDefault(key.flavor().model(), used);
    };
  }
}
