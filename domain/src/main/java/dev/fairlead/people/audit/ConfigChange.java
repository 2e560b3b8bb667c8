package dev.fairlead.people.audit;

import org.jspecify.annotations.Nullable;

/**
 * One change of an object of the configuration.
 *
 * @param before its stored JSON before the change, the text hashed in {@link AuditRecord#BEFORE},
 *     null if it was created
 * @param after its stored JSON after the change, hashed in {@link AuditRecord#AFTER}, null if it
 *     was removed
 */
public record ConfigChange(
    ConfigKind kind, String name, @Nullable String before, @Nullable String after) {}
