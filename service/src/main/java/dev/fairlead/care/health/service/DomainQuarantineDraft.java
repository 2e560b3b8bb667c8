package dev.fairlead.care.health.service;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A quarantine of a topology domain as an operator wants it.
 *
 * @param cluster id or name
 * @param level of its topology: {@code rack}
 * @param domain name of the domain at that level
 * @param lasts null until it is released
 * @param force also when it is more of the fleet than the circuit breaker lets
 */
public record DomainQuarantineDraft(
    String cluster,
    String level,
    String domain,
    String reason,
    @Nullable Duration lasts,
    boolean force) {}
