package dev.fairlead.verify.faults.restore;

import dev.fairlead.launcher.FairleadApi;
import dev.fairlead.verify.Waiting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * The jobs of the restore test, each for a different possible error of a restore. Before the point
 * in time all except {@code fills} and {@code waits} run with one GPU. {@code fills} uses the
 * capacity that {@code waits} needs.
 *
 * @param stays jobs that run throughout the restore
 * @param finishes jobs that end while the database is away
 * @param fills runs on three of four nodes and is cancelled after the point in time
 * @param waits is pending at the point in time and runs when the database is lost
 * @param later jobs that are submitted after the point in time, run, and are missing in the
 *     restored database
 */
record RestoreJobs(
    List<String> stays, List<String> finishes, String fills, String waits, List<String> later) {
  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final String LONG = "30m";

  /** Run time of {@code finishes}: past the point in time and the loss that follows. */
  private static final String SHORT = "60s";

  private static final int STAYS = 4;
  private static final int FINISHES = 2;
  private static final int LATER = 2;

  /** Submits the jobs that the restored database will know, and waits for the state of each. */
  static RestoreJobs before(FairleadApi api, String cluster) throws InterruptedException {
    List<String> stays = submit(api, STAYS, cluster, LONG);
    String fills = submit(api, 8, 3, cluster, LONG);
    reach(api, List.of(fills), "RUNNING");
    List<String> finishes = submit(api, FINISHES, cluster, SHORT);
    reach(api, finishes, "RUNNING");
    reach(api, stays, "RUNNING");
    return new RestoreJobs(stays, finishes, fills, submit(api, 8, 1, cluster, LONG), List.of());
  }

  /** Requests of users after the point in time: all are acknowledged, and will be lost. */
  RestoreJobs goOn(FairleadApi api, String cluster) throws InterruptedException {
    api.post("/jobs/" + fills + "/cancel");
    reach(api, List.of(fills), "CANCELLED");
    reach(api, List.of(waits), "RUNNING");
    List<String> submitted = submit(api, LATER, cluster, LONG);
    reach(api, submitted, "RUNNING");
    return new RestoreJobs(stays, finishes, fills, waits, submitted);
  }

  /** The pods at the moment of the loss that must not end: all except the short ones. */
  List<Cluster.Pod> lasting(Collection<Cluster.Pod> pods) {
    return pods.stream()
        .filter(pod -> finishes.stream().noneMatch(job -> job.endsWith(pod.job())))
        .toList();
  }

  private static List<String> submit(FairleadApi api, int jobs, String cluster, String runFor) {
    List<String> submitted = new ArrayList<>();
    for (int i = 0; i < jobs; i++) {
      submitted.add(submit(api, 1, 1, cluster, runFor));
    }
    return submitted;
  }

  private static String submit(
      FairleadApi api, int gpus, int workers, String cluster, String runFor) {
    String body =
        """
        image: x
        gpu: H100:%d
        workers: %d
        placement: {clusters: [%s]}
        annotations: {sim.fairlead.dev/run-for: %s}
        """
            .formatted(gpus, workers, cluster, runFor);
    return api.postYaml("/projects/default/jobs", body).get("id").asString();
  }

  static String state(FairleadApi api, String job) {
    return api.get("/jobs/" + job).path("state").asString();
  }

  static int attempts(FairleadApi api, String job) {
    return api.get("/jobs/" + job + "/attempts").path("items").size();
  }

  /** Confirms as an operator that the members of the job's last attempt are dead. */
  static void confirmDead(FairleadApi api, String job) throws InterruptedException {
    Waiting.until(
        job + " cannot be seen",
        PATIENCE,
        () -> attempt(api, job).path("state").asString("").equals("UNKNOWN"));
    JsonNode attempt = attempt(api, job);
    ObjectNode word = JsonNodeFactory.instance.objectNode();
    word.put("reason", "its pods are gone: the database was restored");
    ArrayNode members = word.putArray("members");
    attempt
        .path("members")
        .forEach(member ->
            members.add(member.path("role").asString() + "-" + member.path("index").asInt()));
    api.post("/attempts/" + attempt.path("id").asString() + "/confirm-dead", word);
  }

  private static JsonNode attempt(FairleadApi api, String job) {
    return api.get("/jobs/" + job + "/attempts").at("/items/0");
  }

  static Duration reach(FairleadApi api, Collection<String> jobs, String state)
      throws InterruptedException {
    return Waiting.until(
        jobs + " are " + state,
        PATIENCE,
        () -> jobs.stream().allMatch(job -> state(api, job).equals(state)));
  }
}
