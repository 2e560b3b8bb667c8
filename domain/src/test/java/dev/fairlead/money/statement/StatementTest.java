package dev.fairlead.money.statement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.problem.Refusal;
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
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.YearMonth;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class StatementTest {
  private static final long GPU_HOUR = 3_600_000_000L;
  private static final YearMonth MONTH = YearMonth.of(2030, 1);
  private static final Instant BEGIN = Statement.begin(MONTH);
  private static final Instant END = Statement.end(MONTH);
  private static final ClusterId EU = new ClusterId(new UUID(7, 1));
  private static final ClusterId US = new ClusterId(new UUID(7, 2));
  private static final StatementUse.Names NAMES =
      new StatementUse.Names("nlp", "research", "eu", null);

  private final List<Price> book = new ArrayList<>();

  private static Instant at(double hours) {
    return BEGIN.plusMillis((long) (hours * 3_600_000));
  }

  private static StatementKey key(ClusterId cluster) {
    return new StatementKey(
        new ProjectId(new UUID(1, 1)),
        new QuotaNodeId(new UUID(2, 1)),
        cluster,
        "",
        new Flavor("H100", CapacityType.SPOT));
  }

  private Price price(@Nullable ClusterId cluster, long micros, double from, @Nullable Double to) {
    Price price =
        new Price(
            new PriceId(new UUID(3, book.size())),
            new PriceScope(cluster, null, null, null),
            new Money(micros, "EUR"),
            new Validity(at(from), to == null ? null : at(to)),
            null,
            null,
            BEGIN.minus(Duration.ofDays(1)));
    book.add(price);
    return price;
  }

  private PriceSpans spans() {
    return new PriceSpans(new PriceBook(book), BEGIN, END);
  }

  /** Like the database: each hour of the month, in the last span that has begun. */
  private static StatementSums used(PriceSpans spans, StatementKey key, long... hours) {
    StatementSums sums = new StatementSums(spans);
    for (int hour = 0; hour < hours.length; hour++) {
      long begin = at(hour).toEpochMilli();
      int span = (int) spans.begins().stream().filter(each -> each <= begin).count() - 1;
      sums.add(new StatementUse(key, NAMES, span, hours[hour]));
    }
    return sums;
  }

  private static List<String> told(List<StatementLine> lines) {
    return lines.stream()
        .map(line -> {
          StatementLine.Charge charge = line.charge();
          return "%s..%s %d: %s"
              .formatted(
                  Duration.between(BEGIN, line.from()).toHours(),
                  Duration.between(BEGIN, line.to()).toHours(),
                  line.milliMillis(),
                  charge == null ? "no cost" : charge.micros());
        })
        .toList();
  }

  /** Fails when an hour is charged at a price other than the price at its start. */
  @Test
  void priceAtTheStartOfAnHourAppliesToTheHour() {
    price(null, 1_000_000, 0, 1.5);
    price(null, 3_000_000, 1.5, 3.0);

    assertThat(told(used(spans(), key(EU), GPU_HOUR, GPU_HOUR, GPU_HOUR, GPU_HOUR).lines()))
        .containsExactly(
            "0..2 %d: 2000000".formatted(2 * GPU_HOUR),
            "2..3 %d: 3000000".formatted(GPU_HOUR),
            "3..744 %d: no cost".formatted(GPU_HOUR));
  }

  /** Fails when a change of another price splits a line, so that it is rounded twice. */
  @Test
  void lineIsSplitOnlyWhereItsPriceChanges() {
    price(null, 1, -5, null);
    price(US, 2, 1, 2.0);

    assertThat(told(used(spans(), key(EU), GPU_HOUR / 4, GPU_HOUR / 4, GPU_HOUR / 4).lines()))
        .containsExactly("0..744 %d: 1".formatted(3 * GPU_HOUR / 4));
    assertThat(told(used(spans(), key(US), GPU_HOUR, GPU_HOUR, GPU_HOUR).lines()))
        .containsExactly(
            "0..1 %d: 1".formatted(GPU_HOUR),
            "1..2 %d: 2".formatted(GPU_HOUR),
            "2..744 %d: 1".formatted(GPU_HOUR));
  }

  /** Fails when use without a price is dropped. */
  @Test
  void useWithoutAPriceIsALineWithoutCost() {
    List<StatementLine> lines = used(spans(), key(EU), 5, 6).lines();

    assertThat(told(lines)).containsExactly("0..744 11: no cost");
    assertThat(StatementTotals.of(lines, List.of(), List.of()).withoutCost()).isEqualTo(11);
  }

  /** Fails when a line is only rounded up or only down, or its sum uses floating point. */
  @Test
  void eachLineIsRoundedOnceHalfToEven() {
    price(null, 1, 0, null);
    PriceSpans spans = spans();

    assertThat(told(used(spans, key(EU), GPU_HOUR / 2).lines())).first().asString().endsWith(": 0");
    assertThat(told(used(spans, key(EU), 3 * GPU_HOUR / 2).lines()))
        .first()
        .asString()
        .endsWith(": 2");
    assertThat(told(used(spans, key(EU), GPU_HOUR / 2 + 1).lines()))
        .first()
        .asString()
        .endsWith(": 1");
    book.clear();
    price(null, 1_000_000_000_000L, 0, null);
    assertThat(told(used(spans(), key(EU), 1_000_000 * GPU_HOUR + 1).lines()))
        .first()
        .asString()
        .endsWith(": 1000000000000000278");
  }

  /** Fails when random price changes lose or double use, or totals differ from the lines. */
  @Test
  void linesOfRandomBooksAddUpToTheUse() {
    for (int seed = 0; seed < 200; seed++) {
      Random random = new Random(seed);
      book.clear();
      for (int i = random.nextInt(8); i > 0; i--) {
        double from = random.nextDouble() * 900 - 50;
        price(
            random.nextBoolean() ? EU : null,
            random.nextLong(5_000_000),
            from,
            from + random.nextDouble() * 300);
      }
      long[] hours = random.longs(744, 0, 8 * GPU_HOUR).toArray();

      List<StatementLine> lines = used(spans(), key(EU), hours).lines();

      long sum = Arrays.stream(hours).sum();
      assertThat(StatementTotals.of(lines, List.of(), List.of()).milliMillis())
          .as("seed %d", seed)
          .isEqualTo(sum);
      PriceBook prices = new PriceBook(book);
      for (StatementLine line : lines) {
        StatementLine.Charge charge = line.charge();
        for (Instant hour = line.from(); hour.isBefore(line.to()); hour = hour.plusSeconds(3600)) {
          assertThat(
                  prices.at(EU, null, "H100", CapacityType.SPOT, hour).map(Price::id).orElse(null))
              .as("seed %d at %s", seed, hour)
              .isEqualTo(charge == null ? null : charge.price());
        }
      }
    }
  }

  /** Fails when a difference is not shown, or signed lines and corrections do not add up. */
  @Test
  void correctionsAreTheAmountsToAddToTheSignedLines() {
    price(null, 2_000_000, 0, 2.0);
    List<StatementLine> signed = used(spans(), key(EU), GPU_HOUR, GPU_HOUR, GPU_HOUR).lines();
    List<StatementLine> now = used(spans(), key(EU), GPU_HOUR, 0, 0).lines();
    List<StatementLine> later = used(spans(), key(US), 7).lines();

    assertThat(Corrections.between(signed, signed)).isEmpty();
    assertThat(told(Corrections.between(signed, now)))
        .containsExactly(
            "0..2 %d: -2000000".formatted(-GPU_HOUR), "2..744 %d: no cost".formatted(-GPU_HOUR));
    List<StatementLine> moved = Corrections.between(signed, later);
    assertThat(moved).hasSize(3);
    List<StatementLine> all = new ArrayList<>(signed);
    all.addAll(moved);
    assertThat(StatementTotals.of(all, List.of(), List.of()))
        .isEqualTo(StatementTotals.of(later, List.of(), List.of()));
  }

  /** Fails when a statement may grow without bound. */
  @Test
  void numberOfLinesIsBounded() {
    StatementSums sums = new StatementSums(spans());
    for (int i = 0; i < StatementSums.MOST; i++) {
      sums.add(new StatementUse(project(i), NAMES, 0, 1));
    }

    sums.add(new StatementUse(project(-1), NAMES, 0, 1));
    assertThatThrownBy(sums::lines)
        .isInstanceOf(Refusal.class)
        .hasMessageContaining("more than 50000 lines");
  }

  /** Fails when totals need all lines in memory, or round their sum. */
  @Test
  void totalsAreUnbounded() {
    price(null, 1, 0, null);
    StatementTotals.Sum sum = new StatementTotals.Sum();
    LineSums lines = new LineSums(spans(), sum::add);
    int many = StatementSums.MOST + 2;
    for (int i = 0; i < many; i++) {
      lines.add(new StatementUse(project(i), NAMES, 0, 3 * GPU_HOUR / 4));
    }
    lines.end();

    assertThat(sum.totals().milliMillis()).isEqualTo(many * 3 * GPU_HOUR / 4);
    assertThat(sum.totals().micros()).containsEntry("EUR", BigInteger.valueOf(many));
  }

  /** Fails when an amount has to fit into 64 bits: such a month would have no statement. */
  @Test
  void amountsMayHaveAnySize() {
    price(null, Long.MAX_VALUE, 0, null);
    BigInteger most = BigInteger.valueOf(Long.MAX_VALUE);

    List<StatementLine> lines = used(spans(), key(EU), 2 * GPU_HOUR, GPU_HOUR).lines();

    assertThat(StatementTotals.of(lines, List.of(), List.of()).micros())
        .containsEntry("EUR", most.multiply(BigInteger.valueOf(3)));
  }

  /**
   * Fails when each capacity searches all prices for each span of the month: with 10,000 prices
   * that takes five times as long. Seen to fail with a search by spans. Measures CPU time, which
   * other load does not affect.
   */
  @Test
  void fullBookIsReadOncePerCapacity() {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    long begin = threads.getCurrentThreadCpuTime();
    for (int i = 0; i < PriceBook.MOST; i++) {
      double from = i % 744;
      price(new ClusterId(new UUID(8, i / 744)), i, from, from + 1);
    }
    PriceSpans spans = spans();

    for (int i = 0; i < 1_000; i++) {
      StatementKey any = key(new ClusterId(new UUID(8, i % 13)));
      StatementKey pool =
          new StatementKey(any.project(), any.queue(), any.cluster(), "p" + i, any.flavor());
      assertThat(spans.run(pool.cluster(), pool.pool(), pool.flavor(), 5).price())
          .isEqualTo(book.get(i % 13 * 744 + 5));
    }
    assertThat(Duration.ofNanos(threads.getCurrentThreadCpuTime() - begin))
        .isLessThan(Duration.ofSeconds(14));
  }

  private static StatementKey project(int number) {
    StatementKey any = key(EU);
    return new StatementKey(
        new ProjectId(new UUID(1, number)), any.queue(), EU, any.pool(), any.flavor());
  }
}
