package dev.fairlead.money.price;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.problem.FieldProblem;
import dev.fairlead.kernel.resources.CapacityType;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PriceBookTest {
  private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");
  private static final ClusterId EU = new ClusterId(new UUID(7, 1));
  private static final ClusterId US = new ClusterId(new UUID(7, 2));
  private static final PriceScope ANYWHERE = new PriceScope(null, null, null, null);
  private static final PriceScope ON_EU = new PriceScope(EU, null, null, null);

  private final List<Price> rows = new ArrayList<>();

  private static Instant day(int day) {
    return NOW.plus(Duration.ofDays(day));
  }

  private Price price(PriceScope scope, long micros, int from, @Nullable Integer to) {
    return new Price(
        new PriceId(new UUID(1, rows.size())),
        scope,
        new Money(micros, "EUR"),
        new Validity(day(from), to == null ? null : day(to)),
        null,
        null,
        NOW);
  }

  private Price kept(Price price) {
    assertThat(objection(price)).isEmpty();
    rows.add(price);
    return price;
  }

  private static Price replacing(Price old, Price next) {
    return new Price(
        next.id(),
        next.scope(),
        next.perUnit(),
        next.validity(),
        old.id(),
        null,
        next.recordedAt());
  }

  private Optional<FieldProblem> objection(Price price) {
    return new PriceBook(rows).objection(price, NOW);
  }

  private Optional<Price> at(int day) {
    return new PriceBook(rows).at(EU, "research", "H100", CapacityType.SPOT, day(day));
  }

  /** Fails when parts of a scope are compared in another order. */
  @Test
  void mostSpecificPriceApplies() {
    Price type = kept(price(new PriceScope(null, null, null, CapacityType.SPOT), 1, 0, null));
    kept(price(ANYWHERE, 2, 0, null));
    assertThat(at(0)).contains(type);
    Price model = kept(price(new PriceScope(null, null, "H100", null), 3, 0, null));
    assertThat(at(0)).contains(model);
    Price cluster = kept(price(ON_EU, 4, 0, null));
    assertThat(at(0)).contains(cluster);
    Price pool = kept(price(new PriceScope(null, "research", null, null), 5, 0, null));
    assertThat(at(0)).contains(pool);
  }

  @Test
  void priceOfOtherCapacityDoesNotApply() {
    kept(price(new PriceScope(US, null, null, null), 1, 0, null));
    kept(price(new PriceScope(null, "other", null, null), 1, 0, null));
    kept(price(new PriceScope(null, null, "A100", null), 1, 0, null));
    kept(price(new PriceScope(null, null, null, CapacityType.ON_DEMAND), 1, 0, null));

    assertThat(at(0)).isEmpty();
  }

  @Test
  void priceAppliesFromItsFirstInstantUntilItsEnd() {
    Price price = kept(price(ON_EU, 1, 2, 4));

    assertThat(at(1)).isEmpty();
    assertThat(at(2)).contains(price);
    assertThat(new PriceBook(rows).at(EU, null, "H100", CapacityType.SPOT, day(4).minusNanos(1)))
        .contains(price);
    assertThat(at(4)).isEmpty();
  }

  /** Fails when a price can start in the past: past costs would change. */
  @Test
  void pastPricesNeverChange() {
    Price late =
        new Price(
            new PriceId(new UUID(1, 9)),
            ON_EU,
            new Money(1, "EUR"),
            new Validity(NOW.minusNanos(1000), null),
            null,
            null,
            NOW);

    assertThat(objection(late).orElseThrow())
        .satisfies(problem -> {
          assertThat(problem.pointer()).isEqualTo("/from");
          assertThat(problem.detail())
              .satisfies(reason("price-book.past-price-book-never", "2029-12-31T23:59:59.999999Z"));
        });
  }

  /** Fails when two prices of one scope may apply at one instant. */
  @Test
  void overlappingPricesAreRejected() {
    Price first = kept(price(ON_EU, 4_100_000, 1, 5));

    assertThat(objection(price(ON_EU, 2, 4, null)).orElseThrow().detail())
        .isEqualTo(
            "Two prices would apply at the same time: %s of 4.10 EUR applies from 2030-01-02T00:00:00Z to 2030-01-06T00:00:00Z. Choose another time, or give it as replaces to end it at 2030-01-05T00:00:00Z."
                .formatted(first.id().text()));
    assertThat(objection(price(ON_EU, 2, 0, 2))).isPresent();
    assertThat(objection(price(ON_EU, 2, 0, 1))).isEmpty();
    assertThat(objection(price(ON_EU, 2, 5, null))).isEmpty();

    kept(price(ON_EU, 3, 6, null));
    assertThat(objection(price(ON_EU, 2, 7, null)).orElseThrow().detail())
        .satisfies(reason("price-book.applies-without-end", "2030-01-07T00:00:00Z"));
    assertThat(objection(price(ANYWHERE, 2, 4, null))).isEmpty();
  }

  @Test
  void priceThatEndsBeforeItsStartIsRejected() {
    assertThat(objection(price(ON_EU, 1, 3, 3)).orElseThrow().pointer()).isEqualTo("/to");
  }

  /** Fails when a correction changes the earlier prices. */
  @Test
  void replacementEndsThePriceAndKeepsItsPast() {
    Price old = kept(price(ON_EU, 1, 0, null));
    Price next = kept(replacing(old, price(ON_EU, 2, 3, 6)));

    assertThat(at(2)).contains(old);
    assertThat(at(3)).contains(next);
    assertThat(at(6)).isEmpty();
    assertThat(new PriceBook(rows).effective(old)).isEqualTo(new Validity(day(0), day(3)));
  }

  /** Fails when only the direct replacement ends a price: two would apply on day 6. */
  @Test
  void earlierReplacementOfAReplacementEndsBoth() {
    Price old = kept(price(ON_EU, 1, 0, null));
    Price wrong = kept(replacing(old, price(ON_EU, 2, 10, null)));
    Price right = kept(replacing(wrong, price(ON_EU, 3, 5, null)));

    assertThat(at(4)).contains(old);
    assertThat(at(6)).contains(right);
    assertThat(at(11)).contains(right);
    assertThat(new PriceBook(rows).effective(wrong).empty()).isTrue();
  }

  private static PriceScope storage(@Nullable ClusterId cluster, @Nullable String storageClass) {
    return PriceScope.of(cluster, new PriceScope.Storage(storageClass));
  }

  /**
   * Fails when storage has the price of GPUs, or the storage class takes precedence over the
   * cluster.
   */
  @Test
  void storageHasSeparatePrices() {
    kept(price(ANYWHERE, 9, 0, null));
    Price any = kept(price(storage(null, null), 1, 0, null));
    Price fast = kept(price(storage(null, "fast"), 2, 0, null));
    Price eu = kept(price(storage(EU, null), 3, 0, null));
    PriceBook book = new PriceBook(rows);

    assertThat(book.covering(EU, "fast")).containsExactly(eu, fast, any);
    assertThat(book.covering(US, "fast")).containsExactly(fast, any);
    assertThat(book.covering(US, null)).containsExactly(any);
    assertThat(at(1)).map(Price::perUnit).contains(new Money(9, "EUR"));
    assertThat(objection(price(storage(null, "fast"), 5, 1, null)).orElseThrow().detail())
        .satisfies(reason("price-book.two-prices-one-moment"));
    assertThat(objection(replacing(fast, price(storage(null, "slow"), 5, 1, null))).orElseThrow())
        .extracting(FieldProblem::pointer)
        .isEqualTo("/replaces");
    kept(replacing(fast, price(storage(null, "fast"), 5, 1, null)));
  }

  @Test
  void invalidReplacementIsRejected() {
    Price old = kept(price(ON_EU, 1, 0, 5));
    assertThat(objection(replacing(old, price(ANYWHERE, 1, 1, null))).orElseThrow().detail())
        .satisfies(reason("price-book.another-cluster-pool-model"));
    assertThat(objection(replacing(old, price(ON_EU, 1, 5, null))).orElseThrow().detail())
        .contains("ends at 2030-01-06T00:00:00Z");
    Price next = kept(replacing(old, price(ON_EU, 2, 3, null)));
    assertThat(objection(replacing(old, price(ON_EU, 1, 1, null))).orElseThrow().detail())
        .contains("is already replaced by " + next.id().text());
    assertThat(
            objection(replacing(price(ON_EU, 9, 0, null), price(ON_EU, 1, 1, null)))
                .orElseThrow()
                .pointer())
        .isEqualTo("/replaces");
  }

  @Test
  void moneyIsWrittenExactly() {
    assertThat(new Money(4_100_000, "EUR").text()).isEqualTo("4.10 EUR");
    assertThat(new Money(1, "USD").text()).isEqualTo("0.000001 USD");
    assertThat(new Money(3_000_000_000L, "USD").text()).isEqualTo("3000.00 USD");
  }
}
