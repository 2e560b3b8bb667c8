package dev.fairlead.people.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.tuple;

import dev.fairlead.fleet.limit.LimitBook;
import dev.fairlead.kernel.overload.RequestBudgets;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.web.AcrossProjects;
import dev.fairlead.people.audit.AuditEntry;
import dev.fairlead.people.audit.AuditFilter;
import dev.fairlead.people.audit.AuditPosition;
import dev.fairlead.people.audit.service.DenialLoop;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Membership;
import dev.fairlead.people.tenant.Principal;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.people.tenant.Tenant;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.swagger.v3.oas.annotations.Operation;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerMapping;

class AccessGuardTest {
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final Project sibling = world.newProject("sibling");
  private final Job job = world.submit(Specs.job("train"));
  private final AtomicLong nanos = new AtomicLong();
  private final DenialLoop denials =
      new DenialLoop(stores.transactions(), stores.tenants(), stores.audit(), () -> 0);
  private AccessGuard guard = guard(0);
  private @Nullable Actor admitted;

  private AccessGuard guard(int perMinute) {
    return new AccessGuard(
        new Principals(stores.transactions(), stores.tenants()),
        stores.transactions(),
        stores.tenants(),
        stores.jobs(),
        new ProjectRateLimit(
            stores.transactions(),
            stores.tenants(),
            new RequestBudgets(
                perMinute, () -> new LimitBook(List.of(), perMinute), new SimpleMeterRegistry())),
        new ArchivedTenantGuard(stores.transactions(), stores.tenants(), nanos::get),
        denials);
  }

  AccessGuardTest() {
    stores.tenants().insert(sibling);
  }

  private List<AuditEntry> audited() {
    denials.tick();
    return stores
        .transactions()
        .read(() ->
            stores.audit().newest(world.tenant().id(), AuditFilter.ALL, AuditPosition.END, 9));
  }

  /** Methods as the guard sees them in controllers. */
  static final class Operations {
    @Operation(operationId = "getJob")
    void getJob(@PathVariable String job) {}

    @Operation(operationId = "cancelJob")
    void cancelJob(@PathVariable String job) {}

    @Operation(operationId = "execJob")
    void execJob(@PathVariable String job) {}

    @Operation(operationId = "listJobs")
    @AcrossProjects
    void listJobs(@RequestParam(required = false) @Nullable String project) {}

    @Operation(operationId = "listEvents")
    void listEvents(@RequestParam(required = false) @Nullable String project) {}

    @Operation(operationId = "submitJob")
    void submitJob(@PathVariable String project) {}

    @Operation(operationId = "signStatement")
    void signStatement(@PathVariable String month) {}

    @Operation(operationId = "listNodes")
    void listNodes() {}

    @Operation(operationId = "putVolume")
    void putVolume(@PathVariable String project) {}

    @Operation(operationId = "deleteVolume")
    void deleteVolume(@PathVariable String project) {}

    @Operation(operationId = "dropVolumeTransfer")
    void dropVolumeTransfer(@PathVariable String project) {}

    @Operation(operationId = "formatTheDisks")
    void notListed() {}

    void withoutOperation() {}
  }

  @AfterEach
  void leave() {
    SecurityContextHolder.clearContext();
  }

  private Principal principal(String name, @Nullable Project project, Role role) {
    return new Principal(
        name,
        Principal.Kind.USER,
        world.tenant().id(),
        new TreeSet<>(),
        List.of(new Membership(world.tenant().id(), project == null ? null : project.id(), role)));
  }

  private Principal platform(Role role) {
    return new Principal(
        "olga", Principal.Kind.USER, world.tenant().id(), new TreeSet<>(List.of(role)), List.of());
  }

  /** OK, or the code of the refusal. */
  private String ask(Object principal, String method, Map<String, String> path, String... query) {
    SecurityContextHolder.getContext()
        .setAuthentication(
            UsernamePasswordAuthenticationToken.authenticated(principal, null, List.of()));
    boolean reads = method.startsWith("get") || method.startsWith("list");
    MockHttpServletRequest request =
        new MockHttpServletRequest(
            reads || method.equals("execJob") ? "GET" : "POST", "/" + method);
    if (method.equals("execJob")) {
      request.addHeader("Upgrade", "WebSocket");
    }
    request.setAttribute(HandlerMapping.URI_TEMPLATE_VARIABLES_ATTRIBUTE, path);
    for (int i = 0; i < query.length; i += 2) {
      request.setParameter(query[i], query[i + 1]);
    }
    HandlerMethod handler =
        new HandlerMethod(
            new Operations(),
            List.of(Operations.class.getDeclaredMethods()).stream()
                .filter(m -> m.getName().equals(method))
                .findFirst()
                .orElseThrow());
    Refusal refused =
        catchThrowableOfType(
            Refusal.class, () -> guard.preHandle(request, new MockHttpServletResponse(), handler));
    if (refused == null) {
      admitted = (Actor) request.getAttribute(Actor.class.getName());
      assertThat(admitted).isNotNull();
      return "OK";
    }
    return refused.code().name();
  }

  private Map<String, String> theJob() {
    return Map.of("job", job.id().text());
  }

