package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fairlead.e2e.S3Relay.Call;
import dev.fairlead.work.log.S3Server;
import dev.fairlead.work.workload.kubernetes.RealNodes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Two control planes with a real node each, disks of these nodes, and a bucket that pods of both
 * reach: data and jobs move between the clusters.
 */
@Tag("realnode")
@ExtendWith(RealNodes.class)
class RealPoolIT {
  private static final String PROJECT = "/api/v1/projects/default/";
  private static final String TRANSFERS = PROJECT + "volumes/training/transfers";

  /** Pieces of the data below: twelve small files, and 257 MiB in pieces of 64. */
  private static final int PIECES = 17;

  /** The number of concurrent calls of a copier. */
  private static final int AT_ONCE = 4;

  private static final String CHECKSUM =
      """
      import hashlib, os
      def checksum(root):
          seen = hashlib.sha256()
          for at, folders, files in os.walk(root):
              folders.sort()
              for name in sorted(set(files) - {".fairlead-transfer.json"}):
                  path = os.path.join(at, name)
                  mode = os.lstat(path).st_mode & 0o777
                  seen.update(b"%s %o " % (os.path.relpath(path, root).encode(), mode))
                  with open(path, "rb") as file:
                      for block in iter(lambda: file.read(1 << 20), b""):
                          seen.update(block)
          return seen.hexdigest()
      """;

  private static final String WRITES =
      CHECKSUM
          + """
          os.makedirs("/data/shards/deep")
          for name, count in [*(("shards/%d" % i, 1) for i in range(12)), ("shards/deep/weights", 257)]:
              with open("/data/" + name, "wb") as file:
                  for _ in range(count):
                      file.write(os.urandom(1 << 20))
          open("/data/none", "w").close()
          os.symlink("shards/0", "/data/first")
          os.chmod("/data/shards/0", 0o600)
          print("checksum", checksum("/data"))
          """;

  private static final String COPY = "{to: training-west, cluster: west, storageClass: disks}";
  private static final String READS = CHECKSUM + "print('checksum', checksum('/data'))";

  /** Keeps a file of its volume open until it is signalled to end. */
  private static final String USES =
      """
      import signal, sys, time
      file = open("/data/kept", "w")
      def leave(*_):
          file.write("to the end")
          sys.exit()
      signal.signal(signal.SIGUSR1, leave)
      print("in use")
      while True: time.sleep(1)
      """;

  private static final Map<String, RealNodes.Cluster> CLUSTERS = new TreeMap<>();
  @TempDir private static Path files;
  private static S3Relay bucket;
  private static RunningFairlead fairlead;
  private static RealFairlead real;
  private static Http http;

  @BeforeAll
  static void twoClustersAndABucket() {
    for (String name : List.of("east", "west")) {
      RealNodes.Cluster cluster = RealNodes.withScheduler();
      cluster.plane().applies("deploy/cluster-volumes.yaml");
      cluster.up(name + "-0", 1);
      CLUSTERS.put(name, cluster);
    }
    bucket = new S3Relay(CLUSTERS.values().stream().map(RealNodes.Cluster::address).toList());
    CLUSTERS.forEach((name, cluster) -> {
      cluster.plane().apply(s3(cluster.address()));
      cluster.plane().apply(DISKS);
    });
    fairlead =
        RunningFairlead.start(
            "--fairlead.key-file=" + files.resolve("key"),
            "--fairlead.transfers.bucket=" + S3Server.BUCKET,
            "--fairlead.transfers.endpoint=http://s3.default.svc.cluster.local:" + bucket.port(),
            "--fairlead.transfers.path-style=true",
            "--fairlead.transfers.image=localhost/job:1");
    http = fairlead.http();
    real = RealFairlead.of(fairlead, "east", cluster("east"));
    real.connect("west", cluster("west"));
    CLUSTERS.keySet().forEach(name -> real.awaitOfferedGpus(name + "-0", 1));
    put(
        PROJECT + "secrets/object-store",
        "{data: {AWS_ACCESS_KEY_ID: %s, AWS_SECRET_ACCESS_KEY: %s}}"
            .formatted(S3Server.ACCESS_KEY, S3Server.SECRET_KEY));
  }

  @AfterAll
  static void theServiceEnds() {
    if (fairlead != null) {
      fairlead.close();
      bucket.close();
    }
  }

  private static RealNodes.Cluster cluster(String name) {
    return java.util.Objects.requireNonNull(CLUSTERS.get(name));
  }

