package dev.fairlead.tenant.postgres;

import dev.fairlead.postgres.Entities;
import dev.fairlead.postgres.RowLevelSecurity;
import dev.fairlead.tenant.Membership;
import dev.fairlead.tenant.MembershipStore;
import dev.fairlead.tenant.ProjectId;
import dev.fairlead.tenant.TenantId;
import dev.fairlead.tenant.TenantMember;
import dev.fairlead.transaction.Conflict;
import dev.fairlead.transaction.Transactions;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.stereotype.Component;

/** {@link MembershipStore} on PostgreSQL. */
@Component
class PostgresMembershipStore implements MembershipStore {
  private final Transactions transactions;
  private final RowLevelSecurity wall;
  private final MembershipRepository rows;

  PostgresMembershipStore(
      Transactions transactions, RowLevelSecurity wall, MembershipRepository rows) {
    this.transactions = transactions;
    this.wall = wall;
    this.rows = rows;
  }

  @Override
  public List<Membership> held(String principal) {
    return transactions.forAllTenants(() ->
        rows.findByPrincipalOrderById(principal).stream()
            .map(MembershipEntity::membership)
            .toList());
  }

  @Override
  public List<Membership> locked(TenantId tenant, String principal) {
    return transactions.call(() -> {
      wall.enter(tenant.value());
      return rows.findLockedByTenantAndPrincipalOrderById(tenant.value(), principal).stream()
          .map(MembershipEntity::membership)
          .toList();
    });
  }

  @Override
  public List<TenantMember> members(TenantId tenant, @Nullable ProjectId project) {
    return transactions.call(() -> {
      wall.enter(tenant.value());
      return rows.findByTenantAndProjectOrderByPrincipal(tenant.value(), id(project)).stream()
          .map(MembershipEntity::member)
          .toList();
    });
  }

  @Override
  public Optional<TenantMember> member(
      TenantId tenant, @Nullable ProjectId project, String principal) {
    return transactions.call(() -> {
      wall.enter(tenant.value());
      return rows.findByTenantAndProjectAndPrincipal(tenant.value(), id(project), principal)
          .map(MembershipEntity::member);
    });
  }

  private static @Nullable UUID id(@Nullable ProjectId project) {
    return project == null ? null : project.value();
  }

  @Override
  public void insert(TenantMember member) {
    transactions.run(() -> {
      wall.enter(member.membership().tenant().value());
      try {
        rows.saveAndFlush(MembershipEntity.of(member));
      } catch (DataIntegrityViolationException e) {
        throw Entities.refusedByUniqueness(e)
            ? new Conflict(Conflict.Guard.NAME_TAKEN, member.principal())
            : e;
      }
    });
  }

  @Override
  public void update(TenantMember member) {
    change(
        member,
        member.version() - 1,
        row -> {
          row.role = member.membership().role();
          rows.saveAndFlush(row);
        });
  }

  @Override
  public void delete(TenantMember member) {
    change(
        member,
        member.version(),
        row -> {
          rows.delete(row);
          rows.flush();
        });
  }

  private void change(TenantMember member, long version, Consumer<MembershipEntity> change) {
    UUID tenant = member.membership().tenant().value();
    try {
      transactions.run(() -> {
        wall.enter(tenant);
        change.accept(
            rows.findByTenantAndIdAndVersion(tenant, member.id(), version)
                .orElseThrow(() -> stale(member)));
      });
    } catch (OptimisticLockingFailureException raced) {
      throw stale(member);
    }
  }

  private static Conflict stale(TenantMember member) {
    return new Conflict(Conflict.Guard.VERSION, member.principal());
  }
}
