package dev.fairlead.work.serving.key;

import java.time.Instant;

/**
 * Use of a key in an hour, or in a longer period of a report.
 *
 * @param hour begin of the hour or period
 */
public record KeyHour(ServiceKey.Name key, Instant hour, KeyUse use) {}
