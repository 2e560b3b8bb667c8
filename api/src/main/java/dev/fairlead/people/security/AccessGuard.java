package dev.fairlead.people.security;

import dev.fairlead.kernel.errors.RequestIds;
import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.WriteOptions;
import dev.fairlead.people.audit.Denials;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Cause;
import dev.fairlead.people.tenant.Grant;
import dev.fairlead.people.tenant.Permissions;
import dev.fairlead.people.tenant.Principal;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.TenantStore;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.store.JobStore;
import io.swagger.v3.oas.annotations.Hidden;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.http.HttpHeaders;
import org.springframework.web.bind.support.WebDataBinderFactory;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.method.support.ModelAndViewContainer;
import org.springframework.web.servlet.HandlerInterceptor;

/**
 * Admits a request to its controller if the matrix of permissions allows the operation, and passes
 * the caller as {@link Actor} to the controller, or with all its roles as {@link Principal}. An
 * operation without a row is refused. A tenant, project or job that the caller cannot see returns
 * 404. A visible object that the caller may not change returns 403. A new object in an archived
 * tenant returns 409. Admitted requests are charged to their project.
 */
final class AccessGuard implements HandlerInterceptor, HandlerMethodArgumentResolver {
  /** Reading an object is seeing it. */
  private static final String SEE_JOB = "getJob";

  private static final String SEE_PROJECT = "getProject";
  private static final Set<String> READS = Set.of("GET", "HEAD");
  private static final int LONGEST_PATH = 200;
  private static final String ACTOR = Actor.class.getName();
  private static final String PRINCIPAL = Principal.class.getName();
  private final Principals principals;
  private final Transactions transactions;
  private final TenantStore tenants;
  private final JobStore jobs;
  private final ProjectRateLimit projects;
  private final ArchivedTenantGuard openTenants;
  private final Denials denials;

  AccessGuard(
      Principals principals,
      Transactions transactions,
      TenantStore tenants,
      JobStore jobs,
      ProjectRateLimit projects,
      ArchivedTenantGuard openTenants,
      Denials denials) {
    this.principals = principals;
    this.transactions = transactions;
    this.tenants = tenants;
    this.jobs = jobs;
    this.projects = projects;
    this.openTenants = openTenants;
    this.denials = denials;
  }

  @Override
  public boolean preHandle(
      HttpServletRequest request, HttpServletResponse response, Object handler) {
    if (handler instanceof HandlerMethod method
        && method.getBeanType().getName().startsWith("dev.fairlead.")
        && !AnnotatedElementUtils.hasAnnotation(method.getBeanType(), Hidden.class)) {
      String operation = String.valueOf(OperationIds.of(method));
      ProtectedObject object = ProtectedObject.of(method, request);
      Principal caller = principals.current(null);
      Admitted admitted;
      try {
        Principal principal = principals.current(object.tenant());
        admitted = admitted(principal, operation, object);
        request.setAttribute(PRINCIPAL, principal);
      } catch (Refusal refused) {
        if (refused.code() == ProblemCode.FORBIDDEN || !reads(request)) {
          note(caller.at(null), operation, request, refused.code());
        }
        throw refused;
      }
      if (!reads(request)) {
        openTenants.require(admitted.actor(), operation);
      }
      boolean first = request.getAttribute(ACTOR) == null; // a stream passes here again at its end
      if (first && admitted.project() != null) {
        projects.pay(admitted.actor().tenant(), admitted.project(), request, response);
      }
      Cause cause = reads(request) ? Cause.NONE : WriteOptions.cause(request);
      Actor actor = admitted.actor().by(RequestIds.origin(request)).because(cause);
      request.setAttribute(ACTOR, actor);
    }
    return true;
  }

  /** A WebSocket opens with GET, but runs commands in a job. */
  private static boolean reads(HttpServletRequest request) {
    return READS.contains(request.getMethod())
        && !"websocket".equalsIgnoreCase(request.getHeader(HttpHeaders.UPGRADE));
  }

