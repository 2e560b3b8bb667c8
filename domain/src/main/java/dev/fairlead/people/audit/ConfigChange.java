package dev.fairlead.people.audit;

import org.jspecify.annotations.Nullable;

/**
 * What one change made of something of the configuration.
 *
 * @param before JSON of it as it was stored, the text that {@link AuditRecord#BEFORE} is the hash
 *     of; null for one that was made
 * @param after as before, and {@link AuditRecord#AFTER}; null for one that was removed
 */
public record ConfigChange(
    ConfigKind kind, String name, @Nullable String before, @Nullable String after) {}
