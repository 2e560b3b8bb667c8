package dev.fairlead.workload;

import org.jspecify.annotations.Nullable;

/**
 * How well a cluster can be seen.
 *
 * @param silentMillis milliseconds since its last answer, by this process's monotonic time; 0 while
 *     its watch is open
 * @param synced whether a complete first view is there
 * @param trouble what is wrong, for people; null when nothing is
 */
public record Contact(long silentMillis, boolean synced, @Nullable String trouble) {}
