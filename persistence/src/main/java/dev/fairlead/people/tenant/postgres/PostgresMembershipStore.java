package dev.fairlead.people.tenant.postgres;

import dev.fairlead.kernel.postgres.Constraints;
import dev.fairlead.kernel.postgres.RowLevelSecurity;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.Membership;
import dev.fairlead.people.tenant.MembershipStore;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.people.tenant.TenantMember;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** {@link MembershipStore} on PostgreSQL. */
@Component
class PostgresMembershipStore implements MembershipStore {
  private final Transactions transactions;
  private final RowLevelSecurity security;
  private final MembershipRepository rows;

  PostgresMembershipStore(
      Transactions transactions, RowLevelSecurity security, MembershipRepository rows) {
    this.transactions = transactions;
    this.security = security;
    this.rows = rows;
  }

  @Override
  public List<Membership> held(String principal) {
    return transactions.forAllTenants(() ->
        rows.findByPrincipalOrderById(principal).stream().map(MembershipRow::membership).toList());
  }

  @Override
  public List<Membership> locked(TenantId tenant, String principal) {
    return transactions.call(() -> {
      security.enter(tenant.value());
      return rows.findLockedByTenantAndPrincipalOrderById(tenant.value(), principal).stream()
          .map(MembershipRow::membership)
          .toList();
    });
  }

  @Override
  public List<TenantMember> members(TenantId tenant, @Nullable ProjectId project) {
    return transactions.call(() -> {
      security.enter(tenant.value());
      return rows.allOf(tenant.value(), id(project)).stream().map(MembershipRow::member).toList();
    });
  }

  @Override
  public Optional<TenantMember> member(
      TenantId tenant, @Nullable ProjectId project, String principal) {
    return transactions.call(() -> {
      security.enter(tenant.value());
      return rows.oneOf(tenant.value(), id(project), principal).map(MembershipRow::member);
    });
  }

  private static @Nullable UUID id(@Nullable ProjectId project) {
    return project == null ? null : project.value();
  }

  @Override
  public void insert(TenantMember member) {
    transactions.run(() -> {
      security.enter(member.membership().tenant().value());
      Constraints.unique(
          () -> rows.saveAndFlush(MembershipEntity.of(member)),
          () -> new Conflict(Conflict.Guard.NAME_TAKEN, member.principal()));
    });
  }

  @Override
  public void update(TenantMember member) {
    UUID tenant = member.membership().tenant().value();
    transactions.run(() -> {
      security.enter(tenant);
      Role role = member.membership().role();
      refuseUnlessOne(member, rows.change(tenant, member.id(), member.version() - 1, role));
    });
  }

  @Override
  public void delete(TenantMember member) {
    UUID tenant = member.membership().tenant().value();
    transactions.run(() -> {
      security.enter(tenant);
      refuseUnlessOne(member, rows.remove(tenant, member.id(), member.version()));
    });
  }

  private static void refuseUnlessOne(TenantMember member, int rows) {
    if (rows != 1) {
      throw new Conflict(Conflict.Guard.VERSION, member.principal());
    }
  }
}
