package dev.fairlead.money.statement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.data.volume.VolumeId;
import dev.fairlead.data.volume.VolumeStay;
import dev.fairlead.kernel.identity.ClusterId;
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
import java.util.Random;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Lines of volumes, in a month of 720 hours. */
class VolumeLineTest {
  private static final YearMonth JUNE = YearMonth.of(2030, 6);
  private static final Instant BEGIN = Statement.begin(JUNE);
  private static final Instant END = Statement.end(JUNE);
  private static final ClusterId EU = new ClusterId(new UUID(7, 1));
  private static final VolumeLine.Names NAMES = new VolumeLine.Names("training", "nlp", "eu", null);

  private final List<Price> book = new ArrayList<>();

  private static Instant at(double hours) {
    return BEGIN.plusMillis((long) (hours * 3_600_000));
  }

  private void price(@Nullable String storageClass, long micros, double from, @Nullable Double to) {
    book.add(
        new Price(
            new PriceId(new UUID(3, book.size())),
            PriceScope.of(null, new PriceScope.Storage(storageClass)),
            new Money(micros, "EUR"),
            new Validity(at(from), to == null ? null : at(to)),
            null,
            null,
            BEGIN.minus(Duration.ofDays(90))));
  }

  private static VolumeStay stay(
      int volume, long sizeGib, @Nullable String storageClass, Instant from, Instant to) {
    return new VolumeStay(
        new VolumeId(new UUID(5, volume)),
        new ProjectId(new UUID(1, 1)),
        "training",
        sizeGib,
        storageClass,
        EU,
        from,
        to);
  }

  private List<VolumeLine> lines(VolumeStay stay) {
    return VolumeLine.of(stay, NAMES, new PriceSpans(new PriceBook(book), BEGIN, END));
  }

  private static List<String> told(List<VolumeLine> lines) {
    return lines.stream()
        .map(line -> {
          VolumeLine.Charge charge = line.charge();
          return "%s..%s %s: %s"
              .formatted(
                  Duration.between(BEGIN, line.from()).toHours(),
                  Duration.between(BEGIN, line.to()).toHours(),
                  VolumeStay.gibHours(line.gibMillis()).stripTrailingZeros().toPlainString(),
                  charge == null ? "no cost" : charge.micros());
        })
        .toList();
  }

  /**
   * Fails when a price counts from a different hour than the next one that begins, when a month has
   * a wrong length, or when a line is rounded twice. By hand: 100 GiB for 240 of 720 hours at 0.12
   * are 4.00; 250 GiB for 133 hours at 0.12 are 5.541666..., and for 347 hours at 0.18 21.6875.
   */
  @Test
  void growthAcrossAPriceChangeCostsTheHandComputedAmount() {
    price(null, 120_000, -1000, 372.5);
    price(null, 180_000, 372.5, null);

    assertThat(told(lines(stay(1, 100, null, BEGIN, at(240)))))
        .containsExactly("0..240 24000: 4000000");
    assertThat(told(lines(stay(2, 250, null, at(240), END))))
        .containsExactly("240..373 33250: 5541667", "373..720 86750: 21687500");
  }

  /** Fails when one GiB that is stored for a whole month does not cost exactly the price. */
  @Test
  void aWholeMonthCostsThePriceOfAGib() {
    price(null, 80_001, 0, null);

    assertThat(told(lines(stay(1, 1, null, BEGIN, END)))).containsExactly("0..720 720: 80001");
  }

  /** Fails when a volume without a price costs nothing, or is not listed. */
  @Test
  void volumeWithoutAPriceIsALineWithoutCost() {
    price("fast", 1_000_000, 0, null);

    assertThat(told(lines(stay(1, 10, "slow", at(1), at(3))))).containsExactly("1..3 20: no cost");
    assertThat(told(lines(stay(1, 10, null, at(1), at(3))))).containsExactly("1..3 20: no cost");
    assertThat(told(lines(stay(1, 10, "fast", at(1), at(3))))).containsExactly("1..3 20: 27778");
  }

  /** Fails when lines of random stays and prices lose or double storage time. */
  @Test
  void linesAddUpToTheStorageTime() {
    Random random = new Random(1);
    for (int i = 0; i < 200; i++) {
      book.clear();
      for (int j = random.nextInt(6); j > 0; j--) {
        double begin = random.nextDouble() * 800 - 50;
        price(random.nextBoolean() ? "fast" : null, j, begin, begin + random.nextDouble() * 300);
      }
      Instant from = BEGIN.plusNanos(random.nextLong(700L * 3_600_000_000_000L));
      Instant to = from.plusNanos(random.nextLong(Duration.between(from, END).toNanos()));
      VolumeStay stay = stay(i, 1 + random.nextInt(1000), "fast", from, to);

      BigInteger sum =
          lines(stay).stream().map(VolumeLine::gibMillis).reduce(BigInteger.ZERO, BigInteger::add);

      assertThat(sum).isEqualTo(stay.gibMillis(from, to));
    }
  }

  /** Fails when a correction is not the difference to add, or a new name counts as a correction. */
  @Test
  void correctionsAreTheAmountsToAddToTheSignedLines() {
    price(null, 720_000, 0, null);
    List<VolumeLine> signed = lines(stay(1, 10, null, BEGIN, END));
    List<VolumeLine> now = lines(stay(1, 10, null, BEGIN, at(719)));
    List<VolumeLine> renamed =
        signed.stream()
            .map(line ->
                new VolumeLine(
                    line.key(),
                    new VolumeLine.Names("archive", "nlp", "eu", "CC-1"),
                    line.from(),
                    line.to(),
                    line.gibMillis(),
                    line.charge()))
            .toList();

    assertThat(Corrections.ofVolumes(signed, renamed)).isEmpty();
    List<VolumeLine> rows = Corrections.ofVolumes(signed, now);
    assertThat(told(rows)).containsExactly("0..719 7190: 7190000", "0..720 -7200: -7200000");
    List<VolumeLine> all = new ArrayList<>(signed);
    all.addAll(rows);
    assertThat(StatementTotals.of(List.of(), all, List.of()))
        .isEqualTo(StatementTotals.of(List.of(), now, List.of()));
  }

  /**
   * Fails when months that were signed before prices of storage get correction rows without an
   * amount.
   */
  @Test
  void volumeWithoutAPriceDoesNotCorrectAnEarlierDocument() {
    List<VolumeLine> unpriced = lines(stay(1, 10, null, BEGIN, END));

    assertThat(Corrections.ofVolumes(List.of(), unpriced)).isEmpty();
    assertThat(Corrections.ofVolumes(unpriced, List.of())).hasSize(1);
  }
}
