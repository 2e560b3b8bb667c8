package dev.fairlead.work.attempt;

import java.time.Duration;

/**
 * What an operator allows to programs that save their work before they are stopped.
 *
 * @param longest from the request until the stop
 */
public record CheckpointLimit(Duration longest) {}
