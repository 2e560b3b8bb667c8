package dev.fairlead.work.explanation;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One blocker of a job.
 *
 * @param message text with the numbers
 * @param numbers all numbers of the text, by name
 * @param action possible action, null if only waiting helps
 */
public record Blocker(
    Reason reason,
    Scope scope,
    String message,
    SortedMap<String, Long> numbers,
    @Nullable String action) {
  /** Object that causes the blocker, by kind and name. */
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
