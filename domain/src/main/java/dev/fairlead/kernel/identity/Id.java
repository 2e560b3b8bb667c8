package dev.fairlead.kernel.identity;

import java.util.UUID;

/**
 * A typed identifier. Its text is the kind's prefix, an underscore and 26 characters. On a cluster
 * the bare 26 characters are used.
 */
public interface Id extends Comparable<Id> {
  UUID value();

  IdKind kind();

  /** Prefix, underscore and 26 characters, for example {@code job_01k...}. */
  default String text() {
    return kind().prefix() + "_" + bare();
  }

  /** The 26 characters without prefix. */
  default String bare() {
    return IdText.encode(value());
  }

  @Override
  default int compareTo(Id other) {
    UUID mine = value();
    UUID its = other.value();
    int high = Long.compareUnsigned(mine.getMostSignificantBits(), its.getMostSignificantBits());
    return high != 0
        ? high
        : Long.compareUnsigned(mine.getLeastSignificantBits(), its.getLeastSignificantBits());
  }
}
