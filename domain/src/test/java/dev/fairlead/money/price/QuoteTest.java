package dev.fairlead.money.price;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.resources.CapacityType;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class QuoteTest {
  private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");
  private static final ClusterId EU = new ClusterId(new UUID(7, 1));
  private static final PriceBook BOOK =
      new PriceBook(
          List.of(
              price(1, "H100", new Money(2_500_000, "EUR")),
              price(2, "A100", new Money(1, "EUR")),
              price(3, "L4", new Money(700_000, "USD"))));

  private static Price price(int id, String model, Money money) {
    PriceScope scope = new PriceScope(null, null, model, null);
    return new Price(
        new PriceId(new UUID(1, id)), scope, money, new Validity(NOW, null), null, null, NOW);
  }

  private static Quote quote(CapacityType type, Map<String, Long> gpuMilli) {
    Quote.Demand demand = new Quote.Demand(EU, null, type, new TreeMap<>(gpuMilli));
    return Quote.of(BOOK, demand, NOW, Duration.ofMinutes(90));
  }

  @Test
  void costIsQuotedPerHourAndForTheMaximumRuntime() {
    Quote quote = quote(CapacityType.ON_DEMAND, Map.of("H100", 16_000L));

    assertThat(quote.perHour()).isEqualTo(new Money(40_000_000, "EUR"));
    assertThat(quote.byMaxRuntime()).isEqualTo(new Money(60_000_000, "EUR"));
    assertThat(quote.sunk()).isFalse();
  }

  /** Fails when parts of a millionth are lost before they are added up. */
  @Test
  void partsOfGpusAreAddedUpExactlyAndRoundedUpOnce() {
    Quote quote = quote(CapacityType.SPOT, Map.of("A100", 500L, "H100", 100L));

    assertThat(quote.perHour()).isEqualTo(new Money(250_001, "EUR"));
    assertThat(quote.byMaxRuntime()).isEqualTo(new Money(375_001, "EUR"));
  }

  /** Fails when capacity without a price counts as free, or when currencies are added. */
  @Test
  void unknownCostIsNotGuessed() {
    Quote unknown = quote(CapacityType.SPOT, Map.of("B200", 8000L, "H100", 8000L));
    Quote mixed = quote(CapacityType.SPOT, Map.of("H100", 1000L, "L4", 1000L));

    assertThat(unknown.perHour()).isNull();
    assertThat(unknown.byMaxRuntime()).isNull();
    assertThat(unknown.lines().getFirst().price()).isNull();
    assertThat(mixed.perHour()).isNull();
  }

  @Test
  void reservedCapacityHasAPriceButIsMarkedAsSunkCost() {
    Quote quote = quote(CapacityType.RESERVED, Map.of("H100", 1000L));

    assertThat(quote.sunk()).isTrue();
    assertThat(quote.perHour()).isEqualTo(new Money(2_500_000, "EUR"));
  }
}
