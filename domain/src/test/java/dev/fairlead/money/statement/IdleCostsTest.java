package dev.fairlead.money.statement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.money.price.Money;
import dev.fairlead.money.price.Price;
import dev.fairlead.money.price.PriceBook;
import dev.fairlead.money.price.PriceId;
import dev.fairlead.money.price.PriceScope;
import dev.fairlead.money.price.PriceSpans;
import dev.fairlead.money.price.Validity;
import dev.fairlead.money.usage.UsageBucket;
import dev.fairlead.people.tenant.TenantId;
import java.math.BigInteger;
import java.time.Instant;
import java.time.YearMonth;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The cost of idle capacity, divided among tenants to the last unit. */
class IdleCostsTest {
  private static final YearMonth MONTH = YearMonth.of(2030, 1);
  private static final Instant BEGIN = Statement.begin(MONTH);
  private static final ClusterId CLUSTER = new ClusterId(new UUID(1, 1));
  private static final Flavor H100 = new Flavor("H100", CapacityType.RESERVED);
  private static final long HOUR = 3_600_000_000L;
  private static final PriceSpans SPANS =
      new PriceSpans(
          new PriceBook(
              List.of(
                  price(1, "H100", 2_000_001, "EUR"),
                  price(2, "B200", 3_333_333, "EUR"),
                  price(3, "A100", 777_777, "USD"))),
          BEGIN,
          Statement.end(MONTH));

  private static Price price(long id, String model, long micros, String currency) {
    return new Price(
        new PriceId(new UUID(3, id)),
        new PriceScope(null, null, model, null),
        new Money(micros, currency),
        new Validity(BEGIN, null),
        null,
        null,
        BEGIN);
  }

  private static TenantId tenant(long id) {
    return new TenantId(new UUID(2, id));
  }

  private static IdleCostPolicy policy(
      String from, IdleRule idle, IdleRule outOfService, SortedMap<TenantId, Long> weights) {
    return new IdleCostPolicy(
        YearMonth.parse(from), idle, outOfService, weights, "ops", Instant.EPOCH);
  }

  private static IdleUse idle(
      @Nullable TenantId owner, String model, UsageBucket bucket, long milliMillis) {
    return new IdleUse(
        0, CLUSTER, "", owner, new Flavor(model, H100.capacity()), bucket, milliMillis);
  }

  private static BigInteger sum(Collection<IdleLine> lines) {
    return lines.stream().map(IdleLine::micros).reduce(BigInteger.ZERO, BigInteger::add);
  }

  /**
   * For random fleets, uses and weights the shares of tenants add up to the whole cost, in money
   * and in time, and no share is below its weight. Fails when remainders are dropped, or each share
   * is rounded separately.
   */
  @Test
  void sharesAddUpToTheLastUnit() {
    for (long seed = 1; seed <= 300; seed++) {
      Random random = new Random(seed);
      List<TenantUse> uses = new ArrayList<>();
      SortedMap<TenantId, Long> weights = new TreeMap<>();
      int tenants = 1 + random.nextInt(7);
      for (int i = 0; i < tenants; i++) {
        uses.add(new TenantUse(tenant(i), model(random), 1 + random.nextLong(1_000_000 * HOUR)));
        weights.put(tenant(i), 1L + random.nextInt(5));
      }
      IdleCosts costs =
          new IdleCosts(policy("2030-01", rule(random), rule(random), weights), SPANS, uses);
      for (int i = 0; i < 40; i++) {
        TenantId owner = random.nextInt(4) == 0 ? tenant(random.nextInt(tenants)) : null;
        UsageBucket bucket = UsageBucket.values()[random.nextInt(UsageBucket.values().length)];
        if (bucket != UsageBucket.USED) {
          costs.add(idle(owner, model(random), bucket, random.nextLong(100_000 * HOUR)));
        }
      }
      Map<TenantId, BigInteger> paid = new TreeMap<>();
      for (IdleLine line : costs.lines()) {
        SortedMap<TenantId, IdleLine> shares = costs.shares(line);
        shares.forEach((t, share) -> paid.merge(t, share.micros(), BigInteger::add));
        assertThat(sum(shares.values())).as("seed %d, %s", seed, line).isEqualTo(line.micros());
        assertThat(
                shares.values().stream()
                    .map(IdleLine::milliMillis)
                    .reduce(BigInteger.ZERO, BigInteger::add))
            .isEqualTo(line.milliMillis());
      }
      for (int i = 0; i < tenants; i++) {
        assertThat(sum(costs.shares(tenant(i))))
            .isEqualTo(paid.getOrDefault(tenant(i), BigInteger.ZERO));
      }
    }
  }

  private static String model(Random random) {
    return List.of("H100", "B200", "A100").get(random.nextInt(3));
  }

