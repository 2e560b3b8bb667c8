package dev.fairlead.work.workload.simulation;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.SplittableRandom;
import java.util.UUID;

/**
 * Generates UIDs and boot ids for one start of a cluster: equal for equal seed, name and start, and
 * different for every other start, so that no object of an earlier process is mistaken for an
 * object of its successor.
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

  /** Returns the same UUID for the same text. */
  static UUID stable(String text) {
    return UUID.nameUUIDFromBytes(text.getBytes(StandardCharsets.UTF_8));
  }
}
