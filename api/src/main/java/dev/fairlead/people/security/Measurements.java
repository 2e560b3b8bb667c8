package dev.fairlead.people.security;

import dev.fairlead.kernel.errors.ProblemWriter;
import dev.fairlead.kernel.errors.RequestIds;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.audit.Denials;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Grant;
import dev.fairlead.people.tenant.PermissionMatrix;
import dev.fairlead.people.tenant.Permissions;
import dev.fairlead.people.tenant.Principal;
import dev.fairlead.people.tenant.Role;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.security.authorization.AuthorizationDecision;
import org.springframework.security.authorization.AuthorizationManager;
import org.springframework.security.authorization.AuthorizationResult;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.web.access.intercept.RequestAuthorizationContext;

/**
 * Decides which callers may read the metrics of a process. The metrics cover the whole fleet, with
 * names of queues of all tenants, so reading them requires the permission to check the
 * installation.
 */
final class Measurements implements AuthorizationManager<RequestAuthorizationContext> {
  /** All management endpoints except process health. */
  static final String PATHS = "/actuator/**";

  private static final String OPERATION = "readMetrics";

  /** The operation of the matrix with the roles that apply. */
  private static final String LIKE = "listChecks";

  private final Denials denials;

  Measurements(Denials denials) {
    this.denials = denials;
  }

  @Override
  public AuthorizationResult authorize(
      Supplier<? extends @Nullable Authentication> caller, RequestAuthorizationContext request) {
    Authentication known = caller.get();
    return new AuthorizationDecision(known != null && allowed(known.getPrincipal()));
  }

  private static boolean allowed(@Nullable Object caller) {
    return switch (caller) {
      case Caller _ -> true;
      case Principal principal -> Permissions.grant(principal.at(null), LIKE) == Grant.YES;
      case null, default -> false;
    };
  }

  /** Responds to a caller that {@link #authorize} refused. */
  void refuse(HttpServletRequest request, HttpServletResponse response) throws IOException {
    Authentication known = SecurityContextHolder.getContext().getAuthentication();
    if (known != null && known.getPrincipal() instanceof Principal principal) {
      Actor actor = principal.at(null).by(RequestIds.origin(request));
      String path = AccessGuard.shownPath(request);
      denials.note(actor, OPERATION, path, ProblemCode.FORBIDDEN);
    }
    List<Role> roles = PermissionMatrix.CURRENT.rolesFor(LIKE).stream().toList();
    ProblemWriter.write(
        request,
        response,
        new Refusal(
            ProblemCode.FORBIDDEN,
            "Metrics cover all tenants and need one of the roles %s. Ask an administrator."
                .formatted(roles.stream().map(Role::wire).collect(Collectors.joining(", ")))));
  }
}
