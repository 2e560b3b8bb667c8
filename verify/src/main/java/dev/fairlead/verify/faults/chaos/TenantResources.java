package dev.fairlead.verify.faults.chaos;

import dev.fairlead.launcher.StartFailed;
import dev.fairlead.launcher.WorkTree;
import dev.fairlead.verify.Waiting;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A hard budget that covers all jobs of a run, a volume with a claim, Jobs on a front cluster, and
 * a log store that both replicas share.
 */
final class TenantResources {
  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final int FRONT_JOBS = 20;
  private static final String FRONT = "chaos-front";
  private static final String CONTESTED = "contested";

  /** Never exhausted, so no job waits. */
  private static final String BUDGET =
      """
      {"name": "chaos", "mode": "HARD", "period": "MONTH", "gpuHours": 1000000, "alerts": [50]}
      """;

  private static final String VOLUME_JOB =
      """
      {"name": "chaos-volume", "image": "registry.example.com/chaos/job:1", "gpu": 1, "run": "work",
       "retry": {"maxAttempts": 20}, "volumes": [{"volume": "chaos", "mountPath": "/data"}],
       "annotations": {"sim.fairlead.dev/run-for": "1s"}}
      """;

  /** A volume without a storage class. A claim without a storage class binds it. */
  private static final String DISK =
      """
      apiVersion: v1
      kind: PersistentVolume
      metadata: {name: chaos}
      spec:
        capacity: {storage: 1Gi}
        accessModes: [ReadWriteOnce]
        persistentVolumeReclaimPolicy: Retain
        hostPath: {path: /nowhere}
      """;

  private final Installation installation;

  TenantResources(Installation installation) {
    this.installation = installation;
  }

  /** The directory of the shared log store. */
  static Path logs(Path scratch) {
    return scratch.resolve("logs");
  }

