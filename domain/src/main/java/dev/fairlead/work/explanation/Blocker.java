package dev.fairlead.work.explanation;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One thing in the way.
 *
 * @param message text made of the numbers
 * @param numbers every number that the text uses, by name
 * @param action possible action, null if only waiting helps
 */
public record Blocker(
    Reason reason,
    Scope scope,
    String message,
    SortedMap<String, Long> numbers,
    @Nullable String action) {
  /** Scope of the blocker, by kind and name. */
  public record Scope(Kind type, String name) {
    /** Kind of the named object. */
    public enum Kind {
      JOB,
      QUEUE,
      CLUSTER,
      FLEET
    }
  }

  public Blocker {
    numbers = Collections.unmodifiableSortedMap(new TreeMap<>(numbers));
  }
}
