package dev.fairlead.people.security.oidc;

import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.security.oidc.OidcSettings.RoleMapping;
import dev.fairlead.people.tenant.Membership;
import dev.fairlead.people.tenant.Principal;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.people.tenant.Tenant;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.people.tenant.TenantStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Maps values of a claim to roles. Names of tenants and projects are looked up at most every 10 s,
 * all together, regardless of the number of tokens.
 */
final class ClaimedRoles {
  private static final Logger LOG = LoggerFactory.getLogger(ClaimedRoles.class);
  private static final long BELIEVED_NANOS = Duration.ofSeconds(10).toNanos();

  /**
   * Requests that wait while the database is unreachable are refused together, not one after the
   * other.
   */
  private static final long FAILED_NANOS = Duration.ofSeconds(1).toNanos();

  private final List<RoleMapping> mappings;
  private final Transactions transactions;
  private final TenantStore tenants;
  private final LongSupplier nanos;
  private volatile @Nullable Known known;
  private @Nullable Failed failed;

  /**
   * @param nanos monotonic time
   */
  ClaimedRoles(
      List<RoleMapping> mappings,
      Transactions transactions,
      TenantStore tenants,
      LongSupplier nanos) {
    this.mappings = mappings;
    this.transactions = transactions;
    this.tenants = tenants;
    this.nanos = nanos;
  }

  /** A mapping to an existing tenant and project. */
  private record Found(String value, Role role, TenantId tenant, @Nullable ProjectId project) {}

  private record Known(TenantId fallback, List<Found> found, long atNanos) {}

  private record Failed(RuntimeException why, long atNanos) {}

  /**
   * The user with the roles of the values. The tenant is that of the first matching mapping, else
   * {@code default}, without a role.
   */
  Principal principal(String user, Collection<String> values) {
    Known now = current();
    List<Found> fitting = now.found().stream().filter(f -> values.contains(f.value())).toList();
    TenantId home = fitting.isEmpty() ? now.fallback() : fitting.getFirst().tenant();
    TreeSet<Role> platform = new TreeSet<>();
    List<Membership> memberships = new ArrayList<>();
    for (Found held : fitting) {
      if (held.role().scope() == Role.Scope.PLATFORM) {
        platform.add(held.role());
      } else {
        memberships.add(new Membership(held.tenant(), held.project(), held.role()));
      }
    }
    return new Principal(user, Principal.Kind.of(user), home, platform, memberships);
  }

  private Known current() {
    Known last = known;
    return last != null && fresh(last.atNanos(), BELIEVED_NANOS) ? last : lookedUp();
  }

  private boolean fresh(long atNanos, long believed) {
    return nanos.getAsLong() - atNanos < believed;
  }

  private synchronized Known lookedUp() {
    Known last = known;
    if (last != null && fresh(last.atNanos(), BELIEVED_NANOS)) {
      return last;
    }
    Failed before = failed;
    if (before != null && fresh(before.atNanos(), FAILED_NANOS)) {
      throw before.why();
    }
    try {
      Known read = transactions.read(this::read);
      known = read;
      return read;
    } catch (RuntimeException why) {
      failed = new Failed(why, nanos.getAsLong());
      throw why;
    }
  }

  private Known read() {
    return new Known(
        tenants.tenantNamed(Tenant.FIRST).map(Tenant::id).orElseThrow(),
        mappings.stream().flatMap(mapping -> found(mapping).stream()).toList(),
        nanos.getAsLong());
  }

  private Optional<Found> found(RoleMapping mapping) {
    Optional<TenantId> tenant = tenants.tenantNamed(mapping.tenant()).map(Tenant::id);
    Optional<ProjectId> named = mapping.projectId();
    Optional<ProjectId> project =
        named.filter(id -> tenant.flatMap(t -> tenants.project(t, id)).isPresent());
    if (tenant.isEmpty() || !named.equals(project)) {
      LOG.debug("fairlead.oidc.roles: the tenant or project of {} does not exist", mapping);
      return Optional.empty();
    }
    return Optional.of(
        new Found(mapping.value(), mapping.parsed(), tenant.get(), project.orElse(null)));
  }
}
