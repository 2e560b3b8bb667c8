package dev.fairlead.work.spec;

import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Annotations of a job that its pods carry for log collectors. The names are those that Fluent Bit
 * reads. The operator of a collector decides whether it follows them.
 */
public final class LogAnnotations {
  /** Whether collectors omit the output of the job: {@code true} or {@code false}. */
  public static final String EXCLUDE = "fluentbit.io/exclude";

  /** Name of the collector's parser for the lines of the job, at most 63 characters. */
  public static final String PARSER = "fluentbit.io/parser";

  /** Each annotation with the pattern of its value. */
  public static final SortedMap<String, Pattern> KNOWN =
      new TreeMap<>(
          Map.of(
              EXCLUDE, Pattern.compile("true|false"),
              PARSER, Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.-]{0,62}")));

  private LogAnnotations() {}

  /** Returns the given annotations that are for log collectors. */
  public static SortedMap<String, String> of(SortedMap<String, String> annotations) {
    SortedMap<String, String> found = new TreeMap<>(annotations);
    found.keySet().retainAll(KNOWN.keySet());
    return found;
  }
}
