package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fairlead.kernel.identity.Sha256;
import dev.fairlead.people.tenant.Role;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Two tenants with the same objects, a caller for each role of the first tenant, and a node shared
 * by both. Names of the second tenant's objects contain {@link #FOREIGN_MARK}, those of the first
 * tenant's other project {@link #SIBLING_MARK}.
 */
final class TwoTenants {
  static final String FOREIGN_MARK = "rival";
  static final String SIBLING_MARK = "sibling";
  private static final String TENANT = "acme";
  private static final String OWNER = "mia";
  private static final String RUNNING =
      "{name: %s, image: x, gpu: 4, placement: {clusters: [shared]}, annotations:"
          + " {sim.fairlead.dev/run-for: 1h}}";
  private static final String WAITING = "{name: %s, image: x, placement: {clusters: [nowhere]}}";

  /** The owner of an object, from the view of a caller in the first tenant's first project. */
  enum Whose {
    /** In the caller's project, and owned by the caller if objects have owners. */
    OWN,
    /** In the caller's project, owned by another member. */
    OTHERS,
    /** In another project of the caller's tenant. */
    SIBLING,
    /** In another tenant. */
    FOREIGN,
    /** In the caller's project, until it was deleted. */
    DELETED,
    /** Never there. */
    GUESSED
  }

  private final Http http;
  private final Map<String, Map<Whose, String>> things = new TreeMap<>();
  private final Map<Role, String> ownJobs = new EnumMap<>(Role.class);
  private final Map<Role, String[]> callers = new EnumMap<>(Role.class);
  private final List<String> foreignIds = new ArrayList<>();
  private final List<String> siblingIds = new ArrayList<>();

  TwoTenants(Http http) {
    this.http = http;
    make("/api/v1/tenants", "{name: acme}");
    make("/api/v1/tenants", "{name: rival}");
    make("/api/v1/projects", "{name: nlp}", tenant(TENANT));
    make("/api/v1/projects", "{name: sibling}", tenant(TENANT));
    make("/api/v1/projects", "{name: rival-nlp}", tenant(FOREIGN_MARK));
    make(
        "/api/v1/clusters",
        "{name: shared, kind: SIMULATED, fleet: [{nodes: 1, gpusPerNode: 8, model: H100}]}");
    thing("project", "nlp", null, "sibling", "rival-nlp", null, "guessed");
    thing("month", "2024-06", null, null, null, null, null);
    thing("tenant", TENANT, null, null, FOREIGN_MARK, null, "guessed");
    fleet();
    queues();
    budgets();
    secrets();
    volumes();
    members();
    for (Role role : Role.values()) {
      callers.put(role, caller(role));
    }
    jobs();
  }

  private void thing(
      String parameter,
      @Nullable String own,
      @Nullable String others,
      @Nullable String sibling,
      @Nullable String foreign,
      @Nullable String deleted,
      @Nullable String guessed) {
    EnumMap<Whose, String> all = new EnumMap<>(Whose.class);
    String[] values = {own, others, sibling, foreign, deleted, guessed};
    for (Whose whose : Whose.values()) {
      String value = values[whose.ordinal()];
      if (value != null) {
        all.put(whose, value);
      }
    }
    things.put(parameter, all);
  }

