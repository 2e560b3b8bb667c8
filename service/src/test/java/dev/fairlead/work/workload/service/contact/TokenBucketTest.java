package dev.fairlead.work.workload.service.contact;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TokenBucketTest {
  private final AtomicLong nanos = new AtomicLong(-5);
  private final TokenBucket allowance = new TokenBucket(3, Duration.ofNanos(10), nanos::get);

  private int takenOf(int asked) {
    return (int) IntStream.range(0, asked).filter(i -> allowance.take()).count();
  }

  @Test
  void bucketAllowsABurstAndThenOnePerPeriod() {
    assertThat(takenOf(100)).isEqualTo(3);
    nanos.addAndGet(9);
    assertThat(takenOf(100)).isZero();
    nanos.addAndGet(1);
    assertThat(takenOf(100)).isEqualTo(1);
    nanos.addAndGet(29);
    assertThat(takenOf(100)).isEqualTo(2);
    nanos.addAndGet(1);
    assertThat(takenOf(100)).as("the rest of a period is not lost").isEqualTo(1);
  }

  @Test
  void bucketDoesNotAccumulateBeyondItsSize() {
    nanos.addAndGet(1_000_000);
    assertThat(takenOf(100)).isEqualTo(3);
    nanos.addAndGet(1_000_000);
    assertThat(takenOf(100)).isEqualTo(3);
  }

  @Test
  void useBeforeARefillNoLongerCounts() {
    takenOf(100);
    allowance.fill();
    assertThat(takenOf(100)).isEqualTo(3);
  }
}
