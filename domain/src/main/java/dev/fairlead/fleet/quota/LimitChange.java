package dev.fairlead.fleet.quota;

import java.time.Instant;
import java.time.ZoneId;
import org.jspecify.annotations.Nullable;

/**
 * What a limit is from one instant on.
 *
 * @param limit its amounts then
 * @param until when they may be others again, null for never
 * @param zone of the window that opens or closes then
 */
public record LimitChange(Instant at, QuotaLimit limit, @Nullable Instant until, ZoneId zone) {}
