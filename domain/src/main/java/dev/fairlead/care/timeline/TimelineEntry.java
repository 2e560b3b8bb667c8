package dev.fairlead.care.timeline;

import dev.fairlead.kernel.identity.JobId;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Something that happened to a job, a node or a cluster, beside all else that happened there.
 *
 * @param mark where it stands on the axis
 * @param type past tense, {@code AttemptFailed} or {@code NodeQuarantined}
 * @param job that it happened to, null for none
 * @param node name of the one that it happened to, null for none
 * @param actor that ordered it, null for what nothing ordered and for what the reader may not see
 * @param text in words, may be empty
 */
public record TimelineEntry(
    Mark mark,
    String type,
    @Nullable JobId job,
    @Nullable String node,
    @Nullable String actor,
    String text) {
  /** What says so; entries of one moment are in the order of these names. */
  public enum Source {
    DRAIN,
    INCIDENT,
    JOB,
    QUARANTINE,
    REPAIR,
    TEST
  }

  /**
   * A place on the axis; no two entries have the same.
   *
   * @param key of the entry among those of its moment and source
   */
  public record Mark(Instant at, Source source, String key) {}
}
