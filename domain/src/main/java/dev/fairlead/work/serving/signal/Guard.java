package dev.fairlead.work.serving.signal;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A further condition of a rollout: a number of the new version within a limit.
 *
 * @param above the version is bad above this value, null for no upper limit
 * @param below the version is bad below this value, null for no lower limit
 */
public record Guard(Signal signal, @Nullable Double above, @Nullable Double below) {
  /** Maximum number of guards of a service. */
  public static final int MOST = 10;

  /** Name of its {@link Reading}. */
  public String name() {
    return signal.of() + " " + signal.series();
  }

  /** Returns whether the value shows a bad version. A value that is not a number does not count. */
  public boolean violated(double value) {
    return above != null && value > above || below != null && value < below;
  }

  /** The value with the limit that it violates. */
  public String violation(double value) {
    boolean over = above != null && value > above;
    return String.format(
        Locale.ROOT,
        "%s is %.4g, %s %.4g",
        name(),
        value,
        over ? "above" : "below",
        over ? above : below);
  }
}
