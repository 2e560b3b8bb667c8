package dev.fairlead.money.statement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.quota.QuotaNodeId;
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
import dev.fairlead.people.tenant.ProjectId;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.YearMonth;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SavingsTest {
  private static final long GPU_HOUR = 3_600_000_000L;
  private static final Instant BEGIN = Statement.begin(YearMonth.of(2030, 1));
  private static final Instant END = Statement.end(YearMonth.of(2030, 1));
  private static final ClusterId EU = new ClusterId(new UUID(7, 1));
  private static final ClusterId US = new ClusterId(new UUID(7, 2));

  private final List<Price> book = new ArrayList<>();
  private final List<StatementUse> uses = new ArrayList<>();

  private void price(@Nullable ClusterId cluster, CapacityType capacity, long euros, int fromHour) {
    price(cluster, capacity, new Money(euros * 1_000_000, "EUR"), fromHour, null);
  }

  private void price(
      @Nullable ClusterId cluster,
      CapacityType capacity,
      Money money,
      int fromHour,
      @Nullable Instant to) {
    book.add(
        new Price(
            new PriceId(new UUID(3, book.size())),
            new PriceScope(cluster, null, null, capacity),
            money,
            new Validity(BEGIN.plus(Duration.ofHours(fromHour)), to),
            null,
            null,
            BEGIN.minus(Duration.ofDays(1))));
  }

  private void used(ClusterId cluster, CapacityType capacity, int span, long milliMillis) {
    StatementKey key =
        new StatementKey(
            new ProjectId(new UUID(1, 1)),
            new QuotaNodeId(new UUID(2, 1)),
            cluster,
            "",
            new Flavor("H100", capacity));
    uses.add(
        new StatementUse(
            key, new StatementUse.Names("nlp", "research", "eu", null), span, milliMillis));
  }

  private Savings savings() {
    PriceBook prices = new PriceBook(book);
    SavingsSums sums = new SavingsSums(prices, new PriceSpans(prices, BEGIN, END));
    uses.forEach(sums::add);
    return sums.savings();
  }

  private static BigInteger euros(long amount) {
    return BigInteger.valueOf(amount * 1_000_000);
  }

  /** Fails when the three amounts are not for the same usage. */
  @Test
  void allThreeAmountsAreOfTheSameUse() {
    price(null, CapacityType.RESERVED, 1, 0);
    price(EU, CapacityType.ON_DEMAND, 4, 0);
    price(EU, CapacityType.SPOT, 2, 0);
    used(EU, CapacityType.RESERVED, 0, 10 * GPU_HOUR);
    used(EU, CapacityType.ON_DEMAND, 0, 3 * GPU_HOUR);
    used(EU, CapacityType.SPOT, 0, 5 * GPU_HOUR);

    Savings.Line line = savings().lines().getFirst();
    assertThat(line.milliMillis()).isEqualTo(18 * GPU_HOUR);
    assertThat(line.paid()).isEqualTo(euros(10 + 12 + 10));
    assertThat(line.allOnDemand()).isEqualTo(euros(18 * 4));
    assertThat(line.saved()).isEqualTo(euros(40));
    assertThat(line.reservedOnly()).isEqualTo(euros(10));
    assertThat(line.beyondReserved()).isEqualTo(euros(22));
  }

  /** Fails when the on-demand price of another hour counts. */
  @Test
  void onDemandPriceIsThatOfTheHour() {
    price(null, CapacityType.RESERVED, 1, 0);
    price(
        EU,
        CapacityType.ON_DEMAND,
        new Money(4_000_000, "EUR"),
        0,
        BEGIN.plus(Duration.ofHours(5)));
    price(EU, CapacityType.ON_DEMAND, 6, 5);
    used(EU, CapacityType.RESERVED, 0, GPU_HOUR);
    used(EU, CapacityType.RESERVED, 1, GPU_HOUR);

    assertThat(savings().lines().getFirst().allOnDemand()).isEqualTo(euros(10));
  }

  /**
   * Fails when a cluster without an on-demand price gets a higher price, or its own price is
   * ignored.
   */
  @Test
  void clusterWithoutAnOnDemandPriceUsesTheLowestOfTheOthers() {
    ClusterId asia = new ClusterId(new UUID(7, 3));
    price(null, CapacityType.RESERVED, 1, 0);
    price(US, CapacityType.ON_DEMAND, 5, 0);
    price(asia, CapacityType.ON_DEMAND, 3, 0);
    used(EU, CapacityType.RESERVED, 0, GPU_HOUR);
    used(US, CapacityType.RESERVED, 0, GPU_HOUR);

    assertThat(savings().lines().getFirst().allOnDemand()).isEqualTo(euros(3 + 5));
  }

  /** Fails when currencies are compared, or use without a price is lost. */
  @Test
  void incomparableUseIsListedSeparately() {
    price(EU, CapacityType.RESERVED, 1, 0);
    price(EU, CapacityType.ON_DEMAND, new Money(4_000_000, "USD"), 0, null);
    used(EU, CapacityType.RESERVED, 0, GPU_HOUR);
    used(US, CapacityType.RESERVED, 0, 2 * GPU_HOUR);
    used(EU, CapacityType.ON_DEMAND, 0, GPU_HOUR);

    Savings savings = savings();
    assertThat(savings.notCompared()).isEqualTo(3 * GPU_HOUR);
    assertThat(savings.notComparedPaid()).containsOnly(Map.entry("EUR", euros(1)));
    assertThat(savings.lines()).extracting(Savings.Line::currency).containsExactly("USD");
    assertThat(savings.lines().getFirst().saved()).isZero();
  }

  /**
   * Fails when usage is lost or counted twice: compared and not compared usage must equal the
   * statement.
   */
  @Test
  void comparedAndIncomparableLinesCoverTheWholeStatement() {
    Random random = new Random(5);
    price(null, CapacityType.RESERVED, 1, 0);
    price(EU, CapacityType.ON_DEMAND, 4, 100);
    price(US, CapacityType.SPOT, 2, 300);
    for (int i = 0; i < 500; i++) {
      used(
          random.nextBoolean() ? EU : US,
          CapacityType.values()[random.nextInt(3)],
          random.nextInt(3),
          random.nextInt(50) * GPU_HOUR);
    }
    PriceBook prices = new PriceBook(book);
    StatementSums sums = new StatementSums(new PriceSpans(prices, BEGIN, END));
    uses.forEach(sums::add);
    StatementTotals statement = StatementTotals.of(sums.lines(), List.of(), List.of());

    Savings savings = savings();
    BigInteger paid =
        savings.lines().stream().map(Savings.Line::paid).reduce(BigInteger.ZERO, BigInteger::add);
    assertThat(paid.add(savings.notComparedPaid().getOrDefault("EUR", BigInteger.ZERO)))
        .isEqualTo(statement.micros().get("EUR"));
    assertThat(
            savings.lines().stream().mapToLong(Savings.Line::milliMillis).sum()
                + savings.notCompared())
        .isEqualTo(statement.milliMillis());
  }
}
