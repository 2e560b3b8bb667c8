package dev.fairlead.money.budget;

import static dev.fairlead.money.budget.BudgetSamples.ATTEMPT;
import static dev.fairlead.money.budget.BudgetSamples.DECEMBER;
import static dev.fairlead.money.budget.BudgetSamples.GPU;
import static dev.fairlead.money.budget.BudgetSamples.HOUR;
import static dev.fairlead.money.budget.BudgetSamples.JOB;
import static dev.fairlead.money.budget.BudgetSamples.NOVEMBER;
import static dev.fairlead.money.budget.BudgetSamples.NOW;
import static dev.fairlead.money.budget.BudgetSamples.PLACE;
import static dev.fairlead.money.budget.BudgetSamples.TENANT;
import static dev.fairlead.money.budget.BudgetSamples.at;
import static dev.fairlead.money.budget.BudgetSamples.budget;
import static dev.fairlead.money.budget.BudgetSamples.hours;
import static dev.fairlead.money.budget.BudgetSamples.state;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.people.tenant.TenantId;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Admissions of a budget, and its remainder. */
class BudgetTest {
  private static BudgetBook book(long now, BudgetState state, BudgetCharge... charges) {
    return new BudgetBook(now, BudgetBook.Costs.NONE, List.of(state), List.of(charges));
  }

  @Test
  void periodsBeginAtMidnightInUtc() {
    assertThat(BudgetPeriod.MONTH.begin(at("2026-12-31T23:59:59.999Z"))).isEqualTo(DECEMBER);
    assertThat(BudgetPeriod.MONTH.end(NOW)).isEqualTo(DECEMBER);
    assertThat(BudgetPeriod.WEEK.begin(at("2026-11-22T23:59:59Z")))
        .isEqualTo(at("2026-11-16T00:00:00Z"));
    assertThat(BudgetPeriod.WEEK.begin(at("2026-11-23T00:00:00Z")))
        .isEqualTo(at("2026-11-23T00:00:00Z"));
  }

  /** Fails when a reservation is charged completely to the period in which it begins. */
  @Test
  void aReservationOverMidnightIsChargedToBothPeriods() {
    BudgetBook book = book(DECEMBER - HOUR, state(budget(10)));

    assertThat(book.reserve(JOB, ATTEMPT, GPU, 4 * HOUR)).isEmpty();

    BudgetState after = book.states().getFirst();
    assertThat(hours(after.use(NOVEMBER).reserved())).isEqualTo(1);
    assertThat(hours(after.use(DECEMBER).reserved())).isEqualTo(3);
  }

  /** Fails when only the first period of a reservation must have enough budget. */
  @Test
  void reservationNeedsRoomInEveryPeriod() {
    BudgetState state = state(budget(3));
    assertThat(hours(state.shortfall(GPU, DECEMBER - HOUR, DECEMBER + 4 * HOUR).missing()))
        .isEqualTo(1);
    assertThat(state.shortfall(GPU, DECEMBER - HOUR, DECEMBER + 3 * HOUR)).isNull();
  }

  /** Fails when a longer runtime is reserved beyond the remainder, twice, or not at all. */
  @Test
  void longerRuntimeReservesTheDifferenceOrReportsTheShortage() {
    BudgetBook book = book(NOW, state(budget(4)));
    assertThat(book.reserve(JOB, ATTEMPT, GPU, 2 * HOUR)).isEmpty();

    assertThat(book.lengthen(ATTEMPT, 5 * HOUR))
        .hasValueSatisfying(lack -> assertThat(hours(lack.missing())).isEqualTo(1));
    assertThat(book.lengthen(ATTEMPT, 4 * HOUR)).isEmpty();
    assertThat(book.lengthen(ATTEMPT, HOUR)).isEmpty();

    assertThat(hours(book.states().getFirst().use(NOVEMBER).reserved())).isEqualTo(4);
    assertThat(book.changedCharges().getFirst().untilMillis()).isEqualTo(NOW + 4 * HOUR);
  }

  /**
   * Fails when a job whose runtime is removed overdraws an exhausted budget, or reserves another
   * hour each time that its runtime is set and removed.
   */
  @Test
  void removedRuntimeReservesTheNextHourOrReportsTheShortfall() {
    BudgetBook book = book(NOW, state(budget(4)));
    assertThat(book.reserve(JOB, ATTEMPT, GPU, 3 * HOUR)).isEmpty();

    Duration had = Duration.ofHours(3);
    assertThat(book.unbind(ATTEMPT, had, null)).isEmpty();
    assertThat(book.unbind(ATTEMPT, had, null)).isEmpty();
    assertThat(book.changedCharges().getFirst().untilMillis()).isEqualTo(NOW + 4 * HOUR);
    assertThat(book.unbind(ATTEMPT, Duration.ofHours(4), null))
        .hasValueSatisfying(lack -> assertThat(hours(lack.missing())).isEqualTo(1));
  }

