package dev.fairlead.money.usage.ledger;

import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.Id;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import java.util.Locale;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Dimensions of the ledger of use. A fact has the dimensions of its {@link UseKind}. */
@SuppressWarnings("ImmutableEnumChecker") // functions without state
public enum UseDimension {
  TENANT(TenantId::new),
  PROJECT(ProjectId::new),
  QUEUE(QuotaNodeId::new),
  USER(null),
  CLUSTER(ClusterId::new),
  /** The result is empty for nodes without a pool. */
  POOL(null),
  MODEL(null),
  CAPACITY(null),
  /** Bare id of the model service, for use by its replicas. */
  SERVICE(null),
  /** Tenant of a dedicated pool. */
  OWNER(TenantId::new),
  /** Bucket, cause or reason, as named by the kind. */
  DETAIL(null);

  private final @Nullable Function<UUID, Id> id;

  UseDimension(@Nullable Function<UUID, Id> id) {
    this.id = id;
  }

  /** Returns whether the values are UUIDs. */
  public boolean isId() {
    return id != null;
  }

  /** Column of the table of facts. */
  public String column() {
    return this == USER ? "used_by" : name().toLowerCase(Locale.ROOT);
  }

  /** The value as operators read it: an id with its prefix. */
  String shown(String value) {
    return id == null ? value : id.apply(UUID.fromString(value)).text();
  }
}
