package dev.fairlead.people.tenant.memory;

import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.memory.MemoryDatabase;
import dev.fairlead.kernel.transaction.memory.MemoryTable;
import dev.fairlead.people.tenant.Membership;
import dev.fairlead.people.tenant.MembershipStore;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.people.tenant.TenantMember;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** In-memory implementation of {@link MembershipStore}. */
public final class MemoryMembershipStore implements MembershipStore {
  private final MemoryDatabase database;
  private final MemoryTable<UUID, TenantMember> rows;

  public MemoryMembershipStore(MemoryDatabase database) {
    this.database = database;
    this.rows = database.table();
  }

  @Override
  public List<Membership> held(String principal) {
    return database.call(() ->
        rows.all().stream()
            .filter(m -> m.principal().equals(principal))
            .sorted(Comparator.comparing(TenantMember::id))
            .map(TenantMember::membership)
            .toList());
  }

  @Override
  public List<Membership> locked(TenantId tenant, String principal) {
    return held(principal).stream().filter(m -> m.tenant().equals(tenant)).toList();
  }

  @Override
  public List<TenantMember> members(TenantId tenant, @Nullable ProjectId project) {
    return database.call(() ->
        rows.all().stream()
            .filter(m -> m.membership().tenant().equals(tenant))
            .filter(m -> Objects.equals(m.membership().project(), project))
            .sorted(Comparator.comparing(TenantMember::principal))
            .toList());
  }

  @Override
  public Optional<TenantMember> member(
      TenantId tenant, @Nullable ProjectId project, String principal) {
    return members(tenant, project).stream()
        .filter(m -> m.principal().equals(principal))
        .findFirst();
  }

  @Override
  public void insert(TenantMember member) {
    database.run(() -> {
      Membership place = member.membership();
      if (member(place.tenant(), place.project(), member.principal()).isPresent()) {
        throw new Conflict(Conflict.Guard.NAME_TAKEN, member.principal());
      }
      rows.put(member.id(), member);
    });
  }

  @Override
  public void update(TenantMember member) {
    database.run(() -> {
      if (rows.find(member.id()).filter(m -> m.version() == member.version() - 1).isEmpty()) {
        throw new Conflict(Conflict.Guard.VERSION, member.principal());
      }
      rows.put(member.id(), member);
    });
  }

  @Override
  public void delete(TenantMember member) {
    database.run(() -> {
      if (rows.find(member.id()).filter(m -> m.version() == member.version()).isEmpty()) {
        throw new Conflict(Conflict.Guard.VERSION, member.principal());
      }
      rows.remove(member.id());
    });
  }
}