  /** Fails when the hour of a job without a runtime is added to the queue's default. */
  @Test
  void removedRuntimeFallsBackToTheQueueDefault() {
    BudgetBook book = book(NOW, state(budget(9)));
    assertThat(book.reserve(JOB, ATTEMPT, GPU, 3 * HOUR)).isEmpty();

    assertThat(book.unbind(ATTEMPT, Duration.ofHours(3), Duration.ofHours(2))).isEmpty();
    assertThat(book.changedCharges().getFirst().untilMillis()).isEqualTo(NOW + 3 * HOUR);
    assertThat(book.unbind(ATTEMPT, Duration.ofHours(3), Duration.ofHours(5))).isEmpty();
    assertThat(book.changedCharges().getFirst().untilMillis()).isEqualTo(NOW + 5 * HOUR);
  }

  /** Fails when more members are reserved beyond the remainder, twice, or not at all. */
  @Test
  void addedMembersReserveTheirShareOrReportTheShortfall() {
    BudgetBook book = book(NOW, state(budget(4)));
    assertThat(book.reserve(JOB, ATTEMPT, GPU, 2 * HOUR)).isEmpty();

    assertThat(book.widen(ATTEMPT, 3 * GPU))
        .hasValueSatisfying(lack -> assertThat(hours(lack.missing())).isEqualTo(2));
    assertThat(book.widen(ATTEMPT, 2 * GPU)).isEmpty();
    book.grow(ATTEMPT, 2 * GPU);
    assertThat(book.widen(ATTEMPT, GPU)).isEmpty();

    assertThat(hours(book.states().getFirst().use(NOVEMBER).reserved())).isEqualTo(4);
    assertThat(book.changedCharges().getFirst().milli()).isEqualTo(2 * GPU);
  }

  /** Fails when the amount of the previous period counts in the next one. */
  @Test
  void lastMonthsUseStopsCountingAtMidnight() {
    Map<Long, BudgetUse> spent = Map.of(NOVEMBER, BudgetTimes.use(3, 0));
    BudgetState state = new BudgetState(budget(3), new TreeMap<>(spent));
    assertThat(state.shortfall(GPU, DECEMBER - 1, DECEMBER)).isNotNull();
    assertThat(state.shortfall(GPU, DECEMBER, DECEMBER + 3 * HOUR)).isNull();
  }

  /** Fails when a reservation remains charged, or the use is not charged. */
  @Test
  void endedAttemptHasSpentExactlyItsUse() {
    BudgetBook first = book(NOW, state(budget(10)));
    assertThat(first.reserve(JOB, ATTEMPT, 2 * GPU, 5 * HOUR)).isEmpty();
    BudgetBook.Used used = new BudgetBook.Used(ATTEMPT, PLACE, 2 * GPU, NOW, NOW + HOUR);
    BudgetBook last =
        new BudgetBook(NOW + HOUR, BudgetBook.Costs.NONE, first.states(), first.changedCharges());

    last.settle(ATTEMPT, List.of(used));
    last.settle(ATTEMPT, List.of(used));

    BudgetUse use = last.states().getFirst().use(NOVEMBER);
    assertThat(hours(use.spent())).isEqualTo(2);
    assertThat(use.reserved()).isZero();
    assertThat(last.settledCharges()).hasSize(1);
    assertThat(last.changedCharges()).isEmpty();
  }

  /**
   * Fails when a renewed hour is counted in addition to the previous one, or is refused at
   * exhaustion.
   */
  @Test
  void longerAttemptReservesTheNextHourEvenOfAnExhaustedBudget() {
    BudgetBook first = book(NOW, state(budget(1)));
    assertThat(first.reserve(JOB, ATTEMPT, GPU, HOUR)).isEmpty();
    BudgetBook later =
        new BudgetBook(NOW + HOUR, BudgetBook.Costs.NONE, first.states(), first.changedCharges());

    later.renew();
    later.renew();

    BudgetState after = later.states().getFirst();
    assertThat(hours(after.use(NOVEMBER).reserved())).isEqualTo(2);
    BudgetFigures figures = BudgetFigures.of(after, BudgetTimes.hours(1), NOW + HOUR);
    assertThat(hours(figures.overdrawn())).isEqualTo(1);
    assertThat(hours(figures.spent())).isEqualTo(1);
    assertThat(hours(figures.reserved())).isEqualTo(1);
  }

