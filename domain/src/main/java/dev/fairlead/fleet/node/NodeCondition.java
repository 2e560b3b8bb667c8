package dev.fairlead.fleet.node;

import java.time.Instant;

/**
 * A condition of a node in Kubernetes.
 *
 * @param status {@code True}, {@code False} or {@code Unknown}
 * @param reason in one word, may be empty
 * @param since time when it changed to this status, by the cluster's clock
 */
public record NodeCondition(String type, String status, String reason, Instant since) {}
