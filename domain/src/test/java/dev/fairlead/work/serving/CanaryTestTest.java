package dev.fairlead.work.serving;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Requests that the sequential test needs, and its error rates. */
class CanaryTestTest {
  private static final double USUAL = 0.002;

  private static long bad(Random random, long requests, double share) {
    long bad = 0;
    for (long i = 0; i < requests; i++) {
      bad += random.nextDouble() < share ? 1 : 0;
    }
    return bad;
  }

  /** A life in which each report has this many requests. */
  private static final class Life {
    private final Random random;
    private TrafficCount canary = TrafficCount.NONE;
    private TrafficCount stable = TrafficCount.NONE;
    private CanaryTest test =
        CanaryTest.from(new CanaryTest.Counters(TrafficCount.NONE, TrafficCount.NONE));

    Life(long seed) {
      random = new Random(seed);
    }

    void report(int ofCanary, double canaryBad, int ofStable, double stableBad) {
      canary = canary.plus(new TrafficCount(ofCanary, bad(random, ofCanary, canaryBad), 0));
      stable = stable.plus(new TrafficCount(ofStable, bad(random, ofStable, stableBad), 0));
      test = test.with(new CanaryTest.Counters(canary, stable));
    }
  }

  /** Fails when a version with 5 % errors gets more than 235 requests at the 95th percentile. */
  @Test
  void aBadVersionIsFoundWithinAFewHundredRequests() {
    long[] needed = new long[2_000];
    for (int seed = 0; seed < needed.length; seed++) {
      Life life = new Life(seed);
      while (!life.test.alarms()) {
        life.report(2, 0.05, 200, USUAL);
      }
      needed[seed] = life.canary.requests();
    }
    Arrays.sort(needed);
    assertThat(needed[needed.length / 2]).isLessThanOrEqualTo(120);
    assertThat(needed[needed.length * 95 / 100]).isLessThanOrEqualTo(235);
  }

  /** Fails when a version as good as the stable one is rolled back in a million requests. */
  @Test
  void aGoodVersionIsNeverBlamed() {
    Life life = new Life(7);
    for (int i = 0; i < 100_000; i++) {
      life.report(10, USUAL, 200, USUAL);
      assertThat(life.test.alarms()).as("after %s", life.test.summary()).isFalse();
    }
  }

  /** Fails when a fault that both versions share blames the new one. */
  @Test
  void faultOfBothVersionsBlamesNeither() {
    Life life = new Life(8);
    for (int i = 0; i < 100; i++) {
      life.report(20, USUAL, 200, USUAL);
    }
    for (int i = 0; i < 30; i++) {
      life.report(20, 0.25, 200, 0.25);
    }
    assertThat(life.test.alarms()).isFalse();
    assertThat(life.canary.bad()).isGreaterThan(100);
  }

  @Test
  void aStepPassesAfterAboutAHundredGoodRequests() {
    Life life = new Life(9);
    life.report(80, 0, 1000, USUAL);
    assertThat(life.test.passes()).isFalse();
    life.report(40, 0, 1000, USUAL);
    assertThat(life.test.passes()).isTrue();
    assertThat(life.test.atStep(life.test.seen()).passes()).isFalse();
  }

  /** A version that is good for long and then breaks: fails when the good past hides it. */
  @Test
  void badMinuteIsDetectedAfterAGoodHour() {
    Life life = new Life(10);
    for (int i = 0; i < 5_000; i++) {
      life.report(20, 0, 200, USUAL);
    }
    long before = life.canary.requests();
    while (!life.test.alarms()) {
      life.report(2, 0.05, 200, USUAL);
    }
    assertThat(life.canary.requests() - before).isLessThan(250);
  }
}
