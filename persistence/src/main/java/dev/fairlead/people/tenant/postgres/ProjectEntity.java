package dev.fairlead.people.tenant.postgres;

import dev.fairlead.kernel.postgres.ConfigRow;
import dev.fairlead.kernel.postgres.Json;
import dev.fairlead.people.tenant.Egress;
import dev.fairlead.people.tenant.IdlePolicy;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.ProjectBuilder;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.hibernate.annotations.DynamicUpdate;
import org.hibernate.annotations.JdbcTypeCode;
import org.hibernate.type.SqlTypes;
import org.jspecify.annotations.Nullable;

/** Row of {@code project}. */
@Entity
@DynamicUpdate
@Table(name = "project")
class ProjectEntity extends ConfigRow<UUID> {
  @Id UUID id = new UUID(0, 0);
  UUID tenant = new UUID(0, 0);
  String name = "";
  String namespace = "";

  @Column(name = "default_queue")
  UUID defaultQueue = new UUID(0, 0);

  /** CIDRs separated by blanks, null for open egress. */
  @Column(name = "strict_egress")
  @Nullable String strictEgress;

  @Column(name = "idle_policy")
  @JdbcTypeCode(SqlTypes.JSON)
  @Nullable String idlePolicy;

  @Column(name = "cost_centre")
  @Nullable String costCentre;

  static ProjectEntity of(Project project) {
    ProjectEntity row = new ProjectEntity();
    row.id = project.id().value();
    row.tenant = project.tenant().value();
    row.name = project.name();
    row.namespace = project.namespace();
    row.set(project);
    return row;
  }

  /** Changes the row to the next version. */
  void set(Project project) {
    defaultQueue = project.defaultQueue();
    strictEgress = text(project.egress());
    idlePolicy = text(project.idle());
    costCentre = project.costCentre();
    version = project.version();
  }

  Project project() {
    return ProjectBuilder.builder()
        .id(new ProjectId(id))
        .tenant(new TenantId(tenant))
        .name(name)
        .namespace(namespace)
        .defaultQueue(defaultQueue)
        .egress(egress(strictEgress))
        .idle(Json.readOrNull(idlePolicy, IdlePolicy.class))
        .costCentre(costCentre)
        .version(version)
        .build();
  }

  private static Egress egress(@Nullable String cidrs) {
    if (cidrs == null) {
      return Egress.OPEN;
    }
    return Egress.strict(cidrs.isEmpty() ? List.of() : Arrays.asList(cidrs.split("[ ]")));
  }

  private static @Nullable String text(@Nullable IdlePolicy policy) {
    return policy == null ? null : Json.write(policy);
  }

  private static @Nullable String text(Egress egress) {
    return egress.strict() ? String.join(" ", egress.cidrs()) : null;
  }

  @Override
  public UUID getId() {
    return id;
  }
}
