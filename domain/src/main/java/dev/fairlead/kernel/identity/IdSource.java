package dev.fairlead.kernel.identity;

import java.util.UUID;

/** Source of new identifiers. Held by the shell only. The core receives identifiers as values. */
@FunctionalInterface
public interface IdSource {
  /** A new UUIDv7: unique, and ordered by creation time in one source. */
  UUID next();
}