  @Test
  void operationWithoutARowIsDeniedEvenToTheAdministrator() {
    assertThat(ask(platform(Role.ADMIN), "notListed", Map.of())).isEqualTo("FORBIDDEN");
    assertThat(ask(platform(Role.ADMIN), "withoutOperation", Map.of())).isEqualTo("FORBIDDEN");
  }

  @Test
  void unauthenticatedCallerIsRejected() {
    assertThat(ask("anonymous", "listNodes", Map.of()))
        .isEqualTo(ProblemCode.UNAUTHENTICATED.name());
  }

  /** Fails when {@code own} counts as all: a member could end jobs of others. */
  @Test
  void memberChangesItsJobsAndReadsThoseOfOthers() {
    Principal submitter = principal(job.user(), null, Role.TENANT_MEMBER);
    Principal other = principal("eve", null, Role.TENANT_MEMBER);

    assertThat(ask(submitter, "cancelJob", theJob())).isEqualTo("OK");
    assertThat(ask(other, "getJob", theJob())).isEqualTo("OK");
    assertThat(ask(other, "cancelJob", theJob())).isEqualTo("FORBIDDEN");
    assertThat(ask(principal("eve", null, Role.TENANT_OWNER), "cancelJob", theJob()))
        .isEqualTo("OK");
  }

  /**
   * Fails when a denial has no row, when a read of a nonexistent object has one, or when an allowed
   * request looks like a denial.
   */
  @Test
  void denialsAreAudited() {
    ask(principal("eve", null, Role.TENANT_MEMBER), "cancelJob", theJob());
    ask(principal("mallory", sibling, Role.PROJECT_OWNER), "cancelJob", theJob());
    ask(principal("ana", sibling, Role.PROJECT_OWNER), "getJob", theJob());
    ask(principal(job.user(), null, Role.TENANT_MEMBER), "cancelJob", theJob());

    assertThat(audited())
        .extracting(
            AuditEntry::actor,
            AuditEntry::operation,
            AuditEntry::subject,
            entry -> entry.detail().get("code"))
        .containsExactlyInAnyOrder(
            tuple("eve", "cancelJob", "/cancelJob", "FORBIDDEN"),
            tuple("mallory", "cancelJob", "/cancelJob", "NOT_FOUND"));
    assertThat(audited()).noneMatch(AuditEntry::allowed);
  }

  /** Fails when a refusal reveals a job of a project that the caller cannot see. */
  @Test
  void jobOfASiblingProjectLooksLikeAMissingOne() {
    Principal eve = principal("eve", sibling, Role.PROJECT_OWNER);
    String guessed = job.id().text().substring(0, 29) + "0";

    assertThat(ask(eve, "getJob", theJob())).isEqualTo("NOT_FOUND");
    assertThat(ask(eve, "cancelJob", theJob())).isEqualTo("NOT_FOUND");
    assertThat(ask(eve, "cancelJob", Map.of("job", guessed))).isEqualTo("NOT_FOUND");
    assertThat(ask(eve, "cancelJob", Map.of("job", "../etc"))).isEqualTo("NOT_FOUND");
    assertThat(ask(principal("eve", world.project(), Role.PROJECT_OWNER), "cancelJob", theJob()))
        .isEqualTo("OK");
  }

  @Test
  void projectRoleAppliesToThatProjectOnly() {
    Principal ana = principal("ana", world.project(), Role.PROJECT_MEMBER);
    String own = world.project().name();

    assertThat(ask(ana, "submitJob", Map.of("project", own))).isEqualTo("OK");
    assertThat(ask(ana, "submitJob", Map.of("project", "sibling"))).isEqualTo("NOT_FOUND");
    assertThat(ask(ana, "submitJob", Map.of("project", "guessed"))).isEqualTo("NOT_FOUND");
    assertThat(ask(ana, "listJobs", Map.of(), "project", own)).isEqualTo("OK");
    assertThat(ask(ana, "listJobs", Map.of(), "project", "sibling")).isEqualTo("NOT_FOUND");
    assertThat(
            ask(
                principal("v", world.project(), Role.PROJECT_VIEWER),
                "submitJob",
                Map.of("project", own)))
        .isEqualTo("FORBIDDEN");
  }

  /** Fails when a role of a single project can list all projects. */
  @Test
  void aListOverAllProjectsNeedsARoleInTheTenant() {
    assertThat(ask(principal("ana", world.project(), Role.PROJECT_OWNER), "listEvents", Map.of()))
        .isEqualTo("FORBIDDEN");
    assertThat(ask(principal("ana", null, Role.TENANT_VIEWER), "listEvents", Map.of()))
        .isEqualTo("OK");
    assertThat(ask(principal("ana", world.project(), Role.PROJECT_VIEWER), "listNodes", Map.of()))
        .isEqualTo("OK");
  }

