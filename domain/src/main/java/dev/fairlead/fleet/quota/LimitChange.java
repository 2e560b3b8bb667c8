package dev.fairlead.fleet.quota;

import java.time.Instant;
import java.time.ZoneId;
import org.jspecify.annotations.Nullable;

/**
 * The amounts of a limit from one instant.
 *
 * @param limit its amounts at that time
 * @param until time when they may change again, null for never
 * @param zone zone of the window that opens or closes at that time
 */
public record LimitChange(Instant at, QuotaLimit limit, @Nullable Instant until, ZoneId zone) {}
