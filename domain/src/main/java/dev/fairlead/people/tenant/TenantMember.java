package dev.fairlead.people.tenant;

import java.time.Instant;
import java.util.UUID;

/**
 * A principal with its role in a tenant, or in one of its projects. A principal has at most one
 * role in each.
 *
 * @param principal name of a person, or of a service account ({@code sa:...})
 * @param createdBy the principal that added it
 */
public record TenantMember(
    UUID id,
    String principal,
    Membership membership,
    Instant createdAt,
    String createdBy,
    long version) {
  public TenantMember with(Role role) {
    Membership changed = new Membership(membership.tenant(), membership.project(), role);
    return new TenantMember(id, principal, changed, createdAt, createdBy, version + 1);
  }
}