  /** One name, which on each cluster resolves to a different address. */
  private static String s3(String address) {
    return """
    apiVersion: v1
    kind: Service
    metadata: {name: s3, namespace: default}
    spec: {clusterIP: None, ports: [{port: %1$d}]}
    ---
    apiVersion: discovery.k8s.io/v1
    kind: EndpointSlice
    metadata: {name: s3, namespace: default, labels: {kubernetes.io/service-name: s3}}
    addressType: IPv4
    endpoints: [{addresses: [%2$s]}]
    ports: [{port: %1$d, protocol: TCP}]
    """
        .formatted(bucket.port(), address);
  }

  private static final String DISKS =
      """
      apiVersion: storage.k8s.io/v1
      kind: StorageClass
      metadata: {name: disks}
      provisioner: kubernetes.io/no-provisioner
      volumeBindingMode: WaitForFirstConsumer
      """;

  /** Provides space for one volume on the node of a cluster, and returns its directory. */
  private static Path disk(String cluster) {
    try {
      Path folder = Files.createTempDirectory(files, cluster);
      cluster(cluster)
          .plane()
          .apply(
              """
              apiVersion: v1
              kind: PersistentVolume
              metadata: {name: "%1$s"}
              spec:
                capacity: {storage: 1Gi}
                accessModes: [ReadWriteOnce]
                persistentVolumeReclaimPolicy: Retain
                storageClassName: disks
                local: {path: "%2$s"}
                nodeAffinity:
                  required:
                    nodeSelectorTerms:
                    - matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [%3$s-0]}]
              """
                  .formatted(folder.getFileName(), folder, cluster));
      return folder;
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static void put(String path, String body) {
    Http.Answer answer = http.send("PUT", path, body, "Content-Type", Http.YAML);
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
  }

  private static JsonNode volume(String name) {
    return http.get(PROJECT + "volumes/" + name).json();
  }

  private static void awaitState(String volume, String state) {
    await()
        .atMost(RealFairlead.PATIENCE)
        .until(() -> volume(volume).path("state").asString(), state::equals);
  }

  private static String mounts(String volume) {
    return "volumes: [{volume: %s, mountPath: /data}]\n".formatted(volume);
  }

  private static String on(String cluster) {
    return "placement: {clusters: [" + cluster + "]}\n";
  }

  /** The checksum that the program reports for its volume. */
  private static String checksum(String job) {
    real.reach(job, "SUCCEEDED");
    assertThat(real.log(job, "worker-0")).startsWith("checksum ");
    return real.log(job, "worker-0");
  }

  private static String clusterOf(String job) {
    return real.attempt(job, 1).get("cluster").asString();
  }

  private static JsonNode transfer() {
    return http.get(TRANSFERS).json().at("/items/0");
  }

  /** The job of a phase, once it exists. */
  private static String job(String phase) {
    await(phase)
        .atMost(RealFairlead.PATIENCE)
        .until(() -> {
          JsonNode now = transfer();
          assertThat(now.path("phase").asString()).as(now.toString()).isNotEqualTo("FAILED");
          return now.path("phase").asString().equals(phase)
              && !now.path("job").asString("").isEmpty();
        });
    return "/api/v1/jobs/" + transfer().path("job").asString();
  }

  /** Kills the attempt when this number of its calls is blocked, then blocks the next calls. */
  private static void dies(String job, int attempt, int held, Predicate<Call> next, int free) {
    bucket.awaitHeld(held);
    real.awaitAttempt(job, attempt, "RUNNING");
    JsonNode seen = real.attempt(job, attempt);
    String pod = seen.at("/members/0/pod").asString();
    cluster(seen.get("cluster").asString()).kill(real.namespace(), pod, "SIGKILL");
    real.awaitAttempt(job, attempt, "FAILED");
    bucket.hold(next, free);
  }

  /** Fails when a killed copier transfers a file twice, or the data differ. */
  @Test
  void volumeTransferCompletesThoughItsCopiersDieInEveryPhase() {
    Path source = disk("east");
    Path copy = disk("west");
    put(PROJECT + "volumes/training", "{size: 1Gi, storageClass: disks}");
    String written = checksum(real.submit(mounts("training") + on("east"), WRITES));
    assertThat(source.resolve("shards/deep/weights")).isRegularFile();
    awaitState("training", "BOUND");

    bucket.hold(_ -> true, 0);
    assertThat(http.yaml(TRANSFERS, COPY).status()).isEqualTo(201);
    String upload = job("UPLOADING");
    dies(upload, 1, 1, call -> call.part("PUT"), 5);
    dies(upload, 2, AT_ONCE, call -> call.manifest("PUT"), 0);
    dies(upload, 3, 1, call -> call.manifest("GET"), 1);
    String download = job("DOWNLOADING");
    dies(download, 1, 1, call -> call.part("GET"), PIECES - AT_ONCE);
    dies(download, 2, AT_ONCE, call -> call.manifest("GET"), 1);
    dies(job("VERIFYING"), 1, 1, call -> call.method().equals("DELETE"), AT_ONCE);
    dies(job("CLEANING"), 1, AT_ONCE, _ -> false, 0);
    await().atMost(RealFairlead.PATIENCE).until(() -> transfer(), RealPoolIT::ready);

    assertThat(bucket.passed(call -> call.part("PUT"))).hasSize(PIECES).doesNotHaveDuplicates();
    assertThat(bucket.passed(call -> call.part("GET"))).hasSize(PIECES).doesNotHaveDuplicates();
    assertThat(bucket.passed(call -> call.method().equals("DELETE")))
        .hasSize(PIECES + 1)
        .doesNotHaveDuplicates();
    String id = transfer().path("id").asString();
    assertThat(http.send("POST", TRANSFERS + "/" + id + "/cut-over", null).status()).isEqualTo(200);
    String reader = real.submit(mounts("training"), READS);
    assertThat(checksum(reader)).isEqualTo(written);
    assertThat(clusterOf(reader)).isEqualTo("west");
    assertThat(copy.resolve("first")).isSymbolicLink();
  }

  private static boolean ready(JsonNode transfer) {
    return transfer.path("phase").asString().equals("READY");
  }

  /** Fails when a claim deleted under a process is not reported, or the process loses its data. */
  @Test
  void claimDeletedByHandIsReportedAndItsProcessRunsToItsEnd() {
    Path folder = disk("east");
    put(PROJECT + "volumes/scratch", "{size: 1Gi, storageClass: disks}");
    String job = real.submit(mounts("scratch") + on("east"), USES);
    real.awaitLog(job, "worker-0", "in use");
    String claim = volume("scratch").path("claim").asString();

    cluster("east").plane().kubectl("-n", real.namespace(), "delete", "pvc", claim, "--wait=false");
    await() // the volume becomes LOST five minutes later, see VolumeUpkeepTest
        .atMost(RealFairlead.PATIENCE)
        .until(() -> volume("scratch").path("message").asString(), m -> m.contains(claim));

    assertThat(volume("scratch").path("message").asString()).contains("not by Fairlead");
    cluster("east").kill(real.namespace(), real.pod(job, 0), "SIGUSR1");
    real.reach(job, "SUCCEEDED");
    assertThat(folder.resolve("kept")).hasContent("to the end");
  }

  /** Fails when a Job of a front does not end by a process on the other cluster. */
  @Test
  void jobAppliedByKubectlRunsAsAProcessOnTheOtherCluster() {
    var front = cluster("east").plane();
    front.applies("deploy/cluster-front.yaml");
    front.kubectl("create", "namespace", "team-a");
    put("/api/v1/clusters/east/front-namespaces/team-a", "{project: default}");
    front.cordon("east-0", true);
    try {
      front.apply(
          """
          apiVersion: batch/v1
          kind: Job
          metadata: {name: train, namespace: team-a}
          spec:
            managedBy: fairlead.dev/job
            template:
              spec:
                restartPolicy: Never
                containers:
                - name: train
                  image: localhost/job:1
                  command: [python3, -c]
                  args: ["print('trained', 6 * 7)"]
                  resources: {limits: {nvidia.com/gpu: 1, memory: 128Mi}, requests: {cpu: 50m}}
          """);

      await()
          .atMost(RealFairlead.PATIENCE)
          .until(() -> front.kubectl("-n", "team-a", "get", "jobs"), jobs -> jobs.contains("1/1"));
    } finally {
      front.cordon("east-0", false);
    }
    JsonNode status =
        JsonMapper.builder()
            .build()
            .readTree(front.kubectl("-n", "team-a", "get", "job", "train", "-o", "json"))
            .path("status");
    assertThat(status.path("conditions").toString()).contains("Complete", "fairlead.dev/Submitted");
    String job =
        http.get(PROJECT + "jobs")
            .json()
            .get("items")
            .valueStream()
            .filter(one -> one.get("name").asString().startsWith("train"))
            .map(one -> "/api/v1/jobs/" + one.get("id").asString())
            .findFirst()
            .orElseThrow();
    assertThat(clusterOf(job)).isEqualTo("west");
    assertThat(real.node(job, 0)).isEqualTo("west-0");
    assertThat(real.log(job, "worker-0")).isEqualTo("trained 42\n");
    assertThat(front.kubectl("-n", "team-a", "get", "pods", "-o", "name")).isEmpty();
  }
}
