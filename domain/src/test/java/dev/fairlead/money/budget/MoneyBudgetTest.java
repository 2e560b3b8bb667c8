package dev.fairlead.money.budget;

import static dev.fairlead.money.budget.BudgetSamples.ATTEMPT;
import static dev.fairlead.money.budget.BudgetSamples.GPU;
import static dev.fairlead.money.budget.BudgetSamples.HOUR;
import static dev.fairlead.money.budget.BudgetSamples.JOB;
import static dev.fairlead.money.budget.BudgetSamples.NOVEMBER;
import static dev.fairlead.money.budget.BudgetSamples.NOW;
import static dev.fairlead.money.budget.BudgetSamples.PLACE;
import static dev.fairlead.money.budget.BudgetSamples.budget;
import static dev.fairlead.money.budget.BudgetSamples.state;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.money.price.Money;
import dev.fairlead.money.price.Price;
import dev.fairlead.money.price.PriceBook;
import dev.fairlead.money.price.PriceId;
import dev.fairlead.money.price.PriceScope;
import dev.fairlead.money.price.Validity;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Budgets of money: prices of reservations, of use and of renewed hours. */
class MoneyBudgetTest {
  private static final BudgetUnit EUR = new BudgetUnit("EUR");

  private static Price price(int id, long euros, String currency, String from) {
    Instant begin = Instant.parse(from);
    PriceScope scope = new PriceScope(PLACE.cluster(), null, null, null);
    Money money = new Money(euros * 1_000_000, currency);
    PriceId replaced = id == 1 ? null : new PriceId(new UUID(7, id - 1));
    Validity validity = new Validity(begin, null);
    return new Price(new PriceId(new UUID(7, id)), scope, money, validity, replaced, null, begin);
  }

  /** Two euros, then three from 01:30, and dollars two hours later. */
  private static final BudgetPrices PRICES =
      new BudgetPrices(
          new PriceBook(
              List.of(
                  price(1, 2, "EUR", "2026-11-10T00:00:00Z"),
                  price(2, 3, "EUR", "2026-11-15T01:30:00Z"),
                  price(3, 9, "USD", "2026-11-15T04:00:00Z"))));

  private static Budget money(long euros) {
    Budget hours = budget(0);
    return hours.with().unit(EUR).amount(euros(euros)).grants(List.of()).version(1).build();
  }

  private static BigInteger euros(long euros) {
    return EUR.amount(BigDecimal.valueOf(euros)).orElseThrow();
  }

  private static BudgetBook paid(long now, BudgetState state, BudgetCharge... charges) {
    Map<UUID, Map<BudgetPlace, Long>> held = Map.of(ATTEMPT, Map.of(PLACE, GPU));
    BudgetBook.Costs costs = new BudgetBook.Costs(PRICES, held);
    return new BudgetBook(now, costs, List.of(state), List.of(charges));
  }

  /** Fails when a known price rise is not reserved, or a price rise after the end is reserved. */
  @Test
  void reservationUsesTheHighestKnownPriceUntilItsEnd() {
    BudgetBook tooLong = paid(NOW, state(money(8)));
    assertThat(tooLong.reserve(JOB, ATTEMPT, GPU, 3 * HOUR)).isPresent();

    BudgetBook cheap = paid(NOW, state(money(8)));
    assertThat(cheap.reserve(JOB, ATTEMPT, GPU, 2 * HOUR)).isEmpty();
    assertThat(cheap.states().getFirst().use(NOVEMBER).reserved()).isEqualTo(euros(4));

    BudgetBook dear = paid(NOW, state(money(9)));
    assertThat(dear.reserve(JOB, ATTEMPT, GPU, 3 * HOUR)).isEmpty();
    assertThat(dear.states().getFirst().use(NOVEMBER).reserved()).isEqualTo(euros(9));
  }

  /** Fails when a price applies before its hour, or amounts in dollars count as zero. */
  @Test
  void attemptSpendsThePriceOfEachHour() {
    BudgetBook book = paid(NOW, state(money(100)));
    assertThat(book.reserve(JOB, ATTEMPT, GPU, 2 * HOUR)).isEmpty();

    long end = NOW + 4 * HOUR + HOUR / 2;
    book.settle(ATTEMPT, List.of(new BudgetBook.Used(ATTEMPT, PLACE, GPU, NOW + HOUR / 2, end)));

    // half an hour and one at 2 EUR, two at 3 EUR, and half a GPU-hour in dollars
    BudgetUse use = book.states().getFirst().use(NOVEMBER);
    assertThat(use.spent()).isEqualTo(euros(9));
    assertThat(use.used().unpriced()).isEqualTo(BudgetTimes.hours(0.5));
    assertThat(use.reserved()).isZero();
  }

