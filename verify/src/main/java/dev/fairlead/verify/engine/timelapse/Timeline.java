package dev.fairlead.verify.engine.timelapse;

import java.util.ArrayList;
import java.util.List;

/** Means over intervals of equal length. */
final class Timeline {
  private final long stretch;
  private final List<double[]> sums = new ArrayList<>();
  private long end;

  /**
   * @param stretch seconds
   */
  Timeline(long stretch) {
    this.stretch = stretch;
  }

  /** Adds the values of a time span in seconds. */
  void stood(long from, long to, double used, double fragmented, double waiting, double running) {
    for (long at = from; at < to; ) {
      int index = (int) (at / stretch);
      long until = Math.min(to, (index + 1) * stretch);
      while (sums.size() <= index) {
        sums.add(new double[4]);
      }
      double[] sum = sums.get(index);
      long seconds = until - at;
      sum[0] += used * seconds;
      sum[1] += fragmented * seconds;
      sum[2] += waiting * seconds;
      sum[3] += running * seconds;
      at = until;
    }
    end = Math.max(end, to);
  }

  List<Interval> moments() {
    List<Interval> moments = new ArrayList<>();
    for (int i = 0; i < sums.size(); i++) {
      double[] s = sums.get(i);
      double seconds = Math.min(stretch, Math.max(1, end - i * stretch));
      moments.add(
          new Interval(
              i * stretch, s[0] / seconds, s[1] / seconds, s[2] / seconds, s[3] / seconds));
    }
    return moments;
  }
}
