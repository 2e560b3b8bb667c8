package dev.fairlead.work.workload.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.work.attempt.AttemptId;
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class ChangeLogTest {
  private static final Instant START = Instant.parse("2030-01-01T00:00:00Z");

  private final ChangeLog log = new ChangeLog(START, 2);

  @Test
  void attemptChangedTwiceIsReportedOnce() {
    long before = log.revision();
    log.touch(attempt(1));
    log.touch(attempt(2));
    log.touch(attempt(1));
    assertThat(log.since(before)).containsExactly(attempt(1), attempt(2));
    assertThat(log.since(log.revision() - 1)).containsExactly(attempt(1));
    assertThat(log.since(log.revision())).isEmpty();
  }

  @Test
  void revisionOutsideTheLogIsUnknown() {
    long before = log.revision();
    for (int i = 0; i < 3; i++) {
      log.touch(attempt(i));
    }
    // If the bound were not stored, the first change would be missing from the response.
    assertThat(log.since(before)).isNull();
    assertThat(log.since(before + 1)).containsExactly(attempt(2), attempt(1));
  }

  @Test
  void revisionsOfAnEarlierProcessAreUnknown() {
    log.touch(attempt(1));
    ChangeLog restarted = new ChangeLog(START.plusMillis(10), 2);
    assertThat(restarted.since(log.revision())).isNull();
    assertThat(restarted.since(0)).isNull();
  }

  private static AttemptId attempt(int n) {
    return new AttemptId(new UUID(0, n));
  }
}
