package dev.fairlead.audit;

/** Insert-only. */
public interface AuditLog {
  void append(AuditRecord entry);
}
