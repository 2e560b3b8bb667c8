package dev.fairlead.fleet.node.window;

import java.time.Instant;
import java.time.ZoneId;

/**
 * A time span in which windows are open without a gap.
 *
 * @param end first instant after it
 * @param zone zone of the window that opens it
 */
public record Opening(Instant start, Instant end, ZoneId zone) {}
