package dev.fairlead.front;

/**
 * Reason why the spec of a ModelService is not applied.
 *
 * @param reason reason of its conditions, in CamelCase
 * @param stalled whether only a change by a user helps
 */
public record ServiceProblem(String reason, String message, boolean stalled) {}
