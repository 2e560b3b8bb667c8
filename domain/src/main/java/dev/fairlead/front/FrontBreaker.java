package dev.fairlead.front;

import dev.fairlead.kernel.identity.ClusterId;
import java.time.Instant;

/**
 * An open circuit breaker of a front cluster. While it is open, missing Jobs cancel nothing, and no
 * Job of their namespaces is adopted. If the cluster shows no adopted Job at all, no Job of any
 * namespace is.
 *
 * @param missing adopted Jobs that the cluster does not show, from 1. Jobs with a confirmed loss
 *     are not counted.
 * @param taken adopted Jobs of the cluster, including missing ones
 * @param since time when the first of them was missing
 */
public record FrontBreaker(ClusterId cluster, int missing, int taken, Instant since) {
  /** The breaker in the words of a message. */
  public String text() {
    return ("%d of %d adopted Jobs have been missing since %s, as if another API server answered"
            + " or its etcd was restored. None of them is cancelled, and no other Job of their"
            + " namespaces is adopted")
        .formatted(missing, taken, since);
  }
}