  private static BudgetBook renewed(long now, BudgetBook before, BudgetCharge charge) {
    BudgetBook later = paid(now, before.states().getFirst(), charge);
    later.renew();
    return later;
  }

  private static BigInteger reserved(BudgetBook book) {
    return book.states().getFirst().use(NOVEMBER).reserved();
  }

  /**
   * Fails when a rise counts for past hours, when an ended price still counts, or when a recount or
   * the end has another sum.
   */
  @Test
  void renewedHourIsReservedAtItsPrice() {
    BudgetBook book = paid(NOW, state(money(100)));
    assertThat(book.reserve(JOB, ATTEMPT, GPU, HOUR)).isEmpty();
    long[] euros = {4, 7, 10, 10};
    for (int hour = 1; hour <= euros.length; hour++) {
      book = renewed(NOW + hour * HOUR, book, book.changedCharges().getFirst());
      assertThat(reserved(book)).isEqualTo(euros(euros[hour - 1]));
      assertThat(
              new BudgetRecount(
                      book.states().getFirst(),
                      book.changedCharges(),
                      NOVEMBER,
                      BudgetSpent.NOTHING)
                  .drifts())
          .isEmpty();
    }
    book.settle(ATTEMPT, List.of());
    assertThat(reserved(book)).isZero();
  }

  /** Fails when a member that joins after a rise changes the cost of earlier hours. */
  @Test
  void membersThatJoinAreReservedFromThenOn() {
    BudgetBook book = paid(NOW, state(money(100)));
    assertThat(book.reserve(JOB, ATTEMPT, GPU, 2 * HOUR)).isEmpty();
    BudgetBook later = renewed(NOW + HOUR, book, book.changedCharges().getFirst());
    assertThat(later.lengthen(ATTEMPT, 3 * HOUR)).isEmpty();
    assertThat(reserved(later)).isEqualTo(euros(2 + 3 + 3));
    later.grow(ATTEMPT, 2 * GPU);
    assertThat(reserved(later)).isEqualTo(euros(2 + 6 + 6));
    BudgetBook last = renewed(NOW + 3 * HOUR, later, later.changedCharges().getFirst());
    assertThat(reserved(last)).isEqualTo(euros(2 + 6 + 6 + 6));
    last.settle(ATTEMPT, List.of());
    assertThat(reserved(last)).isZero();
  }

  /** Fails when a new budget reserves hours that have passed at the dearest price. */
  @Test
  void newBudgetReservesEachPastHourAtItsPrice() {
    BudgetBook book = paid(NOW + 3 * HOUR, state(money(100)));
    book.hold(book.states().getFirst().budget().id(), ATTEMPT, GPU, NOW);
    assertThat(reserved(book)).isEqualTo(euros(2 + 2 + 3 + 3));
  }

  /** Fails when a member that joins later is free, or a longer runtime is. */
  @Test
  void laterMoneyReservationIsPricedAndMayExceedTheBudget() {
    BudgetBook book = paid(NOW, state(money(9)));
    assertThat(book.reserve(JOB, ATTEMPT, GPU, 2 * HOUR)).isEmpty();

    assertThat(book.widen(ATTEMPT, 3 * GPU))
        .hasValueSatisfying(lack -> assertThat(lack.missing()).isEqualTo(euros(3)));
    BudgetBook longer = paid(NOW, state(money(8)));
    assertThat(longer.reserve(JOB, ATTEMPT, GPU, 2 * HOUR)).isEmpty();
    assertThat(longer.lengthen(ATTEMPT, 3 * HOUR))
        .hasValueSatisfying(lack -> assertThat(lack.missing()).isEqualTo(euros(1)));
  }

  @Test
  void moneyIsExactAndRoundedOnceToAMillionth() {
    assertThat(EUR.amount(new BigDecimal("0.0000001"))).isEmpty();
    assertThat(EUR.text(euros(1_000_000_000_000L))).isEqualTo("1000000000000");
    BigInteger micro = EUR.amount(new BigDecimal("0.000001")).orElseThrow();
    assertThat(micro).isEqualTo(BigInteger.valueOf(Budget.GPU_HOUR));
    assertThat(EUR.text(micro.divide(BigInteger.TWO))).isEqualTo("0");
    assertThat(EUR.text(micro.add(micro.divide(BigInteger.TWO)))).isEqualTo("0.000002");
  }
}
