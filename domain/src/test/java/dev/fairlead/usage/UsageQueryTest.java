package dev.fairlead.usage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.tenant.TenantId;
import java.time.Instant;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
    UsageQuery query =
        new UsageQuery(
            new TenantId(new UUID(0, 1)),
            null,
            null,
            period,
            new TreeSet<>(),
            new TreeSet<>(),
            from,
            to,
            10);

    assertThat(query.from()).isEqualTo(wholeFrom);
    assertThat(query.to()).isEqualTo(wholeTo);
  }
}
