package dev.fairlead.work.attempt;

import java.time.Duration;

/**
 * Operator's limit for programs that save their work before a stop.
 *
 * @param longest from the request until the stop
 */
public record CheckpointLimit(Duration longest) {}
