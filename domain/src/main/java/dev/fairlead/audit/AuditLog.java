package dev.fairlead.audit;

import java.util.List;

/** Insert-only. */
public interface AuditLog {
  /** Writes the entries in the open transaction; all of one tenant. */
  void append(List<AuditRecord> entries);

  default void append(AuditRecord entry) {
    append(List.of(entry));
  }
}
