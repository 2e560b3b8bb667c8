package dev.fairlead.people.tenant;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Stores the roles of principals in tenants and projects. */
public interface MembershipStore {
  /** Returns the current memberships of a principal in all tenants, in a fixed order. */
  List<Membership> held(String principal);

  /**
   * Returns the members by principal.
   *
   * @param project null for members of the tenant itself
   */
  List<TenantMember> members(TenantId tenant, @Nullable ProjectId project);

  /**
   * Returns the memberships of the principal in that tenant and locks them until the transaction
   * ends.
   */
  List<Membership> locked(TenantId tenant, String principal);

  /**
   * @param project null for a member of the tenant itself
   */
  Optional<TenantMember> member(TenantId tenant, @Nullable ProjectId project, String principal);

  /**
   * @throws dev.fairlead.kernel.transaction.Conflict NAME_TAKEN if the principal already has a role
   *     there
   */
  void insert(TenantMember member);

  /**
   * Replaces the role.
   *
   * @throws dev.fairlead.kernel.transaction.Conflict VERSION unless the stored version is one below
   */
  void update(TenantMember member);

  /**
   * @throws dev.fairlead.kernel.transaction.Conflict VERSION if this version is not stored
   */
  void delete(TenantMember member);
}