  /** Fails when a caller with roles of projects has to name one, or sees more than these. */
  @Test
  void listOfOwnProjectsRequiresARoleInOneOfThem() {
    assertThat(ask(principal("ana", world.project(), Role.PROJECT_OWNER), "listJobs", Map.of()))
        .isEqualTo("OK");
    assertThat(admitted.projects()).containsExactly(world.project().id());
    assertThat(ask(principal("ana", null, Role.TENANT_VIEWER), "listJobs", Map.of()))
        .isEqualTo("OK");
    assertThat(admitted.projects()).isNull();
    Principal none =
        new Principal("eve", Principal.Kind.USER, world.tenant().id(), new TreeSet<>(), List.of());
    assertThat(ask(none, "listJobs", Map.of())).isEqualTo("FORBIDDEN");
  }

  /** Fails when the last months of an archived tenant can never be signed, or jobs are added. */
  @Test
  void archivedTenantIsReadableAndItsMonthsAreSigned() {
    Principal owner = principal("olga", null, Role.TENANT_OWNER);
    stores.tenants().update(world.tenant().in(Tenant.State.ARCHIVED));

    assertThat(ask(owner, "signStatement", Map.of("month", "2030-01"))).isEqualTo("OK");
    assertThat(ask(owner, "submitJob", Map.of("project", world.project().name())))
        .isEqualTo("ILLEGAL_STATE");
  }

  /** Fails when a WebSocket counts as a read because it opens with GET. */
  @Test
  void archivedTenantOpensNoSessionsAndForeignAttemptsAreAudited() {
    Map<String, String> path = Map.of("job", job.id().text());
    Principal owner = principal("olga", null, Role.TENANT_OWNER);
    assertThat(ask(owner, "execJob", path)).isEqualTo("OK");
    assertThat(ask(principal("eve", sibling, Role.PROJECT_OWNER), "execJob", path))
        .isEqualTo("NOT_FOUND");
    assertThat(audited())
        .extracting(AuditEntry::operation, AuditEntry::actor)
        .containsExactly(tuple("execJob", "eve"));

    stores.tenants().update(world.tenant().in(Tenant.State.ARCHIVING));
    nanos.addAndGet(3_000_000_000L);
    assertThat(ask(owner, "execJob", path)).isEqualTo("ILLEGAL_STATE");
    assertThat(ask(owner, "getJob", path)).isEqualTo("OK");
  }

  /** Fails when archiving a tenant waits forever for volumes that no role may delete. */
  @Test
  void volumesOfAnArchivedTenantCanBeDeleted() {
    Principal owner = principal("olga", null, Role.TENANT_OWNER);
    Map<String, String> path = Map.of("project", world.project().name());
    Tenant archived = world.tenant();
    for (Tenant.State state : List.of(Tenant.State.ARCHIVING, Tenant.State.ARCHIVED)) {
      archived = archived.in(state);
      stores.tenants().update(archived);

      assertThat(ask(owner, "deleteVolume", path)).isEqualTo("OK");
      assertThat(ask(owner, "dropVolumeTransfer", path)).isEqualTo("OK");
      assertThat(ask(owner, "putVolume", path)).isEqualTo("ILLEGAL_STATE");
    }
  }

  /**
   * Fails when callers without access use the rate limit of a project: they would lock out its
   * members.
   */
  @Test
  void projectIsChargedOnlyForPermittedRequests() {
    guard = guard(1);
    Principal stranger = principal("eve", sibling, Role.PROJECT_OWNER);
    Principal member = principal("ana", world.project(), Role.PROJECT_MEMBER);
    Map<String, String> path = Map.of("project", world.project().name());

    for (int i = 0; i < 3; i++) {
      assertThat(ask(stranger, "submitJob", path)).isEqualTo("NOT_FOUND");
      assertThat(ask(stranger, "getJob", theJob())).isEqualTo("NOT_FOUND");
    }

    assertThat(ask(member, "submitJob", path)).isEqualTo("OK");
    assertThat(ask(member, "submitJob", path)).isEqualTo("RATE_LIMITED");
  }

  /** Fails when invented names get rate limits: enough of them would evict exhausted limits. */
  @Test
  void nameWithoutAProjectIsNoBudget() {
    guard = guard(1);
    Principal owner = principal("olga", null, Role.TENANT_OWNER);

    for (int i = 0; i < 3; i++) {
      assertThat(ask(owner, "listJobs", Map.of(), "project", "made-up")).isEqualTo("OK");
    }
    assertThat(ask(owner, "listJobs", Map.of(), "project", "sibling")).isEqualTo("OK");
    assertThat(ask(owner, "listJobs", Map.of(), "project", "sibling")).isEqualTo("RATE_LIMITED");
  }

  /** Fails when a project pays only for paths that name it. */
  @Test
  void requestForAJobIsChargedToTheRateLimitOfItsProject() {
    guard = guard(2);
    Principal member = principal("ana", world.project(), Role.PROJECT_MEMBER);

    assertThat(ask(member, "getJob", theJob())).isEqualTo("OK");
    assertThat(ask(platform(Role.ADMIN), "listJobs", Map.of(), "project", world.project().name()))
        .isEqualTo("OK");
    assertThat(ask(member, "getJob", theJob())).isEqualTo("RATE_LIMITED");
    assertThat(ask(platform(Role.ADMIN), "getJob", theJob())).isEqualTo("OK");
  }
}
