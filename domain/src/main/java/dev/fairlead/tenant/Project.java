package dev.fairlead.tenant;

import java.util.UUID;

/**
 * Who owns jobs, inside one tenant.
 *
 * @param name DNS label, unique in the tenant; the namespace on a cluster is {@code
 *     fairlead-<name>}
 * @param defaultQueue quota node id of the queue that takes jobs which name none
 */
public record Project(ProjectId id, TenantId tenant, String name, UUID defaultQueue, long version) {
  /** Its namespace would be that of Fairlead itself on every cluster, with its service account. */
  public static final String RESERVED_NAME = "system";

  public String namespace() {
    return "fairlead-" + name;
  }
}
