package dev.fairlead.config;

import dev.fairlead.audit.ConfigKind;

/**
 * A record type whose values are stored as documents of one kind.
 *
 * @param kind of the documents and of their history
 */
public record ConfigType<T extends Record>(ConfigKind kind, Class<T> type) {}
