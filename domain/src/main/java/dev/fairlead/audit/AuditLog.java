package dev.fairlead.audit;

import dev.fairlead.tenant.TenantId;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Insert-only. */
public interface AuditLog {
  /** Writes the entries in the open transaction; all of one tenant. */
  void append(List<AuditRecord> entries);

  /** Those of the tenant that stand before the position, the newest first. */
  List<AuditEntry> newest(TenantId tenant, AuditFilter filter, AuditPosition before, int limit);

  /**
   * Changes of the configuration that the tenant's callers made, the newest first.
   *
   * @param kinds the others are left out
   * @param name null for all
   * @param before only those below this version
   */
  List<ConfigVersion> versions(
      TenantId tenant, Set<ConfigKind> kinds, @Nullable String name, long before, int limit);

  default void append(AuditRecord entry) {
    append(List.of(entry));
  }
}
