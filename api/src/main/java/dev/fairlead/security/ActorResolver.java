package dev.fairlead.security;

import dev.fairlead.problem.ProblemCode;
import dev.fairlead.problem.Refusal;
import dev.fairlead.tenant.Actor;
import dev.fairlead.tenant.Tenant;
import dev.fairlead.tenant.TenantId;
import dev.fairlead.tenant.TenantStore;
import dev.fairlead.transaction.Transactions;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.web.bind.support.WebDataBinderFactory;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.method.support.ModelAndViewContainer;

/** Hands {@link Actor} to controllers: the one place that reads the security context. */
final class ActorResolver implements HandlerMethodArgumentResolver {
  private static final String TENANT = "default";
  private final Transactions transactions;
  private final TenantStore tenants;
  private final AtomicReference<@Nullable TenantId> known = new AtomicReference<>();

  ActorResolver(Transactions transactions, TenantStore tenants) {
    this.transactions = transactions;
    this.tenants = tenants;
  }

  @Override
  public boolean supportsParameter(MethodParameter parameter) {
    return parameter.getParameterType() == Actor.class;
  }

  @Override
  public Actor resolveArgument(
      MethodParameter parameter,
      @Nullable ModelAndViewContainer container,
      NativeWebRequest request,
      @Nullable WebDataBinderFactory binders) {
    Authentication authentication = SecurityContextHolder.getContext().getAuthentication();
    if (authentication == null || !(authentication.getPrincipal() instanceof Caller caller)) {
      throw new Refusal(
          ProblemCode.UNAUTHENTICATED, "Send the header Authorization: Bearer <token>.");
    }
    return new Actor(tenant(), caller.name(), true);
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
