package dev.fairlead.audit;

import dev.fairlead.tenant.TenantId;
import java.util.List;
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
   * @param kind null for all
   * @param name null for all
   * @param hidden operations whose changes are left out
   * @param before only those below this version
   */
  List<ConfigVersion> versions(
      TenantId tenant,
      @Nullable ConfigKind kind,
      @Nullable String name,
      List<String> hidden,
      long before,
      int limit);

  default void append(AuditRecord entry) {
    append(List.of(entry));
  }
}
