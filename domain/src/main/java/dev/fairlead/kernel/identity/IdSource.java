package dev.fairlead.kernel.identity;

import java.util.UUID;

/**
 * Where new identifiers come from. Held by the shell only. The core receives identifiers as values.
 */
@FunctionalInterface
public interface IdSource {
  /** A new UUIDv7: unique, and ordered by creation time in one source. */
  UUID next();
}
