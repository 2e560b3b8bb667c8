package dev.fairlead.care.health.service;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Request to quarantine a topology domain.
 *
 * @param cluster id or name
 * @param level topology level, for example {@code rack}
 * @param domain name of the domain at that level
 * @param lasts duration, null for no end
 * @param force whether to quarantine more of the fleet than the circuit breaker allows
 */
public record NewDomainQuarantine(
    String cluster,
    String level,
    String domain,
    String reason,
    @Nullable Duration lasts,
    boolean force) {}
