package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import dev.fairlead.money.budget.BudgetPeriod;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import tools.jackson.databind.JsonNode;

/**
 * Budgets, from the settings of an owner to their effect on jobs. The loop that announces and stops
 * runs once a minute, so the tests share one wait.
 */
@Execution(ExecutionMode.CONCURRENT)
class BudgetsIT {
  private static final Duration PATIENCE = Duration.ofSeconds(90);
  private static final String[] IN = {"Fairlead-Tenant", "budgeted"};
  private static final String BUDGETS = "/api/v1/budgets";
  private static final Http HTTP = RunningFairlead.shared().http();

  /** Runs longer than the reservations of the tests, so its figures include all of them. */
  private static final BudgetPeriod PERIOD = period(System.currentTimeMillis());

  private static BudgetPeriod period(long now) {
    boolean ends = BudgetPeriod.MONTH.end(now) - now < Duration.ofHours(5).toMillis();
    return ends ? BudgetPeriod.WEEK : BudgetPeriod.MONTH;
  }

  @BeforeAll
  static void aTenantAndACluster() {
    assertThat(HTTP.yaml("/api/v1/tenants", "{name: budgeted}").status()).isEqualTo(201);
    String cluster =
        "{name: budget-c, kind: SIMULATED, fleet: [{nodes: 4, gpusPerNode: 8, model: A10}]}";
    made("/api/v1/clusters", cluster);
  }

  private static JsonNode made(String path, String body) {
    Http.Answer answer = yaml(path, body);
    assertThat(answer.status()).as(path + " " + answer.body()).isEqualTo(201);
    return answer.json();
  }

  private static void budget(String terms) {
    made(BUDGETS, "{%s, period: %s}".formatted(terms, PERIOD));
  }

  private static Http.Answer yaml(String path, String body) {
    return Http.repeated(() -> HTTP.yaml(path, body, IN));
  }

  private static Http.Answer get(String path) {
    return Http.repeated(() -> HTTP.get(path, IN));
  }

  private static Http.Answer send(String method, String path, String body, String... headers) {
    List<String> all = new ArrayList<>(List.of(IN));
    all.addAll(List.of("Content-Type", Http.YAML));
    all.addAll(List.of(headers));
    return Http.repeated(() -> HTTP.send(method, path, body, all.toArray(String[]::new)));
  }

  private static String spec(String name) {
    return "{name: %s, image: x, gpu: A10:2, maxRuntime: 3h, placement: {clusters: [budget-c]}, annotations: {sim.fairlead.dev/run-for: 1h}}"
        .formatted(name);
  }

  private static String submitted(String name, String project) {
    String jobs = "/api/v1/projects/" + project + "/jobs";
    return "/api/v1/jobs/" + made(jobs, spec(name)).get("id").asString();
  }

  private static void state(String job, String state) {
    await().atMost(PATIENCE).until(() -> get(job).json().path("state").asString("").equals(state));
  }

  private static double figure(String budget, String name) {
    return get(BUDGETS + "/" + budget).json().at("/current/" + name).asDouble();
  }

  /** Fails when plan, explanation, grant, settlement or alert ignores the budget. */
  @Test
  void aJobWaitsForAnExhaustedBudgetAndStartsWithAGrant() {
    made("/api/v1/projects", "{name: limited}");
    budget("name: capped, project: limited, gpuHours: 4, alerts: [90]");
    String job = submitted("train", "limited");
    await()
        .atMost(PATIENCE)
        .untilAsserted(() ->
            assertThat(get(job + "/explanation").body())
                .contains("BUDGET_SPENT", "reserves 6, 2 "));
    Http.Answer plan = yaml("/api/v1/jobs/plan?project=limited", spec("planned"));
    assertThat(plan.body()).contains("BUDGET_SPENT");

    String grants = BUDGETS + "/capped/grants";
    String grant = "{gpuHours: 2.5, reason: rebuttal}";
    assertThat(send("POST", grants, grant).status()).isEqualTo(428);
    Http.Answer tried = send("POST", grants + "?validateOnly=true", grant, "If-Match", "\"1\"");
    assertThat(tried.json().at("/current/limit").asDouble()).as(tried.body()).isEqualTo(6.5);
    assertThat(figure("capped", "limit")).isEqualTo(4);
    Http.Answer given = send("POST", grants, grant, "If-Match", "\"1\"");
    assertThat(given.status()).as(given.body()).isEqualTo(200);
    assertThat(send("POST", grants, grant, "If-Match", "\"1\"").status()).isEqualTo(412);

    state(job, "RUNNING");
    assertThat(figure("capped", "left")).isEqualTo(0.5);
    await()
        .atMost(PATIENCE)
        .untilAsserted(() ->
            assertThat(get("/api/v1/events?type=BudgetThresholdReached").body())
                .contains("\"percent\":90", "\"limitGpuHours\":\"6.5\""));

    send("POST", job + "/cancel", null);
    state(job, "CANCELLED");
    assertThat(figure("capped", "reserved")).isZero();
    assertThat(figure("capped", "spent")).isBetween(0.0, 1.0);
  }