  /** Fails when an expired grant counts, or one of another period. */
  @Test
  void grantCountsInItsPeriodUntilItExpires() {
    BudgetGrant grant = new BudgetGrant(BudgetTimes.hours(2), NOW, NOW + HOUR, "paper");
    Budget budget = budget(1, grant);

    assertThat(hours(budget.limit(NOVEMBER, NOW))).isEqualTo(3);
    assertThat(hours(budget.limit(NOVEMBER, NOW + HOUR))).isEqualTo(1);
    assertThat(hours(budget.limit(DECEMBER, NOW))).isEqualTo(1);
    assertThat(hours(budget.everGranted(NOVEMBER))).isEqualTo(3);
  }

  /** Fails when a threshold is announced twice, or again after the next. */
  @Test
  void aThresholdIsAnnouncedOnceInAPeriod() {
    BudgetBook book = book(NOW, state(budget(10)));
    assertThat(book.reserve(JOB, ATTEMPT, GPU, 5 * HOUR)).isEmpty();
    BudgetId id = book.states().getFirst().budget().id();

    assertThat(book.alert(id)).containsExactly(50);
    assertThat(book.alert(id)).isEmpty();
    assertThat(book.reserve(JOB, new UUID(4, 2), GPU, 3 * HOUR)).isEmpty();
    assertThat(book.alert(id)).containsExactly(80);
  }

  /** Fails when a wrong counter is not found, or one of an earlier period is changed. */
  @Test
  void recountFindsDriftOfReservationsAndUse() {
    BudgetBook book = book(DECEMBER - HOUR, state(budget(10)));
    assertThat(book.reserve(JOB, ATTEMPT, GPU, 4 * HOUR)).isEmpty();
    BudgetState says = book.states().getFirst();
    List<BudgetCharge> charges = book.changedCharges();

    assertThat(new BudgetRecount(says, charges, NOVEMBER, BudgetSpent.NOTHING).drifts()).isEmpty();
    assertThat(new BudgetRecount(says, List.of(), DECEMBER, BudgetSpent.NOTHING).missing())
        .containsOnly(Map.entry(DECEMBER, BudgetTimes.use(0, -3)));
    assertThat(new BudgetRecount(says, charges, NOVEMBER, BudgetTimes.spent(2)).drifts())
        .singleElement()
        .isEqualTo(
            new BudgetRecount.Drift(
                says.budget().id(),
                "spent from 2026-11-01T00:00:00Z",
                BigInteger.ZERO,
                BudgetTimes.hours(2)));
  }

  /** Fails when an unreadable budget admits jobs like an unlimited one. */
  @Test
  void unreadableBudgetAdmitsNothing() {
    Budget unread = budget(10).with(BudgetTimes.hours(1000), Budget.Mode.UNREADABLE, List.of());
    assertThat(book(NOW, state(unread)).reserve(JOB, ATTEMPT, GPU, HOUR)).contains(unread);
  }

  @Test
  void aSoftBudgetAdmitsEverything() {
    Budget soft = budget(1).with(BigInteger.ZERO, Budget.Mode.SOFT, List.of(100));
    BudgetBook book = book(NOW, state(soft));
    assertThat(book.reserve(JOB, ATTEMPT, GPU, 9 * HOUR)).isEmpty();
    assertThat(book.alert(soft.id())).containsExactly(100);
  }

  @Test
  void aBudgetRunsOutAtTheAverageRateOfItsPeriod() {
    Map<Long, BudgetUse> spent = Map.of(NOVEMBER, BudgetTimes.use(7, 0));
    BudgetState state = new BudgetState(budget(10), new TreeMap<>(spent));
    assertThat(BudgetFigures.of(state, BigInteger.ZERO, NOW).runsOut())
        .isEqualTo(Instant.parse("2026-11-21T00:00:00Z"));
    assertThat(BudgetFigures.of(state(budget(10)), BigInteger.ZERO, NOW).runsOut()).isNull();
  }

  @Test
  void scopeCoversTheJobsThatMatchEveryPart() {
    assertThat(new BudgetScope(TENANT, null, null, null).covers(JOB)).isTrue();
    assertThat(new BudgetScope(TENANT, JOB.project(), null, "ana").covers(JOB)).isTrue();
    assertThat(new BudgetScope(TENANT, JOB.project(), null, "bo").covers(JOB)).isFalse();
    assertThat(new BudgetScope(TENANT, null, new QuotaNodeId(new UUID(3, 2)), null).covers(JOB))
        .isFalse();
    assertThat(new BudgetScope(new TenantId(new UUID(1, 2)), null, null, null).covers(JOB))
        .isFalse();
  }

