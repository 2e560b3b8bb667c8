package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fairlead.kernel.identity.Sha256;
import dev.fairlead.people.tenant.PermissionMatrix;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;

/** Calls every modifying operation once and checks that the audit has its request. */
class AuditedChangesIT {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String API = "/api/v1/";
  private static final String JOBS = API + "projects/default/jobs";
  private static final String RUNS =
      "{name: %s, image: x, gpu: 1, placement: {clusters: [seen]}, preemption: {allowed: %s},"
          + " annotations: {sim.fairlead.dev/run-for: 1h}}";
  private static final String WAITS = "{name: %s, image: x, placement: {clusters: [nowhere]}}";

  /** They change nothing. */
  private static final Set<String> CHANGE_NOTHING =
      Set.of("planJob", "replayHealthRule", "tryPolicy");

  /**
   * These operations need state that this test does not create: a repair, a finished copy, a
   * cluster with missing Jobs or claims, or a version with traffic. RepairLoopTest,
   * TransferJourneyTest, FrontMissingTest, VolumeUpkeepTest and ServicesIT check their rows.
   */
  private static final Set<String> TRIED_ELSEWHERE =
      Set.of(
          "orderRepair",
          "confirmFrontLoss",
          "confirmVolumeLoss",
          "cutOverVolumeTransfer",
          "resumeVolumeTransfer",
          "skipModelServiceStep");

  private static RunningFairlead fairlead;
  private static Http http;
  private final Map<String, String> requests = new TreeMap<>();
  private final List<String> wrong = new ArrayList<>();

  @BeforeAll
  static void start(@TempDir Path keys) {
    fairlead =
        RunningFairlead.start(
            "--fairlead.key-file=" + keys.resolve("key"),
            "--fairlead.sessions.url=http://sessions.localhost",
            "--fairlead.logs.directory=" + keys.resolve("logs"),
            "--fairlead.transfers.bucket=acme");
    http = fairlead.http();
  }

  @AfterAll
  static void stop() {
    fairlead.close();
  }

  private JsonNode does(String operation, String method, String path, @Nullable String body) {
    boolean seen = !method.equals("PUT");
    String[] headers = {
      "Content-Type", Http.YAML, seen ? "If-Match" : "Accept", seen ? "*" : "*/*"
    };
    // a loop may have changed the same object since it was read, and then the change is repeated
    Http.Answer answer =
        await()
            .atMost(PATIENCE)
            .until(() -> http.send(method, API + path, body, headers), a -> a.status() != 412);
    if (answer.status() < 200 || answer.status() > 299) {
      wrong.add(operation + " " + answer.status() + " " + answer.body());
    }
    requests.put(operation, answer.header("X-Request-Id"));
    return answer.body().isEmpty() ? MissingNode.getInstance() : answer.json();
  }

  private static String state(String path) {
    return http.get(API + path).json().path("state").asString("");
  }

  private void reaches(String path, String... states) {
    assertThat(wrong).isEmpty();
    await().atMost(PATIENCE).until(() -> state(path), Set.of(states)::contains);
  }

  /** Fails when an operation of the document changes something and leaves no row. */
  @Test
  void everyMutatingOperationWritesAnAuditRow() {
    fleet();
    configuration();
    jobs();
    campaigns();
    tenants();
    does("raiseIncarnation", "POST", "installation/raise-incarnation", null);

    assertThat(wrong).isEmpty();
    TreeSet<String> changing = new TreeSet<>();
    RunningFairlead.documentedApi()
        .get("paths")
        .forEach(path ->
            path.properties()
                .forEach(method -> {
                  if (!method.getKey().toUpperCase(Locale.ROOT).equals("GET")) {
                    changing.add(method.getValue().path("operationId").asString(""));
                  }
                }));
    changing.retainAll(PermissionMatrix.CURRENT.operations());
    changing.removeAll(CHANGE_NOTHING);
    changing.removeAll(TRIED_ELSEWHERE);
    assertThat(requests.keySet()).containsExactlyInAnyOrderElementsOf(changing);
    assertThat(withoutARow()).isEmpty();
    System.out.printf(
        "security audit: %d operations that change something, each with a row%n", changing.size());
  }

  private Map<String, String> withoutARow() {
    Map<String, String> missing = new TreeMap<>(requests);
    for (String tenant : new String[] {"default", "audited"}) {
      http.get(API + "audit?pageSize=500&outcome=ALLOWED", "Fairlead-Tenant", tenant)
          .json()
          .get("items")
          .forEach(row -> missing.values().remove(row.path("requestId").asString("")));
    }
    return missing;
  }

