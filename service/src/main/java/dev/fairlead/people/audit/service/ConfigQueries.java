package dev.fairlead.people.audit.service;

import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.audit.ConfigKind;
import dev.fairlead.people.audit.ConfigVersion;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Grant;
import dev.fairlead.people.tenant.Permissions;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Reads the history of the configuration. */
@Component
public class ConfigQueries {
  private final Transactions transactions;
  private final AuditLog audit;

  public ConfigQueries(Transactions transactions, AuditLog audit) {
    this.transactions = transactions;
    this.audit = audit;
  }

  private static SortedSet<ConfigKind> shown(Actor actor) {
    boolean platform = Permissions.grant(actor, "getFleetQuota") != Grant.NO;
    SortedSet<ConfigKind> kinds = new TreeSet<>();
    for (ConfigKind kind : ConfigKind.values()) {
      if (platform || !kind.ofPlatform()) {
        kinds.add(kind);
      }
    }
    return kinds;
  }

  /**
   * Changes made from the current tenant, the newest first.
   *
   * @param kind null for all
   * @param name null for all
   * @param before only those below this version
   * @throws Refusal FORBIDDEN
   */
  public List<ConfigVersion> newest(
      Actor actor, @Nullable ConfigKind kind, @Nullable String name, long before, int limit) {
    Permissions.require(actor, "listConfigHistory");
    SortedSet<ConfigKind> kinds = shown(actor);
    if (kind != null) {
      kinds.retainAll(Set.of(kind));
    }
    return transactions.read(() -> audit.versions(actor.tenant(), kinds, name, before, limit));
  }

  /**
   * @throws Refusal FORBIDDEN, NOT_FOUND also for a version of another tenant
   */
  public ConfigVersion version(Actor actor, long version) {
    Permissions.require(actor, "getConfigVersion");
    return transactions
        .read(() -> audit.versions(actor.tenant(), shown(actor), null, version + 1, 1))
        .stream()
        .filter(found -> found.version() == version)
        .findFirst()
        .orElseThrow(() ->
            new Refusal(
                ProblemCode.NOT_FOUND,
                ("This tenant has no version %d. GET /api/v1/config/history lists the retained"
                        + " versions.")
                    .formatted(version)));
  }
}
