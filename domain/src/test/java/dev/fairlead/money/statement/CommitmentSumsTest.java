package dev.fairlead.money.statement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.money.price.Commitment;
import dev.fairlead.money.price.Money;
import dev.fairlead.money.price.Price;
import dev.fairlead.money.price.PriceBook;
import dev.fairlead.money.price.PriceId;
import dev.fairlead.money.price.PriceScope;
import dev.fairlead.money.price.PriceSpans;
import dev.fairlead.money.price.Validity;
import dev.fairlead.money.usage.FleetUse;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Ten GPUs for ten hours at 1,000 EUR: 10 EUR for a GPU-hour. */
class CommitmentSumsTest {
  private static final Instant BEGIN = Instant.parse("2030-01-01T00:00:00Z");
  private static final ClusterId CLUSTER = new ClusterId(new UUID(1, 1));
  private static final Flavor H100 = new Flavor("H100", CapacityType.RESERVED);
  private static final long HOUR = 3_600_000L;
  private static final Commitment TEN = new Commitment(10, 1_000_000_000L);

  private static PriceBook book(Instant from, Duration time) {
    return new PriceBook(
        List.of(
            new Price(
                new PriceId(new UUID(2, 1)),
                new PriceScope(null, null, "H100", CapacityType.RESERVED),
                new Money(TEN.perGpuHour(time).longValueExact(), "EUR"),
                new Validity(from, from.plus(time)),
                null,
                TEN,
                from)));
  }

  private static CommitmentLine line(PriceBook book, int hours, long... gpus) {
    CommitmentSums sums =
        new CommitmentSums(book, new PriceSpans(book, BEGIN, BEGIN.plus(Duration.ofHours(hours))));
    for (int i = 0; i < gpus.length; i++) {
      long hour = BEGIN.toEpochMilli() + i * HOUR;
      sums.add(new FleetUse(hour, CLUSTER, "", H100, gpus[i] * 1000 * HOUR));
    }
    return sums.lines().getFirst();
  }

  private static BigInteger gpuHours(long hours) {
    return BigInteger.valueOf(hours * 1000 * HOUR);
  }

  @Test
  void costPerGpuHourIsTheShareOfTheCommitment() {
    assertThat(TEN.perGpuHour(Duration.ofHours(10))).isEqualTo(BigDecimal.valueOf(10_000_000));
    assertThat(new Commitment(3, 1_000_000).perGpuHour(Duration.ofHours(1)))
        .isEqualTo(BigDecimal.valueOf(333_333));
  }

  /** Fails when use above the commitment in one hour offsets idle GPUs of another. */
  @Test
  void unusedHourlyCommitmentIsLost() {
    CommitmentLine line = line(book(BEGIN, Duration.ofHours(10)), 10, 20, 0, 4);

    assertThat(line.committed()).isEqualTo(gpuHours(100));
    assertThat(line.used()).isEqualTo(gpuHours(14));
    assertThat(line.beyond()).isEqualTo(gpuHours(10));
    assertThat(line.unused()).isEqualTo(gpuHours(86));
    assertThat(line.cost()).isEqualTo(BigInteger.valueOf(1_000_000_000));
    assertThat(line.usedCost()).isEqualTo(BigInteger.valueOf(140_000_000));
    assertThat(line.unusedCost()).isEqualTo(BigInteger.valueOf(860_000_000));
  }

  /** Fails when two kinds of capacity at one price are each held against all of it. */
  @Test
  void allUseOfAnHourIsComparedWithTheCommitmentTogether() {
    PriceBook book = book(BEGIN, Duration.ofHours(10));
    CommitmentSums sums =
        new CommitmentSums(book, new PriceSpans(book, BEGIN, BEGIN.plus(Duration.ofHours(1))));
    for (String pool : List.of("", "a", "b")) {
      sums.add(new FleetUse(BEGIN.toEpochMilli(), CLUSTER, pool, H100, 6 * 1000 * HOUR));
    }

    assertThat(sums.lines().getFirst().used()).isEqualTo(gpuHours(10));
    assertThat(sums.lines().getFirst().beyond()).isEqualTo(gpuHours(8));
  }

  /** Fails when a report includes costs outside its period. */
  @Test
  void reportIncludesTheProratedCostToTheMillisecond() {
    Instant half = BEGIN.plus(Duration.ofMinutes(90));
    CommitmentLine line = line(book(half, Duration.ofHours(10)), 2, 5, 5);

    assertThat(line.committed()).isEqualTo(gpuHours(5));
    assertThat(line.cost()).isEqualTo(BigInteger.valueOf(50_000_000));
    assertThat(line.used()).as("its first whole hour begins at two").isZero();
  }

  @Test
  void commitmentOfAnotherPeriodIsIgnored() {
    PriceBook book = book(BEGIN.plus(Duration.ofDays(2)), Duration.ofHours(10));

    CommitmentSums sums =
        new CommitmentSums(book, new PriceSpans(book, BEGIN, BEGIN.plus(Duration.ofHours(1))));

    assertThat(sums.lines()).isEmpty();
  }
}
