package dev.fairlead.people.tenant.postgres;

import dev.fairlead.people.tenant.Membership;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.people.tenant.TenantMember;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Read model of a row of {@code membership}. */
record MembershipRow(
    UUID id,
    UUID tenant,
    @Nullable UUID project,
    String principal,
    Role role,
    Instant createdAt,
    String createdBy,
    long version) {
  Membership membership() {
    return new Membership(
        new TenantId(tenant), project == null ? null : new ProjectId(project), role);
  }

  TenantMember member() {
    return new TenantMember(id, principal, membership(), createdAt, createdBy, version);
  }
}
