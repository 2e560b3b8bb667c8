package dev.fairlead.verify.engine.fgd;

import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * GPU allocation in percent of the FGD simulator on the openb lists, mean of 10 seeds, from the
 * figures of Weng et al., USENIX ATC 2023.
 *
 * @param bestFit at 100 % requested
 * @param fgd at 100 % requested
 * @param fgdAt130 at 130 % requested
 */
record Published(double bestFit, double fgd, double fgdAt130) {
  private static final Map<String, Published> BY_LIST =
      new TreeMap<>(
          Map.of(
              "default", new Published(92.86, 95.23, 95.39),
              "cpu050", new Published(93.56, 95.00, 95.21),
              "cpu100", new Published(93.26, 95.21, 95.35),
              "gpushare40", new Published(91.44, 93.96, 94.15),
              "gpushare80", new Published(86.66, 89.08, 89.30),
              "multigpu20", new Published(93.73, 95.53, 95.65),
              "multigpu40", new Published(95.10, 96.91, 96.99),
              "gpuspec10", new Published(93.10, 94.66, 94.95)));

  /** The result is null for a list without published figures. */
  static @Nullable Published of(String list) {
    return BY_LIST.get(list);
  }
}