  /** Fails when a patch of a running job reserves more hours than its budget has. */
  @Test
  void runtimeExtensionIsLimitedByTheBudget() {
    made("/api/v1/projects", "{name: longer}");
    budget("name: hours, project: longer, gpuHours: 8");
    String job = submitted("train", "longer");
    state(job, "RUNNING");
    assertThat(figure("hours", "left")).isEqualTo(2);

    Http.Answer refused = send("PATCH", job, "{maxRuntime: 30d}");
    assertThat(refused.status()).as(refused.body()).isEqualTo(422);
    assertThat(refused.body()).contains("BUDGET_SPENT", "/maxRuntime", "GPU-hours too few");
    assertThat(get(job).body()).doesNotContain("30d");
    assertThat(figure("hours", "left")).isEqualTo(2);

    assertThat(send("PATCH", job + "?validateOnly=true", "{maxRuntime: 4h}").status())
        .isEqualTo(200);
    assertThat(figure("hours", "left")).isEqualTo(2);
    assertThat(send("PATCH", job, "{maxRuntime: 4h}").status()).isEqualTo(200);
    assertThat(figure("hours", "left")).isZero();

    Http.Answer endless = send("PATCH", job, "{maxRuntime: null}");
    assertThat(endless.status()).as(endless.body()).isEqualTo(422);
    assertThat(endless.body()).contains("BUDGET_SPENT", "/maxRuntime", "2 GPU-hours too few");
    Http.Answer given =
        send("POST", BUDGETS + "/hours/grants", "{gpuHours: 2, reason: more}", "If-Match", "\"1\"");
    assertThat(given.status()).as(given.body()).isEqualTo(200);
    assertThat(send("PATCH", job, "{maxRuntime: null}").status()).isEqualTo(200);
    assertThat(figure("hours", "left")).isZero();
    send("POST", job + "/cancel", null);
  }

