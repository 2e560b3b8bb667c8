package dev.fairlead.people.tenant.postgres;

import dev.fairlead.kernel.postgres.NewRow;
import dev.fairlead.people.tenant.Project;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import jakarta.persistence.Version;
import java.util.UUID;
import org.hibernate.annotations.JdbcTypeCode;
import org.hibernate.type.SqlTypes;
import org.jspecify.annotations.Nullable;

/** New row of {@code project}. */
@Entity
@Table(name = "project")
class ProjectEntity implements NewRow<UUID> {
  @Id UUID id = new UUID(0, 0);
  UUID tenant = new UUID(0, 0);
  String name = "";
  String namespace = "";

  @Column(name = "default_queue")
  UUID defaultQueue = new UUID(0, 0);

  @Column(name = "strict_egress")
  @Nullable String strictEgress;

  @Column(name = "idle_policy")
  @JdbcTypeCode(SqlTypes.JSON)
  @Nullable String idlePolicy;

  @Column(name = "cost_centre")
  @Nullable String costCentre;

  @Version long version = 1;

  static ProjectEntity of(Project project) {
    ProjectEntity row = new ProjectEntity();
    row.id = project.id().value();
    row.tenant = project.tenant().value();
    row.name = project.name();
    row.namespace = project.namespace();
    row.defaultQueue = project.defaultQueue();
    row.strictEgress = ProjectRow.text(project.egress());
    row.idlePolicy = ProjectRow.text(project.idle());
    row.costCentre = project.costCentre();
    row.version = project.version();
    return row;
  }

  @Override
  public UUID getId() {
    return id;
  }
}
