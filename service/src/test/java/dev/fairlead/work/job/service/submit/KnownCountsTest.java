package dev.fairlead.work.job.service.submit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests how long a count of active jobs is valid for later submits. */
class KnownCountsTest {
  private final KnownCounts<String> known = new KnownCounts<>();
  private final List<String> counted = new ArrayList<>();
  private long stored;

  private long with(String owner, int more, long limit) {
    return known.with(
        owner,
        more,
        limit,
        () -> {
          counted.add(owner);
          return stored;
        });
  }

  /** Fails when each submit counts again: its cost would grow with the active jobs. */
  @Test
  void aSubmitFarBelowTheLimitDoesNotCountAgain() {
    stored = 20_000;
    for (int i = 0; i < KnownCounts.FEW; i++) {
      assertThat(with("vision", 1, 100_000)).isEqualTo(20_000 + i);
    }
    assertThat(counted).hasSize(1);

    with("vision", 1, 100_000);

    assertThat(counted).hasSize(2);
  }

  /** Fails when a submit among very many jobs reads more than a hundred of them. */
  @Test
  void countIsCachedLongerForMoreJobs() {
    stored = 160_000;
    for (int i = 0; i < 8; i++) {
      with("vision", 200, 1_000_000);
    }
    assertThat(counted).hasSize(1);

    with("vision", 200, 1_000_000);

    assertThat(counted).hasSize(2);
  }

  /**
   * Fails when a process uses more than a hundredth of the remaining limit, which other processes
   * may have used.
   */
  @Test
  void countIsRefreshedSoonerNearTheLimit() {
    stored = 99_700;
    for (int i = 0; i < 4; i++) {
      with("vision", 1, 100_000);
    }

    assertThat(counted).hasSize(2);
  }

  @Test
  void everySubmitCountsWithinAHundredJobsOfTheLimit() {
    stored = 901;
    with("vision", 1, 1_000);
    with("vision", 1, 1_000);

    assertThat(counted).hasSize(2);
  }

  /** Fails when a count that stopped at the limit is used as a complete count. */
  @Test
  void countThatStoppedAtTheLimitIsNotCached() {
    stored = 101; // of 50,000, because the count stops one beyond the limit
    assertThat(with("vision", 1, 100)).isEqualTo(101);
    stored = 45_001;

    assertThat(with("vision", 1, 45_000)).isEqualTo(45_001);
  }

  /** Fails when a count remains valid after the limit was lowered below it. */
  @Test
  void loweredLimitCountsImmediately() {
    stored = 50_000;
    with("vision", 1, 100_000);

    assertThat(with("vision", 1, 40_000)).isEqualTo(50_000);
    assertThat(counted).hasSize(2);
  }

  @Test
  void eachOwnerHasItsOwnCount() {
    with("vision", 1, 100_000);
    with("speech", 1, 100_000);

    assertThat(counted).containsExactly("vision", "speech");
  }
}
