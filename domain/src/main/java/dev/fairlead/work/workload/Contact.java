package dev.fairlead.work.workload;

import org.jspecify.annotations.Nullable;

/**
 * The state of contact with a cluster.
 *
 * @param silentMillis milliseconds since it was last seen to be well, by this process's monotonic
 *     time, 0 while its watches are open and it answered within the last three seconds
 * @param synced whether the first view is complete
 * @param trouble the problem, human-readable, null if none
 */
public record Contact(long silentMillis, boolean synced, @Nullable String trouble) {}