  private void fleet() {
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> http.get("/api/v1/nodes").body().contains("shared-"));
    String node = http.get("/api/v1/nodes").json().at("/items/0/name").asString();
    String drain =
        http.send("POST", "/api/v1/nodes/" + node + "/drain?validateOnly=true", null).body();
    assertThat(drain).isNotEmpty();
    thing("cluster", "shared", null, null, null, null, "guessed");
    thing("node", node, null, null, null, null, "guessed");
    make("/api/v1/pools", "{name: nlp-pool, tenant: acme, selector: {clusters: [none]}}");
    make("/api/v1/pools", "{name: rival-pool, tenant: rival, selector: {clusters: [none]}}");
    thing("pool", "nlp-pool", null, null, "rival-pool", null, "guessed");
    advanceReservations();
    licence("ansys");
    template("nlp", "finetune", TENANT);
    template("sibling", "sibling-finetune", TENANT);
    template("rival-nlp", "rival-finetune", FOREIGN_MARK);
    thing("template", "finetune", null, "sibling-finetune", "rival-finetune", null, null);
    policy("nlp", "images", TENANT);
    policy("sibling", "sibling-images", TENANT);
    policy("rival-nlp", "rival-images", FOREIGN_MARK);
    thing("policy", "images", null, "sibling-images", "rival-images", null, null);
    document("cloud-identities/checkpoints", "{projects: [nlp]}", TENANT);
    document("cloud-identities/rival-checkpoints", "{projects: [rival-nlp]}", FOREIGN_MARK);
    thing("cloudIdentity", "checkpoints", null, null, "rival-checkpoints", null, null);
    String warm = "{members: 0, job: {image: x, launcher: jupyter}}";
    document("projects/nlp/warm-pools/brisk", warm, TENANT);
    document("projects/sibling/warm-pools/sibling-brisk", warm, TENANT);
    document("projects/rival-nlp/warm-pools/rival-brisk", warm, FOREIGN_MARK);
    thing("warmPool", "brisk", null, "sibling-brisk", "rival-brisk", null, null);
    webhook("nlp", "portal", TENANT);
    webhook("sibling", "sibling-portal", TENANT);
    webhook("rival-nlp", "rival-portal", FOREIGN_MARK);
    thing("webhook", "portal", null, "sibling-portal", "rival-portal", null, null);
    thing("check", "budget", null, null, null, null, null); // no job waits for it
    thing("licence", "ansys", null, null, null, null, null); // a guessed id is generated
    legalHold("case-7", TENANT);
    legalHold("rival-case", FOREIGN_MARK);
    thing("legalHold", "case-7", null, null, null, null, null); // a guessed id is generated
    front("team-a");
    thing("frontNamespace", "team-a", null, null, null, null, null); // a guessed id is generated
    healthTest("dcgm");
    thing("healthTest", "dcgm", null, null, null, null, null); // a guessed id is generated
    thing("healthRule", "31", null, null, null, null, "90071");
    thing(
        "price",
        price("nlp-pool"),
        null,
        null,
        price("rival-pool"),
        null,
        "pri_01m7vxn2c4e0mtrw2g5kqy8v3d");
    thing("operation", null, null, null, null, null, "opr_01m7vxn2c4e0mtrw2g5kqy8v3d");
    thing("domainQuarantine", null, null, null, null, null, "dqu_01m7vxn2c4e0mtrw2g5kqy8v3f");
    thing("repair", null, null, null, null, null, "rep_01m7vxn2c4e0mtrw2g5kqy8v3f");
    thing("campaign", null, null, null, null, null, "cmp_01m7vxn2c4e0mtrw2g5kqy8v3f");
    thing("gpu", "GPU-matrix", null, null, null, null, "GPU-guessed");
    thing("incident", incident(), null, null, null, null, "inc_01m7vxn2c4e0mtrw2g5kqy8v3d");
  }

  /** Run in sequence on a separate cluster, because work on the shared cluster continues. */
  private void advanceReservations() {
    make(
        "/api/v1/clusters",
        "{name: halls, kind: SIMULATED, fleet: [{nodes: 1, gpusPerNode: 8, model: H100}]}");
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() ->
            http.get("/api/v1/nodes?cluster=halls&nodeState=ACTIVE").body().contains("halls-"));
    advanceReservation("nlp-week", TENANT, "nlp", 1);
    advanceReservation("sibling-week", TENANT, "sibling", 2);
    advanceReservation("rival-week", FOREIGN_MARK, "rival-nlp", 3);
    thing("reservation", "nlp-week", null, "sibling-week", "rival-week", null, "guessed");
  }

  private void advanceReservation(String name, String tenant, String project, int days) {
    String body =
        "{name: %s, purpose: PROJECT, tenant: %s, project: %s, start: '%s', duration: 1d, cluster:"
            + " halls, count: 1}";
    Instant start = Instant.now().plus(Duration.ofDays(days)); // as above
    make("/api/v1/advance-reservations", body.formatted(name, tenant, project, start));
  }

  private void licence(String name) {
    String path = "/api/v1/licences/" + name;
    Http.Answer answer = http.send("PUT", path, "{count: 20}", "Content-Type", Http.YAML);
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
  }

  /** Covers a time without jobs, so it refuses nothing. */
  private void legalHold(String name, String tenant) {
    String[] headers = {"Content-Type", Http.YAML, tenant(tenant)[0], tenant(tenant)[1]};
    String body = "{reason: a court asks, to: '2020-01-01T00:00:00Z'}";
    Http.Answer answer = http.send("PUT", "/api/v1/legal-holds/" + name, body, headers);
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
  }

  private void front(String namespace) {
    String path = "/api/v1/clusters/shared/front-namespaces/" + namespace;
    String body = "{project: nlp, tenant: " + TENANT + "}";
    Http.Answer answer = http.send("PUT", path, body, "Content-Type", Http.YAML);
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
  }

  private void healthTest(String name) {
    String body = "{project: default, job: {image: test, maxRuntime: 1m}}";
    Http.Answer answer =
        http.send("PUT", "/api/v1/health-tests/" + name, body, "Content-Type", Http.YAML);
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
  }

  private String price(String pool) {
    String body = "{pool: %s, pricePerGpuHour: 2.5, currency: EUR}".formatted(pool);
    Http.Answer made = http.yaml("/api/v1/prices", body);
    assertThat(made.status()).as(made.body()).isEqualTo(201);
    return made.json().get("id").asString();
  }

  /** On a separate cluster: work on the shared one continues. */
  private String incident() {
    make(
        "/api/v1/clusters",
        "{name: faulty, kind: SIMULATED, fleet: [{nodes: 1, gpusPerNode: 8, model: H100}]}");
    String nodes = "/api/v1/nodes?cluster=faulty";
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> !http.get(nodes).json().get("items").isEmpty());
    String node = http.get(nodes).json().at("/items/0/name").asString();
    Http.Answer taken =
        http.yaml(
            "/api/v1/clusters/faulty/health-events",
            "{events: [{id: matrix, at: '%s', node: %s, gpu: GPU-matrix, xid: 79}]}"
                .formatted(Instant.now(), node)); // the service's own clock is this machine's
    assertThat(taken.status()).as(taken.body()).isEqualTo(200);
    return taken.json().at("/items/0/incident").asString();
  }

  private void queues() {
    String child = "{name: %s, parent: root, queue: {order: BEST_EFFORT_FIFO}}";
    make("/api/v1/quotas", child.formatted("research"), tenant(TENANT));
    make("/api/v1/quotas", child.formatted("rival-research"), tenant(FOREIGN_MARK));
    thing("quota", "research", null, null, "rival-research", null, "guessed");
    thing("queue", "research", null, null, "rival-research", null, "guessed");
    thing("version", version(TENANT), null, null, version(FOREIGN_MARK), null, "90071992547");
  }

  /** Path of the created queue. */
  private String version(String tenant) {
    return http.get("/api/v1/config/history?kind=QUEUE", tenant(tenant))
        .json()
        .at("/items/0/version")
        .asString();
  }

  private void budgets() {
    String soft = "{name: %s-budget, project: %s, gpuHours: 1000, mode: SOFT}";
    make("/api/v1/budgets", soft.formatted("nlp", "nlp"), tenant(TENANT));
    make("/api/v1/budgets", soft.formatted("sibling", "sibling"), tenant(TENANT));
    make("/api/v1/budgets", soft.formatted("rival", "rival-nlp"), tenant(FOREIGN_MARK));
    thing("budget", "nlp-budget", null, "sibling-budget", "rival-budget", null, "guessed");
  }

  private void template(String project, String name, String tenant) {
    document("templates/" + name, project, "{job: {image: test}}", tenant);
  }

  private void policy(String project, String name, String tenant) {
    document("policies/" + name, project, "{owner: platform}", tenant);
  }

  private void document(String path, String project, String body, String tenant) {
    document(path + "?project=" + project, body, tenant);
  }

  private void document(String path, String body, String tenant) {
    Http.Answer made =
        http.send(
            "PUT", "/api/v1/" + path, body, "Content-Type", Http.YAML, "Fairlead-Tenant", tenant);
    assertThat(made.status()).as(made.body()).isEqualTo(200);
  }

  private void webhook(String project, String name, String tenant) {
    Http.Answer made =
        http.send(
            "PUT",
            "/api/v1/webhooks/" + name + "?project=" + project,
            "{url: 'https://127.0.0.1:1/hook'}",
            "Content-Type",
            Http.YAML,
            "Fairlead-Tenant",
            tenant);
    assertThat(made.status()).as(made.body()).isEqualTo(200);
  }

  private void secrets() {
    secret("nlp", "nlp-secret", TENANT);
    secret("sibling", "sibling-secret", TENANT);
    secret("rival-nlp", "rival-secret", FOREIGN_MARK);
    thing("secret", "nlp-secret", null, "sibling-secret", "rival-secret", null, "guessed");
  }

  private void secret(String project, String name, String tenant) {
    String[] headers = {"Content-Type", Http.YAML, tenant(tenant)[0], tenant(tenant)[1]};
    String path = "/api/v1/projects/" + project + "/secrets/" + name;
    Http.Answer answer = http.send("PUT", path, "{data: {key: value}}", headers);
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
  }

  private void volumes() {
    volume("nlp", "nlp-volume", TENANT);
    volume("sibling", "sibling-volume", TENANT);
    volume("rival-nlp", "rival-volume", FOREIGN_MARK);
    service("nlp", "nlp-chat", TENANT);
    service("sibling", "sibling-chat", TENANT);
    service("rival-nlp", "rival-chat", FOREIGN_MARK);
    thing("service", "nlp-chat", null, "sibling-chat", "rival-chat", null, "guessed");
    thing("serviceKey", "app", null, null, null, null, null);
    thing("serviceVersion", "1", null, null, null, null, null);
    schedule("nlp", "nlp-nightly", TENANT);
    schedule("sibling", "sibling-nightly", TENANT);
    schedule("rival-nlp", "rival-nightly", FOREIGN_MARK);
    thing("schedule", "nlp-nightly", null, "sibling-nightly", "rival-nightly", null, "guessed");
    thing("volume", "nlp-volume", null, "sibling-volume", "rival-volume", null, "guessed");
    String code = workdir("nlp", TENANT);
    String siblings = workdir("sibling", TENANT);
    String foreign = workdir("rival-nlp", FOREIGN_MARK);
    thing("workdir", code, null, siblings, foreign, null, "sha256:" + "0".repeat(64));
    thing("transfer", null, null, null, null, null, "trf_01m7vxn2c4e0mtrw2g5kqy8v3d");
  }

  /** Stores code of the project, and returns its digest. */
  private String workdir(String project, String tenant) {
    String digest = "sha256:" + Sha256.hex(project);
    String path = "/api/v1/projects/" + project + "/workdirs/" + digest;
    Http.Answer answer = http.send("PUT", path, project, tenant(tenant));
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    return digest;
  }

  private void service(String project, String name, String tenant) {
    String[] headers = {"Content-Type", Http.YAML, tenant(tenant)[0], tenant(tenant)[1]};
    String path = "/api/v1/projects/" + project + "/services/" + name;
    String body =
        "{route: " + name + ".example, job: {image: x, placement: {clusters: [nowhere]}}}";
    Http.Answer answer = http.send("PUT", path, body, headers);
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    String jobs = "/api/v1/projects/" + project + "/jobs";
    await() // its replica appears among the jobs that a caller sees
        .atMost(Duration.ofSeconds(60))
        .until(() -> http.get(jobs, tenant(tenant)).body().contains(name + "-v1-0"));
    assertThat(http.send("POST", path + "/keys", "{name: app}", headers).status()).isEqualTo(201);
  }

  private void schedule(String project, String name, String tenant) {
    String[] headers = {"Content-Type", Http.YAML, tenant(tenant)[0], tenant(tenant)[1]};
    String path = "/api/v1/projects/" + project + "/schedules/" + name;
    Http.Answer answer = http.send("PUT", path, "{cron: 0 2 1 1 *, job: {image: x}}", headers);
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
  }

  private void volume(String project, String name, String tenant) {
    String[] headers = {"Content-Type", Http.YAML, tenant(tenant)[0], tenant(tenant)[1]};
    String path = "/api/v1/projects/" + project + "/volumes/" + name;
    Http.Answer answer = http.send("PUT", path, "{size: 1Gi}", headers);
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
  }

  private void members() {
    put("/api/v1/tenants/acme", OWNER, "tenant-member");
    put("/api/v1/projects/nlp", OWNER, "project-member", tenant(TENANT));
    put("/api/v1/projects/sibling", OWNER, "project-member", tenant(TENANT));
    put("/api/v1/tenants/rival", "rival-rita", "tenant-owner");
    put("/api/v1/projects/rival-nlp", "rival-rita", "project-owner", tenant(FOREIGN_MARK));
    thing("member", OWNER, null, OWNER, "rival-rita", null, "guessed");
    String theirs = token("rival-rita", Role.TENANT_OWNER, FOREIGN_MARK);
    String others = token(OWNER, Role.TENANT_MEMBER, TENANT);
    foreignIds.add(theirs);
    thing("token", null, others, null, theirs, null, "tok_01m7vxn2c4e0mtrw2g5kqy8v3d");
  }

  private void jobs() {
    String others = job("others", "nlp", WAITING, tenant(TENANT));
    String sibling = job("sibling-job", "sibling", WAITING, tenant(TENANT));
    String foreign = job("rival-job", "rival-nlp", RUNNING, tenant(FOREIGN_MARK));
    job("rival-waits", "rival-nlp", WAITING, tenant(FOREIGN_MARK));
    String deleted = job("deleted", "nlp", WAITING, tenant(TENANT));
    http.send("POST", "/api/v1/jobs/" + deleted + "/cancel", null, tenant(TENANT));
    assertThat(http.send("DELETE", "/api/v1/jobs/" + deleted, null, tenant(TENANT)).status())
        .isEqualTo(204);
    thing("job", null, others, sibling, foreign, deleted, "job_01m7vxn2c4e0mtrw2g5kqy8v3d");
    thing("name", "others", null, "sibling-job", "rival-job", null, "guessed");
    siblingIds.add(sibling);
    foreignIds.add(foreign);
    pipeline("nlp", "nlp-night", TENANT);
    pipeline("sibling", "sibling-night", TENANT);
    pipeline("rival-nlp", "rival-night", FOREIGN_MARK);
    thing("pipeline", "nlp-night", null, "sibling-night", "rival-night", null, "guessed");
    for (Role role : Role.values()) {
      boolean submits =
          role == Role.ADMIN || role.name().matches("(TENANT|PROJECT)_(OWNER|MEMBER)");
      String name = "own-of-" + role.wire();
      ownJobs.put(role, submits ? job(name, "nlp", WAITING, callers.get(role)) : others);
    }
    String path = "/api/v1/jobs/" + foreign;
    await()
        .atMost(Duration.ofSeconds(60))
        .until(
            () -> http.get(path, tenant(FOREIGN_MARK)).json().at("/state").asString(""),
            "RUNNING"::equals);
    JsonNode attempts = http.get(path + "/attempts", tenant(FOREIGN_MARK)).json();
    String attempt = attempts.at("/items/0/id").asString();
    foreignIds.add(attempt);
    thing("attemptId", null, null, null, attempt, null, "att_01m7vxn2c4e0mtrw2g5kqy8v3d");
  }

  private void pipeline(String project, String name, String tenant) {
    String spec = "{image: x, labels: {pipeline: " + name + "}, placement: {clusters: [nowhere]}}";
    make("/api/v1/projects/" + project + "/jobs", spec, tenant(tenant));
  }

  private String job(String name, String project, String spec, String... headers) {
    return make("/api/v1/projects/" + project + "/jobs", spec.formatted(name), headers)
        .get("id")
        .asString();
  }

  private JsonNode make(String path, String body, String... headers) {
    Http.Answer answer = http.yaml(path, body, headers);
    assertThat(answer.status()).as(path + " " + answer.body()).isEqualTo(201);
    return answer.json();
  }

  private void put(String place, String user, String role, String... headers) {
    String[] all = {
      "Content-Type",
      Http.YAML,
      headers.length > 0 ? headers[0] : "Accept",
      headers.length > 0 ? headers[1] : "*/*"
    };
    Http.Answer answer = http.send("PUT", place + "/members/" + user, "{role: " + role + "}", all);
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
  }

  static String[] tenant(String name) {
    return new String[] {"Fairlead-Tenant", name};
  }

  private String token(String user, Role role, String tenant) {
    return made(user, role, tenant).at("/details/id").asString();
  }

  private JsonNode made(String user, Role role, String tenant) {
    String project = role.scope() == Role.Scope.PROJECT ? "?project=nlp" : "";
    String cluster = role == Role.MONITOR ? ", cluster: shared" : "";
    String body = "{name: t, user: '%s', role: %s%s}".formatted(user, role.wire(), cluster);
    return make("/api/v1/tokens" + project, body, tenant(tenant));
  }

  private String[] caller(Role role) {
    JsonNode made = made("r-" + role.wire(), role, TENANT);
    return new String[] {"Authorization", "Bearer " + made.get("token").asString()};
  }

  /** Headers of a caller with that role alone, in the first tenant's first project. */
  String[] as(Role role) {
    return callers.get(role);
  }

  /** Name or id for a path parameter, null when there is none. */
  @Nullable String thing(String parameter, Whose whose, Role role) {
    if (parameter.equals("job") && whose == Whose.OWN) {
      return ownJobs.get(role);
    }
    if (parameter.equals("token") && whose == Whose.OWN) {
      return token("r-" + role.wire(), role, TENANT);
    }
    Map<Whose, String> all = things.get(parameter);
    assertThat(all).as("a parameter that the matrix has no things for: " + parameter).isNotNull();
    return all.get(whose);
  }

  /** Text that no answer to a caller of the first tenant may contain. */
  List<String> foreign() {
    List<String> marks = new ArrayList<>(foreignIds);
    marks.add(FOREIGN_MARK);
    return marks;
  }

  /** Text that no answer to a caller of the first project may contain. */
  List<String> sibling() {
    List<String> marks = new ArrayList<>(siblingIds);
    marks.add(SIBLING_MARK);
    return marks;
  }

  /** Changeable state of the second tenant and of the other project, as one text. */
  String untouched() {
    return new OthersRows(http).text(tenant(FOREIGN_MARK), tenant(TENANT));
  }
}
