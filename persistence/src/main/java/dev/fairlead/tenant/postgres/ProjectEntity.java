package dev.fairlead.tenant.postgres;

import dev.fairlead.tenant.Project;
import dev.fairlead.tenant.ProjectId;
import dev.fairlead.tenant.TenantId;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.util.UUID;

/** Row of {@code project}. */
@Entity
@Table(name = "project")
class ProjectEntity {
  @Id UUID id = new UUID(0, 0);
  UUID tenant = new UUID(0, 0);
  String name = "";
  String namespace = "";

  @Column(name = "default_queue")
  UUID defaultQueue = new UUID(0, 0);

  long version;

  static ProjectEntity of(Project project) {
    ProjectEntity row = new ProjectEntity();
    row.id = project.id().value();
    row.tenant = project.tenant().value();
    row.name = project.name();
    row.namespace = project.namespace();
    row.defaultQueue = project.defaultQueue();
    row.version = project.version();
    return row;
  }

  Project project() {
    return new Project(
        new ProjectId(id), new TenantId(tenant), name, namespace, defaultQueue, version);
  }
}