  private void fleet() {
    does(
        "registerCluster",
        "POST",
        "clusters",
        "{name: seen, kind: SIMULATED, fleet: [{nodes: 4, gpusPerNode: 8, model: H100}]}");
    await()
        .atMost(PATIENCE)
        .until(() -> http.get(API + "nodes?cluster=seen").json().get("items").size() == 4);
    String node =
        "nodes/" + http.get(API + "nodes?cluster=seen").json().at("/items/3/name").asString();
    does("updateCluster", "PATCH", "clusters/seen", "{scoring: SPREAD}");
    does("cordonCluster", "POST", "clusters/seen/cordon", null);
    does("uncordonCluster", "POST", "clusters/seen/uncordon", null);
    does("cordonNode", "POST", node + "/cordon", null);
    does("uncordonNode", "POST", node + "/uncordon", null);
    does("quarantineNode", "POST", node + "/quarantine", "{reason: looked at}");
    does("releaseNode", "POST", node + "/release", "{reason: as new}");
    String host = "{level: host, domain: %s, reason: looked at}".formatted(node.substring(6));
    JsonNode held =
        does("createDomainQuarantine", "POST", "clusters/seen/domain-quarantines", host);
    String ofHost = "clusters/seen/domain-quarantines/" + held.path("id").asString("");
    does("updateDomainQuarantine", "PATCH", ofHost, "{lasts: 2h}");
    does("releaseDomainQuarantine", "POST", ofHost + "/release", "{reason: as new}");
    String repairer = "{steps: [REBOOT], webhook: {url: 'https://127.0.0.1:8443/repair'}}";
    does("putRepairer", "PUT", "clusters/seen/repairer", repairer);
    does("deleteRepairer", "DELETE", "clusters/seen/repairer", null);
    String advanceReservation =
        "{name: week, cluster: seen, model: H100, count: 1, project: default, purpose: PROJECT,"
            + " reason: a demonstration, start: '%s', duration: 4h, leftoverPolicy: FINISH}";
    Instant tomorrow = Instant.now().plus(Duration.ofDays(1)); // like the service's own clock
    JsonNode booked =
        does(
            "createAdvanceReservation",
            "POST",
            "advance-reservations",
            advanceReservation.formatted(tomorrow));
    does(
        "cancelAdvanceReservation",
        "DELETE",
        "advance-reservations/" + booked.path("id").asString(""),
        null);
    String test =
        "{project: default, every: 7d, atOnce: 1, job: {image: x, command: [diag], maxRuntime:"
            + " 1m}}";
    does("putHealthTest", "PUT", "health-tests/diag", test);
    String free = http.get(API + "nodes?cluster=seen").json().at("/items/0/name").asString("");
    does("runHealthTest", "POST", "health-tests/diag/runs", "{node: " + free + "}");
    does("deleteHealthTest", "DELETE", "health-tests/diag", null);
    String fault = "{events: [{id: one, at: '%s', node: %s, gpu: GPU-1, xid: 79}]}";
    String name = node.substring(node.indexOf('/') + 1);
    does(
        "reportHealthEvents",
        "POST",
        "clusters/seen/health-events",
        fault.formatted(Instant.now(), name)); // the service's own clock is this machine's
    String notice = "{id: one, node: %s, kind: MAINTENANCE, deadline: '%s'}";
    does(
        "reportNotice",
        "POST",
        "clusters/seen/notices",
        notice.formatted(name, Instant.now().plusSeconds(9_000_000)));
    does("updateHealthRule", "PATCH", "health-rules/31", "{step: RESET_GPU}");
    does("createPool", "POST", "pools", "{name: kept, selector: {matchLabels: {kept: for-later}}}");
    does("updatePool", "PATCH", "pools/kept", "{description: for later}");
    String supply =
        "{cluster: seen, maxNodes: 1, node: {capacity: ON_DEMAND, cpu: '8', gpuMemory: 80Gi, gpus:"
            + " 8, labels: {kept: for-later}, memory: 100Gi, model: H100}, readyWithin: 30m,"
            + " releaseAfter: 10m, webhook: {url: 'https://127.0.0.1:8443/nodes'}}";
    does("putPoolSupply", "PUT", "pools/kept/supply", supply);
    does("deletePoolSupply", "DELETE", "pools/kept/supply", null);
    does("deletePool", "DELETE", "pools/kept", null);
    does("createPrice", "POST", "prices", "{model: H100, pricePerGpuHour: 2.5, currency: EUR}");
    String front = "clusters/seen/front-namespaces/team-a";
    does("putFrontNamespace", "PUT", front, "{project: default}");
    does("deleteFrontNamespace", "DELETE", front, null);
    does("putTemplate", "PUT", "templates/finetune", "{job: {image: test}}");
    does("deleteTemplate", "DELETE", "templates/finetune", null);
    String schedule = "projects/default/schedules/nightly";
    does("putSchedule", "PUT", schedule, "{cron: 0 2 * * *, job: {image: test}}");
    does("suspendSchedule", "POST", schedule + "/suspend", null);
    does("resumeSchedule", "POST", schedule + "/resume", null);
    does("deleteSchedule", "DELETE", schedule, null);
    String warm = "projects/default/warm-pools/h100";
    does("putWarmPool", "PUT", warm, "{members: 0, job: {image: test, launcher: jupyter}}");
    does("deleteWarmPool", "DELETE", warm, null);
    does("putPolicy", "PUT", "policies/images", "{owner: platform}");
    does("deletePolicy", "DELETE", "policies/images", null);
    does("putCloudIdentity", "PUT", "cloud-identities/checkpoints", "{projects: [default]}");
    does("deleteCloudIdentity", "DELETE", "cloud-identities/checkpoints", null);
    webhooks();
    services();
    does("putLicence", "PUT", "licences/ansys", "{count: 3}");
    does("deleteLicence", "DELETE", "licences/ansys", null);
  }