  /** The object of the audit row is the path: whether it exists is not disclosed. */
  private void note(Actor actor, String operation, HttpServletRequest request, ProblemCode code) {
    denials.note(actor.by(RequestIds.origin(request)), operation, shownPath(request), code);
  }

  /** The part of the request path that the audit stores. */
  static String shownPath(HttpServletRequest request) {
    String path = request.getRequestURI();
    return path.length() > LONGEST_PATH ? path.substring(0, LONGEST_PATH) : path;
  }

  /**
   * A denial by the operation itself: the matrix allows it for the caller's own objects, and this
   * one belongs to another caller. Or the operation was to change an object that does not exist,
   * which includes objects of other tenants.
   */
  @Override
  public void afterCompletion(
      HttpServletRequest request,
      HttpServletResponse response,
      Object handler,
      @Nullable Exception failure) {
    boolean forbidden = response.getStatus() == HttpServletResponse.SC_FORBIDDEN;
    boolean absent = response.getStatus() == HttpServletResponse.SC_NOT_FOUND && !reads(request);
    if ((forbidden || absent)
        && handler instanceof HandlerMethod method
        && request.getAttribute(ACTOR) instanceof Actor actor) {
      ProblemCode code = forbidden ? ProblemCode.FORBIDDEN : ProblemCode.NOT_FOUND;
      note(actor, String.valueOf(OperationIds.of(method)), request, code);
    }
  }

  /**
   * An admitted request.
   *
   * @param project name of the project to charge, null if the request names none, and for a job of
   *     a caller without project roles
   */
  private record Admitted(Actor actor, @Nullable String project) {}

  private Admitted admitted(Principal principal, String operation, ProtectedObject object) {
    Actor tenantWide = principal.at(null);
    if (Permissions.grant(tenantWide, operation) == Grant.YES) {
      return new Admitted(tenantWide, object.project());
    }
    if (object.job() != null) {
      return atJob(principal, operation, object.job());
    }
    if (object.project() != null) {
      return atProject(principal, operation, object.project());
    }
    Actor actor = object.ofProject() ? tenantWide : principal.anywhere();
    Permissions.require(actor, operation);
    return new Admitted(actor, null);
  }

  private Admitted atProject(Principal principal, String operation, String name) {
    Project project =
        transactions.read(() -> tenants.projectNamed(principal.home(), name)).orElse(null);
    Actor actor = principal.at(project == null ? null : project.id());
    if (Permissions.grant(actor, SEE_PROJECT) == Grant.NO) {
      throw new Refusal(ProblemCode.NOT_FOUND, "There is no project \"" + name + "\".");
    }
    Permissions.require(actor, operation);
    return new Admitted(actor, name);
  }

  private Admitted atJob(Principal principal, String operation, String text) {
    JobId id = new JobId(ApiPaths.id(IdKind.JOB, text));
    Job job = transactions.read(() -> jobs.find(principal.home(), id)).orElse(null);
    Actor actor = principal.at(job == null ? null : job.project());
    if (job == null || Permissions.grant(actor, SEE_JOB) == Grant.NO) {
      throw new Refusal(ProblemCode.NOT_FOUND, "There is no job " + id.text() + ".");
    }
    Permissions.require(actor, operation);
    if (Permissions.grant(actor, operation) == Grant.OWN && !job.user().equals(actor.name())) {
      throw Permissions.notOwn(actor, operation, job.user());
    }
    return new Admitted(
        actor,
        transactions
            .read(() -> tenants.project(principal.home(), job.project()))
            .map(Project::name)
            .orElse(null));
  }

  @Override
  public boolean supportsParameter(MethodParameter parameter) {
    return parameter.getParameterType() == Actor.class
        || parameter.getParameterType() == Principal.class;
  }

  @Override
  public @Nullable Object resolveArgument(
      MethodParameter parameter,
      @Nullable ModelAndViewContainer container,
      NativeWebRequest request,
      @Nullable WebDataBinderFactory binders) {
    return request.getAttribute(
        parameter.getParameterType().getName(), RequestAttributes.SCOPE_REQUEST);
  }
}