  /** Removes the log store of the run before, whose database is another. */
  static void clear(Path scratch) {
    if (!Files.exists(logs(scratch))) {
      return;
    }
    try (Stream<Path> left = Files.walk(logs(scratch))) {
      for (Path each : left.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(each);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private ControlPlane front() {
    return installation.clusters().getFirst();
  }

  /** Creates all objects. The clusters must be registered. */
  void make(Client client, Random random) throws InterruptedException {
    made(client.post("/budgets", BUDGET, null, random));
    installation.clusters().forEach(cluster -> apply(cluster, DISK));
    made(client.put("/projects/default/volumes/chaos", "{\"size\": \"1Gi\"}", random));
    made(client.post("/projects/default/jobs", VOLUME_JOB, "chaos-volume", random));
    String _ = front().kubectl("create", "namespace", FRONT);
    made(
        client.put(
            "/clusters/" + front().name() + "/front-namespaces/" + FRONT,
            "{\"project\": \"default\"}",
            random));
    StringBuilder jobs = new StringBuilder();
    for (int i = 0; i < FRONT_JOBS; i++) {
      jobs.append(frontJob(i, 1 + random.nextInt(20)));
    }
    apply(front(), jobs.toString());
  }

  private static void made(Client.Answer answer) {
    if (answer.status() / 100 != 2) {
      throw new StartFailed("not made: " + answer);
    }
  }

  private static void apply(ControlPlane cluster, String manifest) {
    try {
      Path file = Files.createTempFile("chaos", ".yaml");
      Files.writeString(file, manifest);
      String _ = cluster.kubectl("apply", "-f", file.toString());
      Files.delete(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the findings after all jobs have ended, or an empty list. */
  List<String> wrong() throws InterruptedException, SQLException {
    List<String> wrong = new ArrayList<>(frontFindings());
    volume(wrong);
    books(wrong);
    logs(wrong);
    return wrong;
  }

  private List<String> frontFindings() throws InterruptedException {
    try {
      Duration _ =
          Waiting.until(
              "every Job of the front is complete", Waiting.PATIENCE, () -> open().isEmpty());
      return List.of();
    } catch (IllegalStateException late) {
      return List.of(late.getMessage() + ": " + open());
    }
  }

  /** Jobs of the front that are missing or not complete. */
  private List<String> open() {
    Map<String, String> open = new LinkedHashMap<>();
    for (int i = 0; i < FRONT_JOBS; i++) {
      open.put("train-" + i, "missing");
    }
    JsonNode jobs = JSON.readTree(front().kubectl("-n", FRONT, "get", "jobs", "-o", "json"));
    for (JsonNode job : jobs.path("items")) {
      boolean complete = false;
      for (JsonNode condition : job.at("/status/conditions")) {
        complete |=
            condition.path("type").asString("").equals("Complete")
                && condition.path("status").asString("").equals("True");
      }
      String name = job.at("/metadata/name").asString("");
      if (complete) {
        open.remove(name);
      } else {
        open.put(name, job.path("status").toString());
      }
    }
    return open.entrySet().stream().map(one -> one.getKey() + " " + one.getValue()).toList();
  }

  private void volume(List<String> wrong) throws SQLException {
    rows("SELECT name || ' is ' || state FROM volume WHERE state <> 'BOUND'")
        .forEach(row -> wrong.add("volume " + row));
    long claims =
        installation.clusters().stream()
            .mapToLong(cluster -> cluster.kubectl("get", "pvc", "-A", "-o", "name").lines().count())
            .sum();
    if (claims != 1) {
      wrong.add(claims + " claims were made for one volume");
    }
  }

  /** Nothing is reserved, and the spent hours equal the usage intervals. */
  private void books(List<String> wrong) throws SQLException {
    rows("""
    SELECT 'reserved ' || coalesce(sum(reserved), 0) || ', charges '
           || (SELECT count(*) FROM budget_charge)
    FROM budget_use
    HAVING coalesce(sum(reserved), 0) <> 0 OR (SELECT count(*) FROM budget_charge) <> 0
    """)
        .forEach(row -> wrong.add("the budget has " + row + " when all has ended"));
    rows("""
    SELECT 'spent ' || coalesce(sum(spent), 0) || ', used ' || (
      SELECT coalesce(sum((SELECT sum(m) FROM unnest(milli) AS m) * (ended_ms - started_ms)), 0) FROM usage_interval)
    FROM budget_use
    HAVING coalesce(sum(spent), 0) <> (
      SELECT coalesce(sum((SELECT sum(m) FROM unnest(milli) AS m) * (ended_ms - started_ms)), 0) FROM usage_interval)
    """)
        .forEach(
            row -> wrong.add("the budget's sum differs from the sum of the intervals: " + row));
  }

  private List<String> rows(String sql) throws SQLException {
    List<String> found = new ArrayList<>();
    try (Connection connection = installation.postgres().connect();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        found.add(rows.getString(1));
      }
    }
    return found;
  }

  private static void logs(List<String> wrong) {
    Path claim = logs(WorkTree.scratch("chaos")).resolve("installation");
    try {
      if (Files.readString(claim, StandardCharsets.UTF_8).contains(CONTESTED)) {
        wrong.add("the log store of one database is contested");
      }
    } catch (IOException missing) {
      wrong.add("the log store has no claim: " + missing);
    }
  }

  private static String frontJob(int number, int seconds) {
    return """
    apiVersion: batch/v1
    kind: Job
    metadata: {namespace: %s, name: train-%d}
    spec:
      managedBy: fairlead.dev/job
      backoffLimit: 19
      template:
        metadata:
          annotations: {sim.fairlead.dev/run-for: %ds}
        spec:
          restartPolicy: Never
          containers:
          - name: train
            image: registry.example.com/train:1
            resources: {limits: {nvidia.com/gpu: 1, memory: 1Gi}, requests: {cpu: 500m}}
    ---
    """
        .formatted(FRONT, number, seconds);
  }
}