  private void services() {
    String service = "projects/default/services/chat";
    String body = "{route: audited.example, job: {image: server, run: v%d}}";
    does("putModelService", "PUT", service, body.formatted(1));
    does("putModelService", "PUT", service, body.formatted(2));
    does("updateModelService", "PATCH", service, "{maxReplicas: 5}");
    does("pauseModelService", "POST", service + "/pause", "{version: 2}");
    does("resumeModelService", "POST", service + "/resume", "{version: 2}");
    does("abortModelService", "POST", service + "/abort", "{version: 2}");
    does("putModelService", "PUT", service, body.formatted(3));
    does("promoteModelService", "POST", service + "/promote", "{version: 3}");
    does("rollbackModelService", "POST", service + "/rollback", "{version: 1}");
    does("wakeModelService", "POST", service + "/wake", null);
    await()
        .atMost(PATIENCE)
        .until(() ->
            !http.get(API + service)
                .json()
                .get("replicas")
                .findValuesAsString("version")
                .contains("2"));
    does("createServiceKey", "POST", service + "/keys", "{name: app}");
    does("revokeServiceKey", "DELETE", service + "/keys/app", null);
    does("deleteModelServiceVersion", "DELETE", service + "/versions/2", null);
    does("deleteModelService", "DELETE", service, null);
  }

  private void webhooks() {
    does("putWebhook", "PUT", "webhooks/portal", "{url: 'https://127.0.0.1:1/hook'}");
    for (String verb : List.of("pause", "resume", "test")) {
      does(verb + "Webhook", "POST", "webhooks/portal/" + verb, null);
    }
    does("rotateWebhookSecret", "POST", "webhooks/portal/rotate", null);
    does("replayWebhook", "POST", "webhooks/portal/replay?since=1m", null);
    does("deleteWebhook", "DELETE", "webhooks/portal", null);
  }

  private void transfers() {
    String keys = "{data: {AWS_ACCESS_KEY_ID: a, AWS_SECRET_ACCESS_KEY: b}}";
    String path = API + "projects/default/";
    http.send("PUT", path + "secrets/object-store", keys, "Content-Type", Http.YAML);
    http.send("PUT", path + "volumes/images", "{size: 1Gi}", "Content-Type", Http.YAML);
    String all = "projects/default/volumes/images/transfers";
    JsonNode begun = does("createVolumeTransfer", "POST", all, "{from: 's3://acme/images'}");
    does("dropVolumeTransfer", "DELETE", all + "/" + begun.path("id").asString(""), null);
  }

