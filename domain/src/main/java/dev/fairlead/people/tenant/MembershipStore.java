package dev.fairlead.people.tenant;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Which principals have which roles in tenants and projects. */
public interface MembershipStore {
  /** What a principal holds now, in all tenants; in a fixed order. */
  List<Membership> held(String principal);

  /**
   * By principal.
   *
   * @param project null for those of the tenant itself
   */
  List<TenantMember> members(TenantId tenant, @Nullable ProjectId project);

  /** What the principal holds in that tenant; until the transaction ends it keeps these roles. */
  List<Membership> locked(TenantId tenant, String principal);

  /**
   * @param project null for a member of the tenant itself
   */
  Optional<TenantMember> member(TenantId tenant, @Nullable ProjectId project, String principal);

  /**
   * @throws dev.fairlead.kernel.transaction.Conflict NAME_TAKEN when the principal has a role there
   */
  void insert(TenantMember member);

  /**
   * Replaces the role.
   *
   * @throws dev.fairlead.kernel.transaction.Conflict VERSION unless the stored version is one below
   */
  void update(TenantMember member);

  /**
   * @throws dev.fairlead.kernel.transaction.Conflict VERSION when it is not there in this version
   */
  void delete(TenantMember member);
}
