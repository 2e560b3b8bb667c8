package dev.fairlead.launcher.demo;

import dev.fairlead.launcher.ApiRefusal;
import dev.fairlead.launcher.FairleadApi;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;

/**
 * Checks the isolation of tenants: the owner of one tenant requests objects of another by their
 * names and ids, in lists, and with the other tenant's header. Each response must equal that for an
 * object that never existed.
 */
final class TenantProbes {
  private static final String FORMAT = "  %-42s %-10s %-15s %s%n";
  private static final String NEVER = "never-was";
  private static final String NEVER_JOB = "job_01m7vxn2c4e0mtrw2g5kqy8v3d";

  /** Lists of the caller's own objects. */
  private static final List<String> OWN_LISTS =
      List.of("/jobs", "/projects/default/secrets", "/tenants", "/events", "/audit");

  /** Shared lists, where each tenant finds at most sums of the use of others. */
  private static final List<String> SHARED = List.of("/nodes", "/gpus", "/capacity", "/queues");

  private final PrintStream out;
  private final List<String> breaches = new ArrayList<>();
  private int answers;

  TenantProbes(PrintStream out) {
    this.out = out;
  }

  /**
   * A tenant with one job and one secret, {@code NAME-key}.
   *
   * @param api API of the tenant's owner
   * @param job id of its job, with a name that begins with the name of the tenant
   */
  record Side(String tenant, FairleadApi api, String job) {
    static Side never(FairleadApi api) {
      return new Side(NEVER, api, NEVER_JOB);
    }

    /** Returns whether a text contains the tenant's name, a name with that prefix, or its job. */
    private boolean in(String text) {
      return text.contains(tenant) || text.contains(job);
    }

    private String without(String text) {
      return text.replace(tenant, "-").replace(job, "-");
    }
  }

  private record Answer(String status, String text) {
    private static Answer of(Function<FairleadApi, JsonNode> question, FairleadApi api) {
      try {
        return new Answer("200", question.apply(api).toString());
      } catch (ApiRefusal refusal) {
        return new Answer(refusal.status() + " " + refusal.code(), "" + refusal.getMessage());
      }
    }
  }

  /** One line for each response that revealed something, empty if the isolation held. */
  List<String> between(Side one, Side other) {
    lists(one, other); // first: later requests appear in the audit
    lists(other, one);
    things(one, other);
    things(other, one);
    untouched(one);
    untouched(other);
    return List.copyOf(breaches);
  }

  int answers() {
    return answers;
  }

  private void lists(Side caller, Side other) {
    out.printf("%n%s lists%n", caller.tenant());
    OWN_LISTS.forEach(path -> list(path, true, caller, other));
    SHARED.forEach(path -> list(path, false, caller, other));
  }

  private void list(String path, boolean own, Side caller, Side other) {
    Answer answer = Answer.of(api -> api.get(path), caller.api());
    boolean foreign = other.in(answer.text());
    boolean complete = answer.status().equals("200") && (!own || caller.in(answer.text()));
    judge(complete && !foreign, caller.tenant() + " GET " + path + " answers " + answer.text());
    out.printf(
        FORMAT,
        "GET " + path,
        answer.status(),
        own ? (complete ? "its own" : "NOT ITS OWN") : "",
        (foreign ? "NAMES " : "nothing of ") + other.tenant());
  }

  private void things(Side caller, Side other) {
    out.printf("%n%s asks for%n", caller.tenant());
    out.printf(FORMAT, "", "its own", other.tenant() + "'s", "one that never was");
    thing("GET /jobs/JOB", side -> api -> api.get("/jobs/" + side.job()), caller, other);
    thing(
        "GET /jobs/JOB/explanation",
        side -> api -> api.get("/jobs/" + side.job() + "/explanation"),
        caller,
        other);
    thing(
        "GET /jobs/JOB/events",
        side -> api -> api.get("/jobs/" + side.job() + "/events"),
        caller,
        other);
    thing(
        "GET /tenants/TENANT", side -> api -> api.get("/tenants/" + side.tenant()), caller, other);
    thing(
        "GET /tenants/TENANT/members",
        side -> api -> api.get("/tenants/" + side.tenant() + "/members"),
        caller,
        other);
    thing(
        "GET /projects/default/secrets/TENANT-key",
        side -> api -> api.get("/projects/default/secrets/" + side.tenant() + "-key"),
        caller,
        other);
    thing(
        "GET /jobs, Fairlead-Tenant: TENANT",
        side -> api -> api.getIn(side.tenant(), "/jobs"),
        caller,
        other);
    foreign(
        "POST /jobs/JOB/cancel",
        side -> api -> api.post("/jobs/" + side.job() + "/cancel"),
        "",
        caller,
        other);
  }

  private void thing(
      String title,
      Function<Side, Function<FairleadApi, JsonNode>> question,
      Side caller,
      Side other) {
    Answer own = Answer.of(question.apply(caller), caller.api());
    judge(own.status().equals("200"), caller.tenant() + " " + title + ", its own: " + own.text());
    foreign(title, question, own.status(), caller, other);
  }

  /**
   * Requests a foreign object and an object that never existed, and expects the same response, 404.
   */
  private void foreign(
      String title,
      Function<Side, Function<FairleadApi, JsonNode>> question,
      String own,
      Side caller,
      Side other) {
    Side never = Side.never(caller.api());
    Answer others = Answer.of(question.apply(other), caller.api());
    Answer guessed = Answer.of(question.apply(never), caller.api());
    boolean same = other.without(others.text()).equals(never.without(guessed.text()));
    judge(
        others.status().startsWith("404 ") && same,
        "%s %s of %s: %s, but of an object that never existed: %s"
            .formatted(caller.tenant(), title, other.tenant(), others.text(), guessed.text()));
    out.printf(FORMAT, title, own, others.status(), guessed.status());
  }

  private void untouched(Side side) {
    String state = side.api().get("/jobs/" + side.job()).path("state").asString("");
    judge(state.equals("RUNNING"), side.tenant() + "'s job is " + state + ", not RUNNING");
  }

  private void judge(boolean held, String otherwise) {
    answers++;
    if (!held) {
      breaches.add(otherwise);
    }
  }
}
