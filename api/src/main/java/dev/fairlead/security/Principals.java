package dev.fairlead.security;

import dev.fairlead.problem.ProblemCode;
import dev.fairlead.problem.Refusal;
import dev.fairlead.tenant.Principal;
import dev.fairlead.tenant.Role;
import dev.fairlead.tenant.Tenant;
import dev.fairlead.tenant.TenantId;
import dev.fairlead.tenant.TenantStore;
import dev.fairlead.transaction.Transactions;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;

/** Finds the principal of a request: the one place that reads the security context. */
final class Principals {
  private static final String TENANT = "default";
  private final Transactions transactions;
  private final TenantStore tenants;
  private final AtomicReference<@Nullable TenantId> known = new AtomicReference<>();

  Principals(Transactions transactions, TenantStore tenants) {
    this.transactions = transactions;
    this.tenants = tenants;
  }

  /**
   * @throws Refusal UNAUTHENTICATED
   */
  Principal current() {
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
              .read(() -> tenants.tenantNamed(TENANT))
              .map(Tenant::id)
              .orElseThrow(
                  () -> new Refusal(ProblemCode.UNAVAILABLE, "The database is not set up yet."));
      known.set(cached);
    }
    return cached;
  }
}
