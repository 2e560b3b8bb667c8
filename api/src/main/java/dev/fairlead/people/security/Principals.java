package dev.fairlead.people.security;

import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.Principal;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.people.tenant.Tenant;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.people.tenant.TenantStore;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;

/** Finds the principal of a request. The only class that reads the security context. */
final class Principals {
  private final Transactions transactions;
  private final TenantStore tenants;
  private final AtomicReference<@Nullable TenantId> known = new AtomicReference<>();

  Principals(Transactions transactions, TenantStore tenants) {
    this.transactions = transactions;
    this.tenants = tenants;
  }

  /**
   * @param tenant name of the tenant of the request, null for the caller's own
   * @throws Refusal UNAUTHENTICATED, NOT_FOUND for a tenant in which the caller has no role,
   *     whether or not it exists
   */
  Principal current(@Nullable String tenant) {
    Principal caller = caller();
    return tenant == null
        ? caller
        : transactions
            .read(() -> tenants.tenantNamed(tenant))
            .flatMap(named -> caller.in(named.id()))
            .orElseThrow(
                () -> new Refusal(ProblemCode.NOT_FOUND, "There is no tenant \"" + tenant + "\"."));
  }

  private Principal caller() {
    Authentication authentication = SecurityContextHolder.getContext().getAuthentication();
    return switch (authentication == null ? null : authentication.getPrincipal()) {
      case Principal principal -> principal;
      case Caller caller -> administrator(caller.name());
      case null, default ->
          throw new Refusal(
              ProblemCode.UNAUTHENTICATED, "Send the header Authorization: Bearer <token>.");
    };
  }

  private Principal administrator(String name) {
    return new Principal(
        name, Principal.Kind.USER, tenant(), new TreeSet<>(List.of(Role.ADMIN)), List.of());
  }

  private TenantId tenant() {
    TenantId cached = known.get();
    if (cached == null) {
      cached =
          transactions
              .read(() -> tenants.tenantNamed(Tenant.FIRST))
              .map(Tenant::id)
              .orElseThrow(
                  () -> new Refusal(ProblemCode.UNAVAILABLE, "The database is not set up yet."));
      known.set(cached);
    }
    return cached;
  }
}
