package dev.fairlead.kernel.config;

import dev.fairlead.people.audit.ConfigKind;

/**
 * A record type with values stored as documents of one kind.
 *
 * @param kind kind of the documents and of their history
 */
public record ConfigType<T extends Record>(ConfigKind kind, Class<T> type) {}
