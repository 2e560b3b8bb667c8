package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.e2e.TwoTenants.Whose;
import dev.fairlead.figures.Figure;
import dev.fairlead.people.tenant.Grant;
import dev.fairlead.people.tenant.PermissionMatrix;
import dev.fairlead.people.tenant.Role;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;

/**
 * Each operation of the API, called by each role, on the caller's own objects, objects of another
 * caller, project and tenant, and deleted and nonexistent objects. The expected answer follows from
 * {@code permissions.csv}. A request for another tenant's object is answered as for one that never
 * existed, changes nothing, and no answer has a trace of the other tenant.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SecurityMatrixIT {
  /** Has an endless response, which a separate test reads. */
  private static final String ENDLESS = "streamEvents";

  private static final String MAKES_TOKENS = "createToken";

  /**
   * The view of platform roles across tenants: tenants, their quota, pools, prices, and the
   * workloads on a cluster.
   */
  private static final Set<String> ACROSS_TENANTS =
      Set.of(
          "listTenants",
          "listFleetQuotas",
          "listAdvanceReservations",
          "listFrontNamespaces",
          "getAdvanceReservation",
          "cancelAdvanceReservation",
          "listPools",
          "getPool",
          "listPoolWindows",
          "getPoolSupply",
          "listPrices",
          "getPrice",
          "deleteCluster",
          "getFailoverTest");

  /** Without a project they cover all projects of the caller. */
  private static final Set<String> ACROSS_PROJECTS =
      Set.of(
          "getMe",
          "listEvents",
          "listJobs",
          "reportUsage",
          "reportWaits",
          "streamEvents",
          "summarizeJobs");

  /** Lists the audit, which soon contains refused requests of this matrix with their paths. */
  private static final Pattern REFUSED_PATH =
      Pattern.compile("\"actor\":\"r-[^\"]*\",\"action\":\"[^\"]*\",\"object\":\"/[^\"]*\"");

  /** The first object never existed. The other responses are compared with its response. */
  private static final List<Whose> EVERYTHING =
      List.of(Whose.GUESSED, Whose.DELETED, Whose.FOREIGN, Whose.SIBLING, Whose.OTHERS, Whose.OWN);

  /** A role without the permission is refused before any lookup. */
  private static final List<Whose> OF_WHOEVER_MAY_NOT =
      List.of(Whose.GUESSED, Whose.FOREIGN, Whose.OWN);

  private static final PermissionMatrix MATRIX = PermissionMatrix.CURRENT;
  private final RunningFairlead fairlead = // its fleet is no other test's
      RunningFairlead.start(
          RunningFairlead.KEY,
          "--fairlead.key-file=" + RunningFairlead.keyFile(),
          "--fairlead.logs.directory=" + RunningFairlead.keyFile().resolveSibling("logs"));
  private final Http http = fairlead.http();
  private final TwoTenants world = new TwoTenants(http);
  private final Map<String, String> notThere = new HashMap<>();
  private final List<String> wrong = new ArrayList<>();
  private final Map<String, Integer> asked = new TreeMap<>();

  @AfterAll
  void end() {
    fairlead.close();
  }

  /** An operation of the document. */
  private record Operation(String path, String method, JsonNode node) {
    String id() {
      return node.get("operationId").asString();
    }

    /** Names of objects in the path, and the project where one can be given in addition. */
    List<String> things() {
      List<String> names = new ArrayList<>();
      for (JsonNode parameter : node.path("parameters")) {
        String name = parameter.path("name").asString("");
        if (parameter.path("in").asString("").equals("path") || name.equals("project")) {
          names.add(name);
        }
      }
      return names;
    }

    boolean takes(String name) {
      return node.path("parameters")
          .valueStream()
          .anyMatch(p -> p.path("name").asString("").equals(name));
    }

    /** Returns whether the operation applies to a fixed project when the request names none. */
    boolean hasUsualProject() {
      return node.path("parameters")
          .valueStream()
          .anyMatch(
              p -> p.path("name").asString("").equals("project") && p.at("/schema").has("default"));
    }

    /**
     * Operations of platform roles in every tenant: attempts belong to the fleet, and platform
     * roles manage tenants.
     */
    boolean ofPlatform(Role role) {
      return role.scope() == Role.Scope.PLATFORM
          && (takes("attemptId")
              || takes("tenant")
              || takes("pool")
              || takes("price")
              || takes("reservation"));
    }

    boolean reads() {
      return method.equals("GET");
    }
  }

  private List<Operation> operations() {
    List<Operation> all = new ArrayList<>();
    RunningFairlead.documentedApi()
        .get("paths")
        .properties()
        .forEach(path ->
            path.getValue()
                .properties()
                .forEach(method ->
                    all.add(
                        new Operation(
                            path.getKey(),
                            method.getKey().toUpperCase(java.util.Locale.ROOT),
                            method.getValue()))));
    return all;
  }

  /** Fails when an operation has no row, is permitted, or reveals foreign objects. */
  @Tag(Figure.TAG)
  @Test
  void everyOperationIsCheckedForEveryRoleAndResource() {
    long from = System.nanoTime();
    List<Operation> operations = operations();
    assertThat(new TreeSet<>(operations.stream().map(Operation::id).toList()))
        .isEqualTo(MATRIX.operations());
    String before = world.untouched();
    for (Operation operation : operations) {
      for (Role role : Role.values()) {
        ask(operation, role);
      }
    }
    table(operations, System.nanoTime() - from);
    assertThat(wrong).isEmpty();
    assertThat(world.untouched()).as("what callers of the other tenant see").isEqualTo(before);
  }

  /** Fails when a stream has events of another tenant, or of a project without a role. */
  @ParameterizedTest
  @EnumSource(names = {"TENANT_VIEWER", "PROJECT_MEMBER"})
  void streamContainsNothingForeign(Role role) throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(http.base() + "/api/v1/events/stream?since=1h"))
            .headers(world.as(role))
            .build();
    String last = String.valueOf(world.thing("job", Whose.OWN, Role.PROJECT_MEMBER));
    StringBuilder read = new StringBuilder();
    try (HttpClient client = HttpClient.newHttpClient();
        Stream<String> lines = client.send(request, HttpResponse.BodyHandlers.ofLines()).body()) {
      Iterator<String> all = lines.iterator();
      while (read.indexOf(last) < 0 && all.hasNext()) {
        read.append(all.next());
      }
    }
    assertThat(read).contains(last);
    assertThat(world.foreign()).noneMatch(mark -> read.indexOf(mark) >= 0);
    assertThat(world.sibling().stream().noneMatch(mark -> read.indexOf(mark) >= 0))
        .isEqualTo(role.scope() == Role.Scope.PROJECT);
  }

  /** Fails when the idempotency key of another tenant returns the object of that tenant. */
  @Test
  void idempotencyKeysAreScopedToTheTenant() {
    String spec = "{name: keyed, image: x, placement: {clusters: [nowhere]}}";
    String[] admin = {"Fairlead-Tenant", "rival", "Idempotency-Key", "the-same"};
    String[] own = {"Fairlead-Tenant", "acme", "Idempotency-Key", "the-same"};

    Http.Answer theirs = http.yaml("/api/v1/projects/default/jobs", spec, admin);
    Http.Answer ours = http.yaml("/api/v1/projects/default/jobs", spec, own);

    assertThat(theirs.json().get("tenant").asString()).isEqualTo("rival");
    assertThat(ours.json().get("tenant").asString()).isEqualTo("acme");
    assertThat(ours.json().get("id")).isNotEqualTo(theirs.json().get("id"));
  }

  private void ask(Operation operation, Role role) {
    if (operation.things().isEmpty()
        || operation.takes("project") && !operation.path().contains("{")) {
      judge(operation, role, null, Map.of());
    }
    boolean never = MATRIX.grant(operation.id(), List.of(role)) == Grant.NO;
    for (Whose whose : never && !Figure.asked() ? OF_WHOEVER_MAY_NOT : EVERYTHING) {
      Map<String, String> things = things(operation, role, whose);
      if (!things.isEmpty()) {
        judge(operation, role, whose, things);
      }
    }
  }

  /** The objects that a request names, empty when none belongs to the tenant. */
  private Map<String, String> things(Operation operation, Role role, Whose whose) {
    Map<String, String> things = new TreeMap<>();
    boolean any = false;
    if (operation.id().equals(MAKES_TOKENS) && !MATRIX.covers(List.of(role), Role.PROJECT_VIEWER)) {
      return things; // creates none in a project
    }
    for (String name : operation.things()) {
      String exact = world.thing(name, whose, role);
      any |= exact != null;
      String value = exact == null ? world.thing(name, Whose.OWN, role) : exact;
      if (value == null) {
        return Map.of();
      }
      things.put(name, value);
    }
    return any ? things : Map.of();
  }

  private void judge(
      Operation operation, Role role, @Nullable Whose whose, Map<String, String> things) {
    Expected expected = expected(operation, role, whose);
    if (operation.id().equals(ENDLESS) && expected == Expected.ALLOWED) {
      return;
    }
    Http.Answer answer = send(operation, role, whose, things);
    asked.merge(operation.id(), 1, Integer::sum);
    String what =
        "%s %s %s -> %d %s"
            .formatted(
                operation.id(),
                role.wire(),
                whose,
                answer.status(),
                answer.status() < 400 ? "" : answer.body());
    if (!expected.matches(answer.status()) && !withoutOne(operation, answer)) {
      wrong.add(what);
    }
    String body = answer.body();
    for (String named : things.values()) {
      body = body.replace(named, "(named)");
    }
    String shown = REFUSED_PATH.matcher(body).replaceAll("(named)");
    boolean fleetWide =
        role.scope() == Role.Scope.PLATFORM && ACROSS_TENANTS.contains(operation.id());
    if (!fleetWide && world.foreign().stream().anyMatch(shown::contains)) {
      wrong.add(what + " shows what is foreign: " + shown);
    }
    if (role.scope() == Role.Scope.PROJECT
        && whose != Whose.SIBLING
        && world.sibling().stream().anyMatch(shown::contains)) {
      wrong.add(what + " shows what is of another project: " + shown);
    }
    alike(operation, role, whose, answer.status() + shown, what);
  }

  /**
   * A waiting job has no logs, a replay no position, a pool no supply, and a cluster neither a
   * repairer nor the node of the example, which is reported to callers that may see it.
   */
  private static boolean withoutOne(Operation operation, Http.Answer answer) {
    return operation.id().equals("getJobLogs") && answer.body().contains("has no such attempt yet")
        || operation.id().endsWith("PoolSupply") && answer.body().contains("has no supply")
        || operation.id().equals("replayWebhook") && answer.body().contains("since or event")
        || operation.id().endsWith("Repairer") && answer.body().contains("has no repairer")
        || operation.id().equals("runHealthTest") && answer.body().contains("There is no node");
  }

  /** A foreign or deleted object is answered like one that never existed. */
  private void alike(
      Operation operation, Role role, @Nullable Whose whose, String answer, String what) {
    String plain = answer.replaceAll("\"requestId\":\"[^\"]*\"", "");
    String key = operation.id() + role;
    if (whose == Whose.GUESSED) {
      notThere.put(key, plain);
    } else if ((whose == Whose.FOREIGN || whose == Whose.DELETED) && !operation.ofPlatform(role)) {
      String never = notThere.get(key);
      if (never != null && !never.equals(plain)) {
        wrong.add(what + " differs from what was never there: " + never);
      }
    }
  }

  /** The statuses that are correct. */
  private enum Expected {
    ALLOWED,
    FORBIDDEN,
    NOT_FOUND,
    /** Refused before the lookup, or not found. */
    EITHER;

    boolean matches(int status) {
      return switch (this) {
        case ALLOWED -> status != 401 && status != 403 && status != 404 && status < 500;
        case FORBIDDEN -> status == 403;
        case NOT_FOUND -> status == 404;
        case EITHER -> status == 403 || status == 404;
      };
    }
  }

  private static Expected expected(Operation operation, Role role, @Nullable Whose whose) {
    Grant grant = MATRIX.grant(operation.id(), List.of(role));
    boolean ofProject = operation.takes("project") || operation.takes("job");
    if (grant == Grant.NO && MATRIX.grant("getProject", List.of(role)) == Grant.NO) {
      return Expected.EITHER; // for such a role no project exists
    }
    if (whose == null) {
      boolean needsProject =
          role.scope() == Role.Scope.PROJECT
              && ofProject
              && !ACROSS_PROJECTS.contains(operation.id());
      if (needsProject && operation.hasUsualProject()) {
        return Expected.NOT_FOUND;
      }
      return grant == Grant.NO || needsProject ? Expected.FORBIDDEN : Expected.ALLOWED;
    }
    return switch (whose) {
      case FOREIGN -> operation.ofPlatform(role) ? within(operation, grant) : absent(grant);
      case GUESSED, DELETED -> absent(grant);
      case SIBLING -> {
        if (role.scope() != Role.Scope.PROJECT) {
          yield within(operation, grant);
        }
        boolean hidden = operation.takes("budget") || operation.takes("reservation");
        yield ofProject ? Expected.NOT_FOUND : hidden ? absent(grant) : within(operation, grant);
      }
      case OTHERS -> others(operation, grant);
      case OWN -> grant == Grant.NO ? Expected.FORBIDDEN : Expected.ALLOWED;
    };
  }

  private static Expected absent(Grant grant) {
    return grant == Grant.NO ? Expected.EITHER : Expected.NOT_FOUND;
  }

  private static Expected within(Operation operation, Grant grant) {
    return operation.takes("job")
        ? others(operation, grant)
        : grant == Grant.NO ? Expected.FORBIDDEN : Expected.ALLOWED;
  }

  /** A caller that may change its own jobs can see jobs of others, but not tokens of others. */
  private static Expected others(Operation operation, Grant grant) {
    return switch (grant) {
      case YES -> Expected.ALLOWED;
      case NO -> Expected.FORBIDDEN;
      case OWN -> operation.takes("token") ? Expected.NOT_FOUND : Expected.FORBIDDEN;
    };
  }

  /** Sent as a dry run if it could affect other requests. Requests for foreign objects are real. */
  private Http.Answer send(
      Operation operation, Role role, @Nullable Whose whose, Map<String, String> things) {
    String path = operation.path();
    List<String> query = new ArrayList<>();
    for (Map.Entry<String, String> thing : things.entrySet()) {
      String placeholder = "{" + thing.getKey() + "}";
      if (!path.contains(placeholder)) {
        query.add(thing.getKey() + "=" + thing.getValue());
      }
      path = path.replace(placeholder, thing.getValue());
    }
    boolean trial =
        !operation.reads()
            && operation.takes("validateOnly")
            && (whose != Whose.FOREIGN || operation.ofPlatform(role))
            && !(whose == Whose.SIBLING && role.scope() == Role.Scope.PROJECT);
    if (trial) {
      query.add("validateOnly=true");
    }
    if (operation.takes("port")) {
      query.add("port=8080");
    }
    List<String> headers = new ArrayList<>(List.of(world.as(role)));
    if (!operation.reads()) {
      headers.addAll(List.of("If-Match", "*"));
    }
    String body = body(operation, role, !things.isEmpty());
    if (body != null) {
      headers.addAll(List.of("Content-Type", Http.JSON));
    }
    String target = query.isEmpty() ? path : path + "?" + String.join("&", query);
    return http.send(operation.method(), target, body, headers.toArray(String[]::new));
  }

  /** From the document. Tokens are issued to the caller itself. */
  private static @Nullable String body(Operation operation, Role role, boolean inProject) {
    if (operation.id().equals(MAKES_TOKENS)) {
      return "{\"name\": \"m\", \"user\": \"r-%s\", \"role\": \"%s\"}"
          .formatted(role.wire(), (inProject ? Role.PROJECT_VIEWER : role).wire());
    }
    JsonNode shown = operation.node().at("/requestBody/content/application~1json/example");
    return shown.isMissingNode() ? null : shown.toString();
  }

  private void table(List<Operation> operations, long nanos) {
    System.out.printf(
        java.util.Locale.ROOT, "security %-22s %6s  %s%n", "operation", "asked", "allowed to");
    for (Operation operation : operations) {
      System.out.printf(
          java.util.Locale.ROOT,
          "security %-22s %6d  %s%n",
          operation.id(),
          asked.getOrDefault(operation.id(), 0),
          String.join(" ", MATRIX.rolesFor(operation.id()).stream().map(Role::wire).toList()));
    }
    System.out.printf(
        java.util.Locale.ROOT,
        "security matrix: %d operations x %d roles, %d requests, %d wrong, %d ms%n",
        operations.size(),
        Role.values().length,
        asked.values().stream().mapToInt(Integer::intValue).sum(),
        wrong.size(),
        nanos / 1_000_000);
  }
}
