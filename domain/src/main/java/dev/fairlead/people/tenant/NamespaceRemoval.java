package dev.fairlead.people.tenant;

import dev.fairlead.kernel.identity.ClusterId;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A namespace of a deleted project that may still exist on one cluster.
 *
 * @param since time when its project was deleted
 * @param tries number of failed removals
 * @param why it still exists, human-readable, null before the first try
 */
public record NamespaceRemoval(
    ClusterId cluster,
    String namespace,
    TenantId tenant,
    ProjectId project,
    Instant since,
    int tries,
    @Nullable String why) {
  private static final Duration FIRST = Duration.ofSeconds(5);
  private static final Duration LONGEST = Duration.ofHours(1);
  private static final int MOST_DOUBLED = 10;

  /** Returns the pause after the next failed try. It doubles each time. */
  public Duration pause() {
    Duration doubled = FIRST.multipliedBy(1L << Math.min(tries, MOST_DOUBLED));
    return doubled.compareTo(LONGEST) < 0 ? doubled : LONGEST;
  }
}
