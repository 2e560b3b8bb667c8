package dev.fairlead.audit.service;

import dev.fairlead.audit.AuditLog;
import dev.fairlead.audit.ConfigKind;
import dev.fairlead.audit.ConfigVersion;
import dev.fairlead.problem.ProblemCode;
import dev.fairlead.problem.Refusal;
import dev.fairlead.tenant.Actor;
import dev.fairlead.tenant.Grant;
import dev.fairlead.tenant.Permissions;
import dev.fairlead.transaction.Transactions;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Reads the history of the configuration. */
@Component
public class ConfigQueries {
  /**
   * Changes of what belongs to the platform and may be of other tenants. A tenant's callers do not
   * read it elsewhere, or less of it.
   */
  private static final List<String> OF_PLATFORM =
      List.of(
          "createPool",
          "updatePool",
          "deletePool",
          "createTenant",
          "updateTenant",
          "archiveTenant",
          "updateFleetLimits",
          "updateFleetQuota");

  private final Transactions transactions;
  private final AuditLog audit;

  public ConfigQueries(Transactions transactions, AuditLog audit) {
    this.transactions = transactions;
    this.audit = audit;
  }

  private static List<String> hidden(Actor actor) {
    return Permissions.grant(actor, "getFleetQuota") == Grant.NO ? OF_PLATFORM : List.of();
  }

  /**
   * Changes made from the tenant at work, the newest first.
   *
   * @param kind null for all
   * @param name null for all
   * @param before only those below this version
   * @throws Refusal FORBIDDEN
   */
  public List<ConfigVersion> newest(
      Actor actor, @Nullable ConfigKind kind, @Nullable String name, long before, int limit) {
    Permissions.require(actor, "listConfigHistory");
    return transactions.read(
        () -> audit.versions(actor.tenant(), kind, name, hidden(actor), before, limit));
  }

  /**
   * @throws Refusal FORBIDDEN; NOT_FOUND also for a version of another tenant
   */
  public ConfigVersion version(Actor actor, long version) {
    Permissions.require(actor, "getConfigVersion");
    return transactions
        .read(() -> audit.versions(actor.tenant(), null, null, hidden(actor), version + 1, 1))
        .stream()
        .filter(found -> found.version() == version)
        .findFirst()
        .orElseThrow(() ->
            new Refusal(
                ProblemCode.NOT_FOUND,
                "There is no version %d in this tenant. GET /api/v1/config/history lists those that are kept."
                    .formatted(version)));
  }
}
