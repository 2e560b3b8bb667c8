package dev.fairlead.people.tenant.postgres;

import dev.fairlead.kernel.postgres.Constraints;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.Membership;
import dev.fairlead.people.tenant.MembershipStore;
import dev.fairlead.people.tenant.ProjectId;
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
  private final MembershipRepository rows;

  PostgresMembershipStore(Transactions transactions, MembershipRepository rows) {
    this.transactions = transactions;
    this.rows = rows;
  }

  @Override
  public List<Membership> held(String principal) {
    return transactions.forAllTenants(() ->
        rows.findByPrincipalOrderById(principal).stream().map(MembershipRow::membership).toList());
  }

  @Override
  public List<Membership> locked(TenantId tenant, String principal) {
    return transactions.inTenant(
        tenant,
        () ->
            rows.findLockedByTenantAndPrincipalOrderById(tenant.value(), principal).stream()
                .map(MembershipRow::membership)
                .toList());
  }

  @Override
  public List<TenantMember> members(TenantId tenant, @Nullable ProjectId project) {
    return transactions.inTenant(
        tenant,
        () -> rows.allOf(tenant.value(), id(project)).stream().map(MembershipRow::member).toList());
  }

  @Override
  public Optional<TenantMember> member(
      TenantId tenant, @Nullable ProjectId project, String principal) {
    return transactions.inTenant(
        tenant,
        () -> rows.oneOf(tenant.value(), id(project), principal).map(MembershipRow::member));
  }

  private static @Nullable UUID id(@Nullable ProjectId project) {
    return project == null ? null : project.value();
  }

  @Override
  public void insert(TenantMember member) {
    transactions.runInTenant(
        member.membership().tenant(),
        () -> {
          Constraints.unique(
              () -> rows.saveAndFlush(MembershipEntity.of(member)),
              () -> new Conflict(Conflict.Guard.NAME_TAKEN, member.principal()));
        });
  }

  @Override
  public void update(TenantMember member) {
    transactions.runInTenant(
        member.membership().tenant(),
        () -> {
          rows.change(
              member.id(), member.version() - 1, () -> stale(member), row -> row.set(member));
        });
  }

  @Override
  public void delete(TenantMember member) {
    transactions.runInTenant(
        member.membership().tenant(),
        () -> {
          rows.remove(member.id(), member.version(), () -> stale(member));
        });
  }

  private static Conflict stale(TenantMember member) {
    return new Conflict(Conflict.Guard.VERSION, member.principal());
  }
}
