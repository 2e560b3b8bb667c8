package dev.fairlead.job.web;

import java.util.List;

/** MIG profiles that some GPU model has (NVIDIA MIG user guide, supported profiles). */
final class MigProfiles {
  static final List<String> ALL =
      List.of(
          "1g.5gb",
          "1g.5gb+me",
          "1g.6gb",
          "1g.6gb+me",
          "1g.10gb",
          "1g.10gb+me",
          "1g.12gb",
          "1g.12gb+me",
          "1g.18gb",
          "1g.18gb+me",
          "1g.20gb",
          "1g.23gb",
          "1g.23gb+me",
          "1g.24gb",
          "1g.35gb",
          "1g.45gb",
          "2g.10gb",
          "2g.12gb",
          "2g.12gb+me",
          "2g.20gb",
          "2g.24gb",
          "2g.35gb",
          "2g.45gb",
          "3g.20gb",
          "3g.40gb",
          "3g.47gb",
          "3g.48gb",
          "3g.71gb",
          "3g.90gb",
          "4g.20gb",
          "4g.24gb",
          "4g.40gb",
          "4g.47gb",
          "4g.48gb",
          "4g.71gb",
          "4g.90gb",
          "7g.40gb",
          "7g.80gb",
          "7g.94gb",
          "7g.96gb",
          "7g.141gb",
          "7g.180gb");

  private static final int SLICES_OF_A_GPU = 7;
  private static final int WHOLE_MILLI = 1000;

  private MigProfiles() {}

  /**
   * Thousandths of a GPU's compute that the profile stands for, rounded up; only for the defaults
   * of cpu and memory.
   */
  static long computeMilli(String profile) {
    return Math.ceilDiv((profile.charAt(0) - '0') * WHOLE_MILLI, SLICES_OF_A_GPU);
  }
}
