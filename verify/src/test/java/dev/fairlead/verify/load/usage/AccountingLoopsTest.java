package dev.fairlead.verify.load.usage;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class AccountingLoopsTest {
  private static final long HOUR = 3_600_000;
  private static final long MINUTE = HOUR / 60;
  private static final long OPEN = 500_000 * HOUR;

  /** Fails when the figure includes the wait until the last hour may be closed. */
  @Test
  void previousHourIsStillOpenInTheFirstTenMinutes() {
    assertThat(AccountingLoops.lastEnd(OPEN, OPEN)).isEqualTo(OPEN - HOUR);
    assertThat(AccountingLoops.lastEnd(OPEN, OPEN + 10 * MINUTE - 1)).isEqualTo(OPEN - HOUR);
    assertThat(AccountingLoops.lastEnd(OPEN, OPEN + 10 * MINUTE)).isEqualTo(OPEN);
  }

  /** Fails when an hour that was never closed is added up again. */
  @Test
  void figureExcludesOpenHours() {
    assertThat(AccountingLoops.lastEnd(OPEN, OPEN + 3 * HOUR)).isEqualTo(OPEN);
  }
}
