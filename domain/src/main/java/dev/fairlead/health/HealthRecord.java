package dev.fairlead.health;

import dev.fairlead.node.NodeId;
import org.jspecify.annotations.Nullable;

/**
 * An event as it is stored.
 *
 * @param node null when its cluster has no node of that name
 * @param incident the one that it opened or joined, null for none
 */
public record HealthRecord(
    HealthEvent event,
    @Nullable NodeId node,
    Judgement.Verdict verdict,
    @Nullable IncidentId incident) {}