  private void configuration() {
    does("createQuota", "POST", "quotas", "{name: research, parent: root, queue: {}}");
    does("updateQuota", "PATCH", "quotas/research", "{weight: 2}");
    does("updateQueue", "PATCH", "queues/research", "{weight: 3}");
    JsonNode history = http.get(API + "config/history?kind=QUEUE").json();
    String version = history.at("/items/0/version").asString();
    does("revertConfigVersion", "POST", "config/history/" + version + "/revert", null);
    does("deleteQuota", "DELETE", "quotas/research", null);
    does("putLegalHold", "PUT", "legal-holds/case-7", "{reason: a court asks}");
    does("deleteLegalHold", "DELETE", "legal-holds/case-7", null);
    does("createBudget", "POST", "budgets", "{name: b, project: default, gpuHours: 9, mode: SOFT}");
    does("updateBudget", "PATCH", "budgets/b", "{gpuHours: 8}");
    does("grantBudget", "POST", "budgets/b/grants", "{gpuHours: 1, reason: more}");
    does("deleteBudget", "DELETE", "budgets/b", null);
    does("createProject", "POST", "projects", "{name: nlp}");
    does("updateProject", "PATCH", "projects/nlp", "{egress: {mode: STRICT}}");
    does("updateProjectLimits", "PATCH", "projects/nlp/limits", "{activeJobs: 5}");
    does("putProjectMember", "PUT", "projects/nlp/members/ana", "{role: project-member}");
    does("removeProjectMember", "DELETE", "projects/nlp/members/ana", null);
    does("putSecret", "PUT", "projects/nlp/secrets/hub", "{data: {key: value}}");
    does("deleteSecret", "DELETE", "projects/nlp/secrets/hub", null);
    String volume = "{access: ReadWriteMany, size: 100Gi, storageClass: fast}";
    does("putVolume", "PUT", "projects/nlp/volumes/data", volume);
    does("putWorkdir", "PUT", "projects/nlp/workdirs/sha256:" + Sha256.hex("code"), "code");
    does("deleteVolume", "DELETE", "projects/nlp/volumes/data", null);
    does("deleteProject", "DELETE", "projects/nlp", null);
    transfers();
    JsonNode token = does("createToken", "POST", "tokens", "{name: t, user: bob, role: auditor}");
    does("revokeToken", "DELETE", "tokens/" + token.at("/details/id").asString(""), null);
    YearMonth now = YearMonth.now(ZoneOffset.UTC); // the service's own clock is this machine's
    String policy = "{from: '%s', idle: BY_USE, outOfService: APART}".formatted(now.plusMonths(2));
    does("createIdleCostPolicy", "POST", "idle-cost-policies", policy);
    does("signStatement", "POST", "statements/" + now.minusMonths(2) + "/sign-off", null);
    Instant hour = Instant.now().truncatedTo(java.time.temporal.ChronoUnit.HOURS);
    String rebuilt = "usage/rebuild?from=%s&to=%s".formatted(hour.minusSeconds(7200), hour);
    does("rebuildUsage", "POST", rebuilt, null);
    does("nameUsageLabels", "PUT", "usage/labels", "{keys: [grant]}");
  }

  private void jobs() {
    String runs =
        "jobs/"
            + does("submitJob", "POST", jobs(""), RUNS.formatted("a", true))
                .path("id")
                .asString("");
    String batch = "{items: [" + WAITS.formatted("b") + ", " + WAITS.formatted("c") + "]}";
    String waits =
        "jobs/"
            + does("submitJobs", "POST", jobs("/batch"), batch).at("/items/0/job/id").asString("");
    does("patchJob", "PATCH", waits, "{labels: {tier: '1'}}");
    does("cancelJob", "POST", waits + "/cancel", null);
    does("deleteJob", "DELETE", waits, null);
    String all = "{expectedCount: 1, filter: {project: default, state: [QUEUED], name: c}}";
    does("bulkCancelJobs", "POST", "jobs/bulk-cancel", all);
    pipeline();
    check();
    reaches(runs, "RUNNING");
    does("checkpointJob", "POST", runs + "/checkpoint", null);
    does("createSessionLink", "POST", runs + "/session-links", null);
    does("requeueJob", "POST", runs + "/requeue", null);
    reaches(runs, "RUNNING");
    does("suspendJob", "POST", runs + "/suspend", null);
    does("resumeJob", "POST", runs + "/resume", null);
    http.send("POST", API + runs + "/cancel", null);
  }

  private void pipeline() {
    String spec = "{image: x, labels: {pipeline: night}, placement: {clusters: [nowhere]}}";
    String id = http.yaml(API + jobs(""), spec).json().path("id").asString("");
    http.send("POST", API + "jobs/" + id + "/cancel", null);
    does("retryPipeline", "POST", "projects/default/pipelines/night/retry", null);
    http.yaml(
        API + "jobs/bulk-cancel",
        "{expectedCount: 1, filter: {project: default, labels: {pipeline: night}}}");
  }

