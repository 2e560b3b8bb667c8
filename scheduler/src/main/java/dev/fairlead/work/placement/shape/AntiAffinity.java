package dev.fairlead.work.placement.shape;

import dev.fairlead.work.spec.PlacementSpec;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The class of a member, and the classes that it avoids on its node.
 *
 * @param jobClass null for none
 * @param avoids classes with which it never shares a node
 */
public record AntiAffinity(@Nullable String jobClass, List<String> avoids) {
  public static final AntiAffinity ANY = new AntiAffinity(null, List.of());

  public AntiAffinity {
    avoids = List.copyOf(avoids);
  }

  public static AntiAffinity of(PlacementSpec placement) {
    return placement.jobClass() == null && placement.avoidClasses().isEmpty()
        ? ANY
        : new AntiAffinity(placement.jobClass(), placement.avoidClasses());
  }

  /** Returns whether it has no class and avoids none. */
  public boolean any() {
    return jobClass == null && avoids.isEmpty();
  }
}
