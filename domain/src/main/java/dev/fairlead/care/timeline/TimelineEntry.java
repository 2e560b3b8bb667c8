package dev.fairlead.care.timeline;

import dev.fairlead.kernel.identity.JobId;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An event of a job, a node or a cluster on a common timeline.
 *
 * @param cursor its position on the timeline
 * @param type past tense, {@code AttemptFailed}, {@code NodeQuarantined} or {@code GpuQuarantined}
 * @param job job of the event, null if none
 * @param node name of the node, null if none
 * @param actor that ordered it, null if there is none or the reader may not see it
 * @param text may be empty
 */
public record TimelineEntry(
    Cursor cursor,
    String type,
    @Nullable JobId job,
    @Nullable String node,
    @Nullable String actor,
    String text) {
  /** The source of an entry. Entries of one moment are in the order of these names. */
  public enum Source {
    DRAIN,
    INCIDENT,
    JOB,
    QUARANTINE,
    REPAIR,
    TEST
  }

  /**
   * A unique position on the timeline.
   *
   * @param key key of the entry among the entries of its moment and source
   */
  public record Cursor(Instant at, Source source, String key) {}
}
