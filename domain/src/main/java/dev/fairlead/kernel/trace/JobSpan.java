package dev.fairlead.kernel.trace;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A stage of an object's life that has ended.
 *
 * @param context context of this span
 * @param parent id of the span above it, null for the first of its trace
 * @param server whether it answers a request
 * @param failure its cause, null if it succeeded
 */
@RecordBuilder
public record JobSpan(
    TraceContext context,
    @Nullable String parent,
    String name,
    boolean server,
    Instant start,
    Instant end,
    SortedMap<String, String> attributes,
    @Nullable String failure) {
  public JobSpan {
    attributes = Collections.unmodifiableSortedMap(new TreeMap<>(attributes));
  }
}
