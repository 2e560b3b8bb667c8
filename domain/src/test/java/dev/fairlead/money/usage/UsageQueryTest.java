package dev.fairlead.money.usage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.people.tenant.TenantId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class UsageQueryTest {
  /** Fails when a part of a month reads as the month. */
  @ParameterizedTest
  @CsvSource({
    "HOUR,  2026-10-22T11:30:00Z, 2026-11-22T11:00:00Z, 2026-10-22T11:00:00Z, 2026-11-22T11:00:00Z",
    "DAY,   2026-10-22T11:30:00Z, 2026-11-22T11:00:00Z, 2026-10-22T00:00:00Z, 2026-11-23T00:00:00Z",
    "MONTH, 2026-10-22T11:30:00Z, 2026-11-22T11:00:00Z, 2026-10-01T00:00:00Z, 2026-12-01T00:00:00Z"
  })
  void periodsAreWhole(
      UsageQuery.Period period, Instant from, Instant to, Instant wholeFrom, Instant wholeTo) {
    UsageQuery query = query(period, from, to);

    assertThat(query.from()).isEqualTo(wholeFrom);
    assertThat(query.to()).isEqualTo(wholeTo);
  }

  private static UsageQuery query(
      UsageQuery.Period period, Instant from, Instant to, String... labels) {
    return new UsageQuery(
        new TenantId(new UUID(0, 1)),
        null,
        null,
        period,
        new TreeSet<>(),
        new TreeSet<>(List.of(labels)),
        from,
        to,
        10);
  }

  /** Fails when a period is in two parts, or in none. */
  @ParameterizedTest
  @EnumSource(UsageQuery.Period.class)
  void aLongReportIsReadInPartsOfWholePeriods(UsageQuery.Period period) {
    Instant from = Instant.parse("2026-10-22T11:30:00Z");
    UsageQuery query = query(period, from, from.plus(Duration.ofDays(1_000)));

    List<UsageQuery.Part> parts = query.parts();

    assertThat(parts).hasSizeBetween(5, 6);
    assertThat(parts.getFirst().from()).isEqualTo(query.from());
    assertThat(parts.getLast().to()).isEqualTo(query.to());
    for (int n = 1; n < parts.size(); n++) {
      Instant begin = parts.get(n).from();
      assertThat(parts.get(n - 1).to()).isEqualTo(begin).isEqualTo(period.begin(begin));
    }
  }

  /** Fails when a month omits values that are few in the month but many in the year. */
  @Test
  void labelReportIsReadInOneQuery() {
    Instant from = Instant.parse("2026-10-01T00:00:00Z");
    UsageQuery query =
        query(UsageQuery.Period.MONTH, from, from.plus(Duration.ofDays(365)), "grant");

    assertThat(query.parts()).containsExactly(new UsageQuery.Part(query.from(), query.to()));
  }
}
