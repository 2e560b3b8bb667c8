package dev.fairlead.tenant.postgres;

import dev.fairlead.tenant.Project;
import dev.fairlead.tenant.ProjectId;
import dev.fairlead.tenant.TenantId;
import java.util.UUID;

/** Row of {@code project} as it is read. */
record ProjectRow(
    UUID id, UUID tenant, String name, String namespace, UUID defaultQueue, long version) {
  Project project() {
    return new Project(
        new ProjectId(id), new TenantId(tenant), name, namespace, defaultQueue, version);
  }
}
