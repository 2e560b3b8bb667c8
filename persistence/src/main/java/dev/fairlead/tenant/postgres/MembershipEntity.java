package dev.fairlead.tenant.postgres;

import dev.fairlead.tenant.Membership;
import dev.fairlead.tenant.ProjectId;
import dev.fairlead.tenant.Role;
import dev.fairlead.tenant.TenantId;
import dev.fairlead.tenant.TenantMember;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import jakarta.persistence.Version;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Row of {@code membership}. */
@Entity
@Table(name = "membership")
class MembershipEntity {
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

  /** Null until it is stored: that is how a new row is told from one that was read. */
  @Version @Nullable Long version;

  static MembershipEntity of(TenantMember member) {
    MembershipEntity row = new MembershipEntity();
    ProjectId project = member.membership().project();
    row.id = member.id();
    row.tenant = member.membership().tenant().value();
    row.project = project == null ? null : project.value();
    row.principal = member.principal();
    row.role = member.membership().role();
    row.createdAt = member.createdAt();
    row.createdBy = member.createdBy();
    return row;
  }

  Membership membership() {
    return new Membership(
        new TenantId(tenant), project == null ? null : new ProjectId(project), role);
  }

  TenantMember member() {
    return new TenantMember(
        id, principal, membership(), createdAt, createdBy, version == null ? 0 : version);
  }
}