  private static IdleRule rule(Random random) {
    return random.nextBoolean() ? IdleRule.BY_USE : IdleRule.BY_QUOTA;
  }

  private static List<Long> portions(long amount, long... weights) {
    SortedMap<Integer, Long> by = new TreeMap<>();
    LongStream.of(weights).forEach(weight -> by.put(by.size(), weight));
    return Portions.of(BigInteger.valueOf(amount), by).values().stream()
        .map(BigInteger::longValue)
        .toList();
  }

  /** Fails when remainders are assigned differently, or differ between calls. */
  @Test
  void leftoverUnitsGoToTheLargestRemainders() {
    assertThat(portions(10, 1, 1, 1)).containsExactly(4L, 3L, 3L);
    assertThat(portions(10, 1, 2, 2)).containsExactly(2L, 4L, 4L);
    assertThat(portions(100, 3, 3, 1)).containsExactly(43L, 43L, 14L);
    assertThat(portions(1, 0, 5, 5)).containsExactly(0L, 1L, 0L);
    assertThat(portions(7, 0, 0)).isEmpty();
  }

  /** Fails when users of another model pay, or other tenants pay for a tenant's pool. */
  @Test
  void usersOfTheModelPayAndOwnersPayTheirOwn() {
    IdleCosts costs =
        new IdleCosts(
            policy("2030-01", IdleRule.BY_USE, IdleRule.APART, new TreeMap<>()),
            SPANS,
            List.of(
                new TenantUse(tenant(1), "H100", 3 * HOUR),
                new TenantUse(tenant(2), "H100", HOUR),
                new TenantUse(tenant(3), "B200", 96 * HOUR)));
    costs.add(idle(null, "H100", UsageBucket.FREE, 4 * HOUR));
    costs.add(idle(tenant(3), "H100", UsageBucket.FREE, 2 * HOUR));
    costs.add(idle(null, "H100", UsageBucket.SICK, HOUR));
    costs.add(idle(null, "A100", UsageBucket.KEPT, 100 * HOUR));
    costs.add(idle(null, "L4", UsageBucket.FREE, HOUR));

    assertThat(costs.lines()).hasSize(5);
    assertThat(costs.shares(tenant(1)))
        .extracting(IdleLine::micros)
        .containsExactly(BigInteger.valueOf(777_777 * 3), BigInteger.valueOf(6_000_003));
    assertThat(costs.shares(tenant(2)).getLast().micros()).isEqualTo(BigInteger.valueOf(2_000_001));
    assertThat(costs.shares(tenant(3)))
        .extracting(line -> line.key().owner())
        .containsExactly(null, tenant(3));
    assertThat(costs.shares(tenant(3)).getFirst().micros())
        .isEqualTo(BigInteger.valueOf(777_777L * 96));
  }

  /** Fails when a policy of a later month, or a policy replaced before its start, applies. */
  @Test
  void policyOfAMonthIsTheLatestThatHasBegun() {
    SortedMap<TenantId, Long> none = new TreeMap<>();
    IdleCostPolicy first = policy("2030-02", IdleRule.BY_USE, IdleRule.APART, none);
    IdleCostPolicy later = policy("2030-05", IdleRule.APART, IdleRule.APART, none);
    IdleCostPolicy instead = policy("2030-02", IdleRule.BY_USE, IdleRule.BY_USE, none);
    List<IdleCostPolicy> written = List.of(first, later, instead);

    assertThat(IdleCostPolicy.of(written, YearMonth.of(2030, 1))).isSameAs(IdleCostPolicy.NONE);
    assertThat(IdleCostPolicy.of(written, YearMonth.of(2030, 4))).isSameAs(instead);
    assertThat(IdleCostPolicy.of(written, YearMonth.of(2031, 4))).isSameAs(later);
    assertThat(IdleCostPolicy.NONE.distributes()).isFalse();
    assertThat(first.rule(UsageBucket.MAINTENANCE)).isEqualTo(IdleRule.APART);
    assertThat(first.rule(UsageBucket.STRANDED)).isEqualTo(IdleRule.BY_USE);
  }

  /** Fails when the corrections lack a signed share that was removed or grew. */
  @Test
  void correctionsAreTheAmountsToAdd() {
    IdleLine.Key key =
        new IdleLine.Key(
            null, H100, UsageBucket.FREE, IdleRule.BY_USE, new Money(2_000_000, "EUR"));
    IdleLine signed = new IdleLine(key, BigInteger.TEN, BigInteger.valueOf(5));

    assertThat(Corrections.ofIdle(List.of(signed), List.of(signed))).isEmpty();
    assertThat(Corrections.ofIdle(List.of(signed), List.of()))
        .containsExactly(new IdleLine(key, BigInteger.TEN.negate(), BigInteger.valueOf(-5)));
    assertThat(Corrections.ofIdle(List.of(), List.of(signed))).containsExactly(signed);
  }
}
