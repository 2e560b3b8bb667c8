package dev.fairlead.verify.load.growth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.fairlead.verify.load.growth.Series.Kind;
import dev.fairlead.verify.load.growth.Trend.Sample;
import java.util.List;
import java.util.Random;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SeriesTest {
  private static final double BOUND = 0.1;

  /** The values of Anscombe's first data set: slope 0.5001, standard error 0.1179. */
  @Test
  void lineIsTheLeastSquaresFit() {
    double[] at = {10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5};
    double[] value = {8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68};
    Trend trend =
        Trend.of(IntStream.range(0, at.length).mapToObj(i -> new Sample(at[i], value[i])).toList());

    assertThat(trend.slope()).isEqualTo(0.5001, within(0.0001));
    assertThat(trend.standardError()).isEqualTo(0.1179, within(0.0001));
    assertThat(trend.mean()).isEqualTo(7.5009, within(0.0001));
  }

  @Test
  void twoSamplesMakeNoTrend() {
    assertThatThrownBy(() -> Trend.of(List.of(new Sample(0, 1), new Sample(1, 2))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("2 samples");
  }

  @Test
  void seriesRisingByAFifthGrowsAndReportsItsSlope() {
    Series.Verdict verdict = judged(Kind.STEADY, seconds -> 100 + 20 * seconds / 3600);

    assertThat(verdict.grows()).isTrue();
    assertThat(verdict.rate()).isEqualTo(20, within(0.01));
    assertThat(verdict.row()).contains("GROWS");
  }

  /** Fails when a climb within the bound, or a fall, counts. */
  @Test
  void seriesBelowTheBoundOrFallingDoesNotGrow() {
    assertThat(judged(Kind.STEADY, seconds -> 100 + 5 * seconds / 3600).grows()).isFalse();
    assertThat(judged(Kind.STEADY, seconds -> 100 - 50 * seconds / 3600).grows()).isFalse();
    assertThat(judged(Kind.STEADY, seconds -> 0).grows()).isFalse();
  }

  /** Fails without the question whether the line climbs for sure. */
  @Test
  void sawtoothEndingHighDoesNotGrow() {
    Series series = new Series("noise", Kind.STEADY, 0);
    double[] sawtooth = {100, 10, 150, 60, 10, 150, 20, 160};
    for (int i = 0; i < sawtooth.length; i++) {
      series.add(i, i, sawtooth[i]);
    }

    Series.Verdict verdict = series.judge(BOUND);

    assertThat(verdict.change()).isGreaterThan(BOUND);
    assertThat(verdict.grows()).isFalse();
  }

  /**
   * Fails without the minimum rise: a table that grows from two pages to three does not count as
   * growing.
   */
  @Test
  void riseOfAFewPagesIsNoTrend() {
    Series series = new Series("small table", Kind.STEADY, 1);
    IntStream.range(0, 20).forEach(i -> series.add(i, i, 0.1 + 0.01 * i));

    assertThat(series.judge(BOUND).grows()).isFalse();
  }

  /** Fails when per-job growth is judged by time. */
  @Test
  void perJobRemaindersMayGrowWithTheJobs() {
    Series.Verdict verdict = judged(Kind.OF_EACH_JOB, seconds -> 3 * jobs(seconds));

    assertThat(verdict.grows()).isFalse();
    assertThat(verdict.rate()).isEqualTo(3, within(0.1));
  }

  @Test
  void tableWithRisingCostPerJobGrows() {
    Series.Verdict verdict = judged(Kind.OF_EACH_JOB, seconds -> Math.pow(jobs(seconds), 2) / 1e3);

    assertThat(verdict.grows()).isTrue();
  }

  private static double jobs(double seconds) {
    return 10 * seconds;
  }

  /** Forty samples of an hour, each off by one per cent at most. */
  private static Series.Verdict judged(Kind kind, DoubleUnaryOperator value) {
    Series series = new Series("sampled", kind, 0);
    Random random = new Random(7);
    for (int i = 0; i < 40; i++) {
      double seconds = i * 90.0;
      double noise = kind == Kind.STEADY ? (random.nextDouble() - 0.5) / 1e3 : 0;
      series.add(seconds, jobs(seconds), value.applyAsDouble(seconds) * (1 + noise));
    }
    return series.judge(BOUND);
  }
}
