package dev.fairlead.people.tenant.postgres;

import dev.fairlead.kernel.postgres.ConfigRow;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.people.tenant.TenantMember;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.time.Instant;
import java.util.UUID;
import org.hibernate.annotations.DynamicUpdate;
import org.jspecify.annotations.Nullable;

/** Row of {@code membership}. */
@Entity
@DynamicUpdate
@Table(name = "membership")
class MembershipEntity extends ConfigRow<UUID> {
  @Id UUID id = new UUID(0, 0);
  UUID tenant = new UUID(0, 0);
  @Nullable UUID project;
  String principal = "";

  @Enumerated(EnumType.STRING)
  Role role = Role.PROJECT_VIEWER;

  @Column(name = "created_at")
  Instant createdAt = Instant.EPOCH;

  @Column(name = "created_by")
  String createdBy = "";

  static MembershipEntity of(TenantMember member) {
    MembershipEntity row = new MembershipEntity();
    ProjectId project = member.membership().project();
    row.id = member.id();
    row.tenant = member.membership().tenant().value();
    row.project = project == null ? null : project.value();
    row.principal = member.principal();
    row.createdAt = member.createdAt();
    row.createdBy = member.createdBy();
    row.set(member);
    return row;
  }

  /** Changes the row to the next version. */
  void set(TenantMember member) {
    role = member.membership().role();
    version = member.version();
  }

  @Override
  public UUID getId() {
    return id;
  }
}
