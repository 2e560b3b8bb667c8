package dev.fairlead.work.serving.cost;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.money.price.Money;
import dev.fairlead.money.price.Price;
import dev.fairlead.money.price.PriceBook;
import dev.fairlead.money.price.PriceId;
import dev.fairlead.money.price.PriceScope;
import dev.fairlead.money.price.Validity;
import dev.fairlead.work.serving.ModelServiceId;
import dev.fairlead.work.serving.cost.ServiceCost.Unknown;
import dev.fairlead.work.serving.key.UseSpan.Period;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** The cost of the replicas of a service, and of their tokens. */
class ServiceCostTest {
  private static final Instant DAY = Instant.parse("2030-01-01T00:00:00Z");
  private static final Instant THIRD = DAY.plus(Duration.ofDays(2));
  private static final ClusterId EU = new ClusterId(new UUID(7, 1));
  private static final ModelServiceId CHAT = new ModelServiceId(new UUID(7, 2));
  private static final long GPU_HOUR = 3_600_000_000L;
  private final List<Price> prices = new ArrayList<>();

  private void price(String model, long euros, String currency, Instant from) {
    prices.add(
        new Price(
            new PriceId(new UUID(1, prices.size() + 1)),
            new PriceScope(null, null, model, null),
            new Money(euros * 1_000_000, currency),
            new Validity(from, null),
            prices.isEmpty() || !prices.getLast().scope().model().equals(model)
                ? null
                : prices.getLast().id(),
            null,
            from));
  }

  /** One GPU of the model in each of the hours after the first midnight, from and to. */
  private static List<ReplicaTime> held(
      String model, List<Long> begins, long toMillis, long from, long to) {
    List<ReplicaTime> times = new ArrayList<>();
    for (int i = 0; i < begins.size(); i++) {
      long begin = Math.max(begins.get(i), DAY.plus(Duration.ofHours(from)).toEpochMilli());
      long next = i + 1 < begins.size() ? begins.get(i + 1) : toMillis;
      long end = Math.min(next, DAY.plus(Duration.ofHours(to)).toEpochMilli());
      if (begin < end) {
        Flavor flavor = new Flavor(model, CapacityType.ON_DEMAND);
        times.add(new ReplicaTime(CHAT, i, EU, "", flavor, 1000 * (end - begin)));
      }
    }
    return times;
  }

  private SortedMap<Instant, ServiceCost> costs(List<Instant> days, ServiceCost.Reader reader) {
    return ServiceCost.of(
            new PriceBook(prices), Period.DAY, new TreeSet<>(days), Set.of(CHAT), reader)
        .get(CHAT);
  }

  private ServiceCost ofDay(ServiceCost.Reader reader) {
    return costs(List.of(DAY), reader).get(DAY);
  }

  @Test
  void theCostOfAPeriodIsDividedAmongTheKeysByTheirTokens() {
    price("H100", 2, "EUR", DAY);
    ServiceCost cost = ofDay((begins, to) -> held("H100", begins, to, 0, 3));
    assertThat(cost.currency()).isEqualTo("EUR");
    assertThat(cost.perThousand(48_000)).hasValueSatisfying(is("0.125"));
    assertThat(cost.share(32_000, 48_000)).hasValueSatisfying(is("4"));
    assertThat(cost.share(0, 48_000)).hasValueSatisfying(is("0"));
    assertThat(cost.share(1, 3)).as("rounded to a millionth").hasValueSatisfying(is("2"));
    assertThat(cost.share(1, 7)).hasValueSatisfying(is("0.857143"));
  }

  private static Consumer<BigDecimal> is(String amount) {
    return given -> assertThat(given).isEqualByComparingTo(amount);
  }

  /** Fails when a report that leaves out a day adds its cost to the day before. */
  @Test
  void timeBetweenTheRequestedPeriodsIsNotCharged() {
    price("H100", 2, "EUR", DAY);
    SortedMap<Instant, ServiceCost> costs =
        costs(List.of(DAY, THIRD), (begins, to) -> held("H100", begins, to, 20, 50));
    assertThat(costs).containsOnlyKeys(DAY, THIRD);
    assertThat(costs.get(DAY).share(1, 1)).hasValueSatisfying(is("8"));
    assertThat(costs.get(THIRD).share(1, 1)).hasValueSatisfying(is("4"));
  }

  /** Fails when a price counts before the first full hour in which it applies. */
  @Test
  void thePriceAtTheStartOfAnHourCountsForTheHour() {
    price("H100", 2, "EUR", DAY.minusSeconds(1));
    price("H100", 5, "EUR", DAY.plus(Duration.ofMinutes(90)));
    ServiceCost cost = ofDay((begins, to) -> held("H100", begins, to, 0, 4));
    assertThat(cost.share(1, 1)).hasValueSatisfying(is("14"));
  }

  /** Fails when GPUs without a price are free, or when currencies are added. */
  @Test
  void unknownCostHasAReason() {
    price("H100", 2, "EUR", DAY);
    price("L4", 1, "USD", DAY);
    ServiceCost none = ofDay((begins, to) -> List.of());
    assertThat(none.unknown(1000)).contains(Unknown.NO_GPU_TIME);
    ServiceCost unpriced =
        ofDay((begins, to) -> {
          List<ReplicaTime> both = held("H100", begins, to, 0, 1);
          both.addAll(held("B200", begins, to, 0, 1));
          return both;
        });
    assertThat(unpriced.unknown(1000)).contains(Unknown.NO_PRICE);
    assertThat(unpriced.perThousand(1000)).isEmpty();
    ServiceCost mixed =
        ofDay((begins, to) -> {
          List<ReplicaTime> both = held("H100", begins, to, 0, 1);
          both.addAll(held("L4", begins, to, 0, 1));
          return both;
        });
    assertThat(mixed.unknown(1000)).contains(Unknown.CURRENCIES);
    ServiceCost known = ofDay((begins, to) -> held("H100", begins, to, 0, 1));
    assertThat(known.unknown(1000)).isEmpty();
    assertThat(known.unknown(0)).contains(Unknown.NO_TOKENS);
    assertThat(known.perThousand(0)).isEmpty();
    assertThat(known.share(0, 0)).isEmpty();
  }

  @Test
  void thousandthsOfAGpuAreCharged() {
    price("H100", 2, "EUR", DAY);
    ServiceCost cost =
        ofDay((begins, to) ->
            List.of(
                new ReplicaTime(
                    CHAT, 0, EU, "", new Flavor("H100", CapacityType.ON_DEMAND), GPU_HOUR / 4)));
    assertThat(cost.share(1, 1)).hasValueSatisfying(is("0.5"));
  }
}
