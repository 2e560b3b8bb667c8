package dev.fairlead.care.booking.service;

import dev.fairlead.care.booking.BookingPurpose;
import dev.fairlead.fleet.node.Overrun;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A booking as it is asked for.
 *
 * @param tenant name of the project's tenant; null for the one in use
 * @param project its name; null for maintenance
 * @param start null for at once
 * @param end or {@code duration}
 * @param nodes names or ids; null to choose {@code count} of the selection
 * @param cluster name or id; null for any
 * @param pool its name; null for any and none
 * @param model of the GPUs; null for any
 */
public record BookingDraft(
    String name,
    BookingPurpose purpose,
    @Nullable String tenant,
    @Nullable String project,
    @Nullable Instant start,
    @Nullable Instant end,
    @Nullable Duration duration,
    @Nullable List<String> nodes,
    @Nullable String cluster,
    @Nullable String pool,
    @Nullable String model,
    int count,
    Overrun overrun,
    String reason) {}