  private void check() {
    http.yaml(API + "quotas", "{name: checked, parent: root, queue: {checks: [budget]}}");
    String job =
        http.yaml(API + jobs(""), "{name: checked, image: x, queue: checked}")
            .json()
            .path("id")
            .asString("");
    await().atMost(PATIENCE).until(() -> request(job) > 0);
    String report = "{state: REJECTED, request: %d}".formatted(request(job));
    does("reportJobCheck", "PUT", "jobs/" + job + "/checks/budget", report);
  }

  private long request(String job) {
    return http.get(API + "jobs/" + job).json().at("/checks/0/request").asLong(0);
  }

  private static String jobs(String more) {
    return JOBS.substring(API.length()) + more;
  }

  private void campaigns() {
    String tended =
        "{name: tended, kind: SIMULATED, fleet: [{nodes: 1, gpusPerNode: 8, model: H100}]}";
    http.yaml(API + "clusters", tended);
    await()
        .atMost(PATIENCE)
        .until(() -> http.get(API + "nodes?cluster=tended").json().path("items").size() == 1);
    String campaign = "{name: kernel, reason: new, cluster: tended, atOnce: 1}";
    String id = does("createCampaign", "POST", "campaigns", campaign).path("id").asString("");
    String nodes = "campaigns/" + id + "/nodes";
    await()
        .atMost(PATIENCE)
        .until(
            () -> http.get(API + nodes).json().at("/items/0/state").asString("").equals("READY"));
    String ready = http.get(API + nodes).json().at("/items/0/name").asString("");
    does("finishCampaignNode", "POST", nodes + "/" + ready + "/done", null);
    String order = "{order: ABORT, reason: not today}";
    does("orderCampaign", "POST", "campaigns/" + id + "/orders", order);
    String held = http.yaml(JOBS, RUNS.formatted("held", false)).json().get("id").asString();
    reaches("jobs/" + held, "RUNNING");
    String node =
        http.get(API + "jobs/" + held + "/members").json().at("/items/0/node").asString("");
    does("drainNode", "POST", "nodes/" + node + "/drain", null);
    JsonNode drain = does("drainCluster", "POST", "clusters/seen/drain", null);
    does(
        "cancelOperation", "POST", "operations/" + drain.path("id").asString("") + "/cancel", null);
    http.send("POST", API + "jobs/" + held + "/cancel", null);
    confirmedDead();
    http.yaml(
        API + "clusters",
        "{name: gone, kind: SIMULATED, fleet: [{nodes: 1, gpusPerNode: 8, model: H100}]}");
    does("cordonCluster", "POST", "clusters/gone/cordon", null);
    does("deleteCluster", "DELETE", "clusters/gone", null);
  }

  /** No process sends the stop to a disabled cluster, so only a confirmation ends it. */
  private void confirmedDead() {
    String lost = "{name: lost, kind: SIMULATED, fleet: [{nodes: 1, gpusPerNode: 8, model: H100}]}";
    http.yaml(API + "clusters", lost);
    String spec = RUNS.formatted("dies", true).replace("seen", "lost");
    String job = "jobs/" + http.yaml(JOBS, spec).json().path("id").asString("");
    reaches(job, "RUNNING");
    String[] header = {"Content-Type", Http.YAML, "If-Match", "*"};
    await()
        .atMost(PATIENCE)
        .until(() ->
            http.send("PATCH", API + "clusters/lost", "{state: DISABLED}", header).status() == 200);
    fairlead.leavesAlone("lost");
    http.send("POST", API + job + "/suspend", null);
    String attempt = http.get(API + job + "/attempts").json().at("/items/0/id").asString("");
    String word = "attempts/" + attempt + "/confirm-dead";
    String reason = "{members: [worker-0], reason: scrapped}";
    await()
        .atMost(PATIENCE)
        .until(() -> http.yaml(API + word + "?validateOnly=true", reason).status() == 200);
    does("confirmDead", "POST", word, reason);
  }

  private void tenants() {
    does("createTenant", "POST", "tenants", "{name: audited}");
    does("updateTenant", "PATCH", "tenants/audited", "{displayName: Audited}");
    does("updateTenantLimits", "PATCH", "tenants/audited/limits", "{activeJobs: 9}");
    does("putTenantMember", "PUT", "tenants/audited/members/ana", "{role: tenant-viewer}");
    does("removeTenantMember", "DELETE", "tenants/audited/members/ana", null);
    String share = "{limits: [{flavor: H100/RESERVED, resource: gpu, nominal: 8}]}";
    does("updateFleetLimits", "PATCH", "fleet-quotas", share);
    does("updateFleetQuota", "PATCH", "fleet-quotas/audited", "{weight: 2}");
    does("archiveTenant", "POST", "tenants/audited/archive", null);
  }
}
