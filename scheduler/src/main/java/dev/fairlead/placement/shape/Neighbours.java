package dev.fairlead.placement.shape;

import dev.fairlead.job.PlacementSpec;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a member is to others on its node, and whom it bears.
 *
 * @param jobClass null for none
 * @param avoids classes that it never shares a node with
 */
public record Neighbours(@Nullable String jobClass, List<String> avoids) {
  public static final Neighbours ANY = new Neighbours(null, List.of());

  public Neighbours {
    avoids = List.copyOf(avoids);
  }

  public static Neighbours of(PlacementSpec placement) {
    return placement.jobClass() == null && placement.avoidClasses().isEmpty()
        ? ANY
        : new Neighbours(placement.jobClass(), placement.avoidClasses());
  }

  /** Whether it has no class and bears everybody. */
  public boolean any() {
    return jobClass == null && avoids.isEmpty();
  }
}