  /**
   * Fails when a job that runs beyond its budget continues against the policy, resumes
   * automatically although it is suspended, or when the reason is missing. Such a job first
   * reserves the runtime of its queue.
   */
  @Test
  void overdraftPreemptsOrSuspendsAsTheBudgetConfigures() {
    Http.Answer soft =
        yaml(BUDGETS, "{name: gentle, gpuHours: 1, mode: SOFT, onExhausted: PREEMPT}");
    assertThat(soft.status()).as(soft.body()).isEqualTo(422);
    assertThat(soft.body()).contains("/onExhausted", "Only a HARD budget stops");
    made("/api/v1/quotas", "{name: brief, queue: {defaultMaxRuntime: 10s}}");
    List<String> jobs = new ArrayList<>();
    for (String policy : List.of("FINISH", "PREEMPT", "SUSPEND")) {
      String name = "capped-" + policy.toLowerCase(Locale.ROOT);
      made("/api/v1/projects", "{name: %s}".formatted(name));
      made(
          BUDGETS,
          "{name: %s, project: %s, gpuHours: 0.004, onExhausted: %s}"
              .formatted(name, name, policy));
      jobs.add(
          "/api/v1/jobs/"
              + made(
                      "/api/v1/projects/" + name + "/jobs",
                      "{name: train, image: x, gpu: A10, queue: brief, placement: {clusters:"
                          + " [budget-c]}, annotations: {sim.fairlead.dev/run-for: 1h}}")
                  .get("id")
                  .asString());
    }

    overdrawn(jobs.get(1), "QUEUED");
    overdrawn(jobs.get(2), "SUSPENDED");
    assertThat(get(jobs.get(0)).json().path("state").asString("")).isEqualTo("RUNNING");
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> assertThat(get(jobs.get(1) + "/explanation").body()).contains("BUDGET_SPENT"));
    await()
        .atMost(PATIENCE)
        .untilAsserted(() ->
            assertThat(get("/api/v1/events?type=AttemptBudgetSpent").body())
                .contains("\"budget\":\"capped-preempt\"", "\"budget\":\"capped-suspend\"")
                .doesNotContain("capped-finish"));
    assertThat(get("/api/v1/audit?action=stopAtBudget").body())
        .contains("capped-preempt", "capped-suspend");
    send("POST", jobs.get(0) + "/cancel", null);
  }

  private static void overdrawn(String job, String state) {
    await()
        .atMost(Duration.ofMinutes(3))
        .untilAsserted(() -> {
          JsonNode now = get(job).json();
          assertThat(now.path("state").asString("")).isEqualTo(state);
          assertThat(get(job + "/attempts").body()).contains(" is spent: ");
        });
  }

  /** Fails when a budget by label can be hard, counts other jobs, or sends no alert. */
  @Test
  void labelBudgetWarnsAndBlocksNothing() {
    made("/api/v1/projects", "{name: labelled}");
    String grant = "{name: grant-17, label: {grant: '17'}, gpuHours: 4%s}";
    Http.Answer hard = yaml(BUDGETS, grant.formatted(", mode: HARD"));
    assertThat(hard.status()).as(hard.body()).isEqualTo(422);
    assertThat(hard.body()).contains("/mode", "SOFT");
    Http.Answer two = yaml(BUDGETS, "{name: two, label: {grant: '17', team: nlp}, gpuHours: 4}");
    assertThat(two.status()).as(two.body()).isEqualTo(422);
    JsonNode soft = made(BUDGETS, grant.formatted(", period: " + PERIOD));
    assertThat(soft.get("mode").asString()).isEqualTo("SOFT");
    assertThat(soft.at("/label/grant").asString()).isEqualTo("17");

    String counted = labelled("counted", "{grant: '17'}");
    String other = labelled("other", "{grant: '18'}");
    state(counted, "RUNNING");
    state(other, "RUNNING");
    double charged = figure("grant-17", "reserved") + figure("grant-17", "spent");
    assertThat(charged).isCloseTo(6, within(0.01));
    await()
        .atMost(PATIENCE)
        .untilAsserted(() ->
            assertThat(get("/api/v1/events?type=BudgetThresholdReached").body())
                .contains("\"budget\":\"grant-17\""));
    send("POST", counted + "/cancel", null);
    send("POST", other + "/cancel", null);
  }

  private static String labelled(String name, String labels) {
    String jobs = "/api/v1/projects/labelled/jobs";
    String spec = spec(name).replaceFirst("name: ", "labels: " + labels + ", name: ");
    return "/api/v1/jobs/" + made(jobs, spec).get("id").asString();
  }

  /** Fails when a patch grows an elastic job beyond its budget. */
  @Test
  void runningJobGrowsOnlyWithinItsBudget() {
    made("/api/v1/projects", "{name: wider}");
    budget("name: wide-hours, project: wider, gpuHours: 8");
    String job =
        "/api/v1/jobs/"
            + made(
                    "/api/v1/projects/wider/jobs",
                    "{name: wide, image: x, gpu: A10, workers: 2, minWorkers: 1, maxRuntime: 2h,"
                        + " placement: {clusters: [budget-c]}, annotations:"
                        + " {sim.fairlead.dev/run-for: 1h}}")
                .get("id")
                .asString();
    state(job, "RUNNING");
    assertThat(figure("wide-hours", "left")).isEqualTo(4);

    Http.Answer refused = send("PATCH", job, "{workers: 5}");
    assertThat(refused.status()).as(refused.body()).isEqualTo(422);
    assertThat(refused.body()).contains("BUDGET_SPENT", "/workers", "GPU-hours too few");
    assertThat(send("PATCH", job, "{workers: 4}").status()).isEqualTo(200);
    assertThat(figure("wide-hours", "left")).isZero();
    send("POST", job + "/cancel", null);
  }

  @Test
  void budgetUpdateRequiresItsVersion() {
    made(BUDGETS, "{name: changed, user: ana, gpuHours: 10.5, mode: SOFT, period: WEEK}");
    String path = BUDGETS + "/changed";

    assertThat(send("PATCH", path, "{gpuHours: 12}").status()).isEqualTo(428);
    Http.Answer next = send("PATCH", path, "{gpuHours: 12, mode: HARD}", "If-Match", "\"1\"");
    assertThat(next.status()).as(next.body()).isEqualTo(200);
    assertThat(next.json().get("gpuHours").asInt()).isEqualTo(12);
    assertThat(next.json().at("/alerts/0").asInt()).isEqualTo(80);
    assertThat(send("PATCH", path, "{gpuHours: 1}", "If-Match", "\"1\"").status()).isEqualTo(412);
    Http.Answer fixed = send("PATCH", path, "{period: MONTH}", "If-Match", "\"2\"");
    assertThat(fixed.status()).isEqualTo(422);
    assertThat(fixed.body()).contains("/period", "cannot change");

    assertThat(send("DELETE", path, null, "If-Match", "\"2\"").status()).isEqualTo(204);
    assertThat(get(path).status()).isEqualTo(404);
  }

  @Test
  void inconsistentBudgetIsRejectedWithItsField() {
    List<String> wrong =
        List.of(
            "{name: bad, gpuHours: -1}",
            "{name: bad, gpuHours: 1e99}",
            "{name: bad, gpuHours: 0.0000001}",
            "{name: bad}",
            "{name: bad, gpuHours: 1, alerts: [101]}",
            "{name: bad, gpuHours: 1, mode: UNREADABLE}",
            "{name: bad, gpuHours: 1, project: nowhere}",
            "{name: bad, gpuHours: 1, queue: root}",
            "{name: bad, gpuHours: 1, money: 3}",
            "{name: bad, amount: 1}",
            "{name: bad, currency: EUR}",
            "{name: bad, amount: 1, currency: euros}",
            "{name: bad, amount: 1, gpuHours: 1, currency: EUR}",
            "{name: bad, amount: -1, currency: EUR}",
            "{name: bad, amount: NaN, currency: EUR}",
            "{name: bad, amount: 1, currency: XTS}");
    for (String body : wrong) {
      Http.Answer answer = yaml(BUDGETS, body);
      assertThat(answer.status()).as(body + " " + answer.body()).isIn(400, 422);
      assertThat(answer.body()).as(body).contains("\"pointer\"");
    }
    assertThat(get(BUDGETS + "/bad").status()).isEqualTo(404);
  }

  /**
   * Fails when creation, plan, explanation, grant, patch, alert or settlement does not support
   * money.
   */
  @Test
  void aJobWaitsForMoneyAndStartsWithAGrant() {
    made("/api/v1/projects", "{name: paid}");
    made("/api/v1/prices", "{cluster: budget-c, model: A10, pricePerGpuHour: 2.5, currency: CHF}");
    budget("name: purse, project: paid, amount: 10, currency: CHF, alerts: [90]");
    String job = submitted("train", "paid");
    await()
        .atMost(PATIENCE)
        .untilAsserted(() ->
            assertThat(get(job + "/explanation").body())
                .contains("BUDGET_SPENT", "reserves 15", "5 an hour", "5 over the limit"));
    assertThat(yaml("/api/v1/jobs/plan?project=paid", spec("planned")).body())
        .contains("BUDGET_SPENT");

    String grants = BUDGETS + "/purse/grants";
    Http.Answer hours = send("POST", grants, "{gpuHours: 9, reason: x}", "If-Match", "\"1\"");
    assertThat(hours.status()).as(hours.body()).isEqualTo(422);
    Http.Answer given = send("POST", grants, "{amount: 6.5, reason: x}", "If-Match", "\"1\"");
    assertThat(given.status()).as(given.body()).isEqualTo(200);
    state(job, "RUNNING");
    assertThat(figure("purse", "left")).isEqualTo(1.5);
    assertThat(figure("purse", "withoutPrice")).isZero();
    await()
        .atMost(PATIENCE)
        .untilAsserted(() ->
            assertThat(get("/api/v1/events?type=BudgetThresholdReached").body())
                .contains("\"currency\":\"CHF\"", "\"limit\":\"16.5\""));
    Http.Answer longer = send("PATCH", job, "{maxRuntime: 4h}");
    assertThat(longer.status()).as(longer.body()).isEqualTo(422);
    assertThat(longer.body()).contains("3.5 CHF too few");

    send("POST", job + "/cancel", null);
    state(job, "CANCELLED");
    assertThat(figure("purse", "reserved")).isZero();
  }
}
