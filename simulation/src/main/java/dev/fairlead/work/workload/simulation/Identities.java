package dev.fairlead.work.workload.simulation;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.SplittableRandom;
import java.util.UUID;

/**
 * Where UIDs and boot ids of one start of a cluster come from: equal for equal seed, name and
 * start, and different for every other start, so that nothing of an earlier process is taken for
 * its successor.
 */
final class Identities {
  private final SplittableRandom random;

  Identities(long seed, String cluster, Instant start) {
    UUID origin = stable(seed + "/" + cluster + "/" + start);
    random =
        new SplittableRandom(origin.getMostSignificantBits() ^ origin.getLeastSignificantBits());
  }

  String next() {
    return new UUID(random.nextLong(), random.nextLong()).toString();
  }

  /** The same for the same text, always. */
  static UUID stable(String text) {
    return UUID.nameUUIDFromBytes(text.getBytes(StandardCharsets.UTF_8));
  }
}
