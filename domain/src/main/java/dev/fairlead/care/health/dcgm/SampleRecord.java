package dev.fairlead.care.health.dcgm;

import java.time.Instant;

/**
 * The last value of a series of a GPU on which Fairlead has acted.
 *
 * @param gpu UUID of the GPU
 * @param series first name of the series
 * @param value the part of the value that counts, 0 or more
 * @param at time of its last event, or of its first value
 * @param seenAt time when the row was last written, at least once a day for the series that every
 *     GPU has
 */
public record SampleRecord(String gpu, String series, long value, Instant at, Instant seenAt) {}
