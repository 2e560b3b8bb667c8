package dev.fairlead.audit;

import dev.fairlead.tenant.TenantId;
import java.util.List;

/** Insert-only. */
public interface AuditLog {
  /** Writes the entries in the open transaction; all of one tenant. */
  void append(List<AuditRecord> entries);

  /** Those of the tenant that stand before the position, the newest first. */
  List<AuditEntry> newest(TenantId tenant, AuditFilter filter, AuditPosition before, int limit);

  default void append(AuditRecord entry) {
    append(List.of(entry));
  }
}