  private static BudgetBook renewed(Budget budget, int attempts) {
    BudgetState full = new BudgetState(budget, Collections.emptySortedMap());
    BudgetCharge[] charges = new BudgetCharge[attempts];
    for (int i = 0; i < attempts; i++) {
      charges[i] =
          BudgetCharge.single(new UUID(4, i), budget.id(), GPU, GPU, NOW - HOUR, NOW).exhausted(7);
      full = full.with(charges[i]);
    }
    BudgetBook book = book(NOW, full, charges);
    book.renew();
    return book;
  }

  private static List<Long> onExhausted(BudgetBook book) {
    return book.changedCharges().stream().map(BudgetCharge::exhaustedMillis).toList();
  }

  /**
   * Fails when an attempt with a remaining hour counts as exhausted, or an attempt without a
   * remaining hour does not.
   */
  @Test
  void onlyUnavailableAmountsAppearForAnExhaustedBudget() {
    Budget three = budget(3);
    assertThat(onExhausted(renewed(three.at(BudgetExhaustedPolicy.PREEMPT), 2)))
        .containsExactly(0L, NOW);
    assertThat(onExhausted(renewed(three.at(BudgetExhaustedPolicy.SUSPEND), 2)))
        .containsExactly(0L, NOW);
    assertThat(onExhausted(renewed(three.at(BudgetExhaustedPolicy.FINISH), 2)))
        .containsExactly(0L, 0L);
    Budget soft =
        three.with(three.amount(), Budget.Mode.SOFT, List.of()).at(BudgetExhaustedPolicy.PREEMPT);
    assertThat(onExhausted(renewed(soft, 2))).containsExactly(0L, 0L);
    BudgetState over = renewed(three.at(BudgetExhaustedPolicy.PREEMPT), 2).states().getFirst();
    assertThat(hours(over.over(NOW))).isEqualTo(1);
    assertThat(over.over(DECEMBER)).isZero();
  }

  /** Fails when a label is not compared, or a budget by label blocks a job. */
  @Test
  void labelBudgetCountsMatchingJobsAndBlocksNothing() {
    BudgetScope labelled =
        new BudgetScope(
            TENANT,
            JOB.project(),
            JOB.queue(),
            "ana",
            new TreeMap<>(Map.of("team", "nlp", "stage", "dev")));
    BudgetScope ofTeam =
        new BudgetScope(TENANT, null, null, null, new TreeMap<>(Map.of("team", "nlp")));
    assertThat(ofTeam.covers(labelled)).isTrue();
    assertThat(ofTeam.covers(JOB)).isFalse();
    assertThat(
            new BudgetScope(TENANT, null, null, "bo", new TreeMap<>(Map.of("team", "nlp")))
                .covers(labelled))
        .isFalse();

    Budget hard = budget(0);
    Budget byLabel =
        hard.with().scope(ofTeam).mode(Budget.Mode.HARD).grants(List.of()).version(1).build();
    assertThat(hard.closes()).isTrue();
    assertThat(byLabel.closes()).isFalse();
    assertThat(book(NOW, state(byLabel)).reserve(labelled, ATTEMPT, GPU, HOUR)).isEmpty();
  }

  /** Fails when a budget that counts the job is not found, or another one is. */
  @Test
  void scopesOfAJobAreThoseThatCoverIt() {
    assertThat(JOB.covering())
        .hasSize(8)
        .doesNotHaveDuplicates()
        .allMatch(each -> each.covers(JOB));
  }

  @Test
  void gpuHoursAreExactToAMillionth() {
    assertThat(BudgetUnit.GPU_HOURS.amount(new BigDecimal("0.000001")))
        .contains(BigInteger.valueOf(3600));
    assertThat(BudgetUnit.GPU_HOURS.amount(new BigDecimal("0.0000001"))).isEmpty();
    assertThat(BudgetUnit.GPU_HOURS.amount(new BigDecimal("-1"))).isEmpty();
    assertThat(BudgetUnit.GPU_HOURS.amount(new BigDecimal("100000001"))).isEmpty();
    assertThat(BudgetUnit.GPU_HOURS.text(BudgetTimes.hours(1500))).isEqualTo("1500");
    assertThat(BudgetUnit.GPU_HOURS.text(BudgetTimes.hours(0.25))).isEqualTo("0.25");
  }
}
