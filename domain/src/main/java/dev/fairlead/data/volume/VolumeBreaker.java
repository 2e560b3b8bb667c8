package dev.fairlead.data.volume;

import dev.fairlead.kernel.identity.ClusterId;
import java.time.Instant;

/**
 * An open circuit breaker of the volumes on a cluster. While it is open, none of the volumes with a
 * missing claim is LOST, and no job that mounts one starts.
 *
 * @param missing volumes with a claim that the cluster does not show, from 1. Volumes with a
 *     confirmed loss are not counted.
 * @param claims volumes with a claim that the cluster should show, including missing ones
 * @param since time when the first of the missing claims was counted
 */
public record VolumeBreaker(ClusterId cluster, int missing, int claims, Instant since) {
  /** The breaker in the words of a message. */
  public String text() {
    return ("the claims of %d of %d volumes have been missing since %s, as if another API server"
            + " answered or its etcd was restored. None of these volumes is LOST, and jobs that"
            + " mount them wait. Other jobs start")
        .formatted(missing, claims, since);
  }
}
