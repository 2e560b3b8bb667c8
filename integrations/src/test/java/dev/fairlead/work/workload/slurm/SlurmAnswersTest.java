package dev.fairlead.work.workload.slurm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.fleet.cluster.connection.Connection;
import dev.fairlead.kernel.egress.EgressPolicy;
import dev.fairlead.kernel.egress.FakeHosts;
import dev.fairlead.kernel.egress.FakeHttps;
import dev.fairlead.kernel.identity.memory.SeededIds;
import dev.fairlead.kernel.keyring.Secret;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.RoleSpec;
import dev.fairlead.work.workload.ActionOutcome;
import dev.fairlead.work.workload.EpochClaim;
import dev.fairlead.work.workload.LaunchOrder;
import dev.fairlead.work.workload.LaunchOrders;
import dev.fairlead.work.workload.WorkloadAction;
import dev.fairlead.work.workload.judgement.ObservedMember;
import java.time.Duration;
import java.util.List;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Answers of slurmrestd that a test cannot wait for. */
class SlurmAnswersTest {
  private static final Installation INSTALLATION = new Installation(new UUID(1, 2), 1);
  private static final AttemptId ATTEMPT = new AttemptId(new UUID(3, 4));
  private static final MemberKey FIRST = new MemberKey("worker", 0, 0);
  private static final String VERSIONS =
      "{\"paths\": {\"/slurm/v0.0.36/jobs\": {}, \"/slurm/v0.0.37/jobs\": {},"
          + " \"/slurm/v0.0.38/jobs\": {}, \"/slurmdb/v0.0.39/jobs\": {}}}";

  private static JsonNode json(String text) {
    return JsonMapper.shared().readTree(text);
  }

  private static String job(String state, int exitCode) {
    return """
    {"job_id": 7, "name": "%s", "comment": "fairlead %s worker=2", "user_name": "ml",
     "job_state": "%s", "state_reason": "Priority", "exit_code": %d, "nodes": "n[1-2]",
     "start_time": 100, "end_time": 200}\
    """
        .formatted(ObjectNames.attempt(ATTEMPT), INSTALLATION.label(), state, exitCode);
  }

  private static ObservedMember member(String state, int exitCode) {
    return SlurmJob.of(json(job(state, exitCode)), INSTALLATION, "ml")
        .orElseThrow()
        .observed(List.of(), false)
        .member(FIRST)
        .orElseThrow();
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        "COMPLETED, 0, SUCCEEDED, 0, -",
        "FAILED, 10752, FAILED, 42, Error",
        "FAILED, 9, FAILED, 137, Error",
        "OUT_OF_MEMORY, 125, FAILED, 137, OOMKilled",
        "TIMEOUT, 15, FAILED, -, DeadlineExceeded",
        "NODE_FAIL, 0, FAILED, -, NodeLost",
        "PREEMPTED, 0, FAILED, -, Preempting",
        "CANCELLED, 15, FAILED, -, Error",
        "COMPLETING, 0, RUNNING, -, -",
        "RUNNING, 0, RUNNING, -, -",
        "SUSPENDED, 0, RUNNING, -, -",
        "PENDING, 0, PENDING, -, AwaitsNode slurm reports: Priority"
      })
  void everySlurmStateMapsToAStateOfTheMembers(
      String state, int status, MemberState expected, Integer code, String reason) {
    ObservedMember member = member(state, status);

    assertThat(member.state()).isEqualTo(expected);
    assertThat(member.exitCode()).isEqualTo(code);
    assertThat(member.reason()).isEqualTo(reason);
    assertThat(member.uid()).isEqualTo("7");
  }

  @Test
  void aJobOfAnotherInstallationOrUserIsForeign() {
    JsonNode job = json(job("RUNNING", 0));
    Installation another = new Installation(new UUID(9, 9), 1);

    assertThat(SlurmJob.of(job, another, "ml")).isEmpty();
    assertThat(SlurmJob.of(job, INSTALLATION, "root")).isEmpty();
    assertThat(SlurmJob.of(job, INSTALLATION, "ml")).isPresent();
  }

  @Test
  void gpusAreCountedInEveryNotationOfSlurm() {
    assertThat(SlurmNodes.count("gpu:h100:8(S:0-1)")).isEqualTo(8);
    assertThat(SlurmNodes.count("gpu:4,nic:2")).isEqualTo(4);
    assertThat(SlurmNodes.count("gpu:a100_3g.20gb:2,gpu:a100:6")).isEqualTo(8);
    assertThat(SlurmNodes.count("gres:gpu:h100:2")).isEqualTo(2);
    assertThat(SlurmNodes.count("gpu:h100:0(IDX:N/A)")).isZero();
    assertThat(SlurmNodes.count("")).isZero();
    assertThat(SlurmNodes.type("gpu:h100:8(S:0-1)")).isEqualTo("h100");
    assertThat(SlurmNodes.type("gpu:4")).isEmpty();
  }

  @Test
  void theNewestSupportedVersionIsUsed() throws Exception {
    assertThat(SlurmRest.newest(json(VERSIONS))).isEqualTo("v0.0.38");
  }

  @Test
  void serverWithOtherVersionsIsNamedWithThem() {
    assertThatThrownBy(() -> SlurmRest.newest(json("{\"paths\": {\"/slurm/v0.0.46/jobs/\": {}}}")))
        .hasMessageContainingAll("v0.0.46", "v0.0.38, v0.0.37");
  }

  private static SlurmClusterGateway gateway(FakeHttps server) {
    EgressPolicy egress = EgressPolicy.of("test", List.of("127.0.0.0/8"), FakeHosts.LOOKUP);
    Connection.Slurm connection =
        new Connection.Slurm(server.url(), server.caData(), "ml", new Secret("t"));
    SlurmRest rest = new SlurmRest(new SlurmHttps(connection, egress, Duration.ofSeconds(10)));
    return new SlurmClusterGateway("hall", rest, INSTALLATION, "ml");
  }

  private static String jobs(String list) {
    return "{\"errors\": [], \"jobs\": [%s], \"nodes\": [], \"partitions\": []}".formatted(list);
  }

  private static String record(String name, String state) {
    return "{\"name\": \"%s\", \"state\": {\"current\": \"%s\"}, \"nodes\": \"n1\", \"time\": {\"end\": 300}}"
        .formatted(name, state);
  }

  /** A slurmrestd with these jobs and this answer of the accounting. */
  private static FakeHttps slurm(AtomicReference<String> jobs, AtomicReference<String> records) {
    return new FakeHttps((exchange, number) -> {
      String path = exchange.getRequestURI().getPath();
      String list = path.startsWith("/slurmdb/") ? records.get() : jobs.get();
      boolean unknown = list.startsWith("Unable");
      FakeHttps.send(exchange, unknown ? 404 : 200, path.equals("/openapi/v3") ? VERSIONS : list);
    });
  }

  private static ObservedMember first(SlurmClusterGateway gateway) {
    return gateway.workloadsSince(0).workloads().get(ATTEMPT).member(FIRST).orElseThrow();
  }

  /** Fails when the end of a job that slurmctld has purged is unknown to Fairlead. */
  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        "COMPLETED, SUCCEEDED, -",
        "TIMEOUT, FAILED, DeadlineExceeded",
        "-, FAILED, NodeLost"
      })
  void endOfAPurgedJobIsReadFromAccounting(String recorded, MemberState expected, String reason) {
    AtomicReference<String> jobs = new AtomicReference<>(jobs(job("RUNNING", 0)));
    String records = recorded == null ? "" : record(ObjectNames.attempt(ATTEMPT), recorded);
    try (FakeHttps server = slurm(jobs, new AtomicReference<>(jobs(records)));
        SlurmClusterGateway gateway = gateway(server)) {
      gateway.read();
      jobs.set(jobs(""));
      gateway.read();

      ObservedMember ended = first(gateway);
      assertThat(ended.state()).isEqualTo(expected);
      assertThat(ended.reason()).isEqualTo(reason);
      assertThat(server.requests()).contains("GET /slurmdb/v0.0.38/job/7");
    }
  }

  /** Fails when a job counts as lost before any response states that it does not exist. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{\"jobs\": null, \"nodes\": [], \"partitions\": []}",
        "{\"errors\": [{\"error\": \"Busy\"}], \"jobs\": [], \"nodes\": [], \"partitions\": []}"
      })
  void unreadableListOfSlurmrestdEndsNoJob(String broken) {
    AtomicReference<String> jobs = new AtomicReference<>(jobs(job("RUNNING", 0)));
    try (FakeHttps server = slurm(jobs, new AtomicReference<>(jobs("")));
        SlurmClusterGateway gateway = gateway(server)) {
      gateway.read();
      jobs.set(broken);
      gateway.read();

      assertThat(first(gateway).state()).isEqualTo(MemberState.RUNNING);
      assertThat(gateway.contact().trouble()).contains("jobs");
    }
  }

  /** slurmrestd sends these answers while slurmdbd is down, or has not stored the end yet. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"errors\": [{\"error_number\": 7000, \"error\": \"Unable to connect to database\"}], \"jobs\": []}",
        "{}",
        "RUNNING"
      })
  void endOfAPurgedJobIsUnknownUntilAccountingHasIt(String answer) {
    String name = ObjectNames.attempt(ATTEMPT);
    AtomicReference<String> jobs = new AtomicReference<>(jobs(job("RUNNING", 0)));
    AtomicReference<String> records =
        new AtomicReference<>(answer.equals("RUNNING") ? jobs(record(name, answer)) : answer);
    try (FakeHttps server = slurm(jobs, records);
        SlurmClusterGateway gateway = gateway(server)) {
      gateway.read();
      jobs.set(jobs(""));
      gateway.read();

      assertThat(first(gateway).state()).isEqualTo(MemberState.RUNNING);
      assertThat(gateway.contact().trouble()).containsAnyOf("the end of a job", "runawayjobs");
      assertThat(gateway.contact().silentMillis()).isZero();

      records.set(jobs(record(name, "COMPLETED")));
      gateway.read();

      assertThat(first(gateway).state()).isEqualTo(MemberState.SUCCEEDED);
      assertThat(gateway.contact().trouble()).isNull();
    }
  }

  /** slurmrestd without the plugin of the accounting answers 404 with a text that is not JSON. */
  @Test
  void forgottenJobIsLostWithoutAccounting() {
    AtomicReference<String> jobs = new AtomicReference<>(jobs(job("RUNNING", 0)));
    AtomicReference<String> none =
        new AtomicReference<>(
            "Unable find requested URL. Please view /openapi/v3 for API reference.");
    try (FakeHttps server = slurm(jobs, none);
        SlurmClusterGateway gateway = gateway(server)) {
      gateway.read();
      jobs.set(jobs(""));
      gateway.read();

      assertThat(first(gateway).reason()).isEqualTo("NodeLost");
      assertThat(gateway.contact().trouble()).isNull();
    }
  }

  /** A slurmctld without its state numbers jobs from one, and all jobs have the same user. */
  @Test
  void aStopNeverCancelsAnotherJobWithTheNumberOfAForgottenOne() {
    String name = ObjectNames.attempt(ATTEMPT);
    String another = ObjectNames.attempt(new AttemptId(new UUID(5, 6)));
    AtomicReference<String> jobs = new AtomicReference<>(jobs(job("RUNNING", 0)));
    try (FakeHttps server = slurm(jobs, new AtomicReference<>(jobs(record(name, "RUNNING"))));
        SlurmClusterGateway gateway = gateway(server)) {
      assertThat(gateway.claim(2, 1)).isEqualTo(EpochClaim.OURS);
      gateway.read();
      jobs.set(jobs(job("RUNNING", 0).replace(name, another)));
      gateway.read();

      assertThat(
              gateway.apply(new WorkloadAction.Stop(ATTEMPT, "any", Duration.ZERO, List.of(FIRST))))
          .isInstanceOfSatisfying(
              ActionOutcome.Unavailable.class,
              answer -> assertThat(answer.message()).contains("no job 7 "));
      assertThat(server.requests()).noneMatch(request -> request.startsWith("DELETE"));
    }
  }

  /** Several clusters share a slurmdbd, and each counts its jobs from one. */
  @Test
  void theRecordOfAnotherJobWithTheSameNumberIsIgnored() {
    AtomicReference<String> jobs = new AtomicReference<>(jobs(job("RUNNING", 0)));
    String records =
        record("another", "COMPLETED") + "," + record(ObjectNames.attempt(ATTEMPT), "TIMEOUT");
    try (FakeHttps server = slurm(jobs, new AtomicReference<>(jobs(records)));
        SlurmClusterGateway gateway = gateway(server)) {
      gateway.read();
      jobs.set(jobs(""));
      gateway.read();

      assertThat(first(gateway).reason()).isEqualTo("DeadlineExceeded");
    }
  }

  /** Fails when a user's job with the name of an attempt makes the whole answer unreadable. */
  @ParameterizedTest
  @ValueSource(strings = {"worker=x", "worker=2000000", "worker", ""})
  void jobWithAForgedCommentIsForeign(String members) {
    String job = job("RUNNING", 0).replace("worker=2", members);

    assertThat(SlurmJob.of(json(job), INSTALLATION, "ml")).isEmpty();
  }

  @Test
  void aNodeWithAnImpossibleNumberOfGpusIsReportedWithAThousand() {
    JsonNode nodes = json("[{\"name\": \"n1\", \"gres\": \"gpu:h100:20000\"}]");

    assertThat(SlurmNodes.reports(nodes, List.of()).getFirst().gpus()).hasSize(1024);
  }

  /** Fails when two processes cancel one job of an attempt each, and so both. */
  @Test
  void onlyTheHolderOfTheClusterCancelsASecondJob() {
    String second = job("PENDING", 0).replace("\"job_id\": 7", "\"job_id\": 8");
    AtomicReference<String> jobs = new AtomicReference<>(jobs(job("RUNNING", 0) + "," + second));
    try (FakeHttps server = slurm(jobs, jobs);
        SlurmClusterGateway gateway = gateway(server)) {
      gateway.read();
      assertThat(server.requests()).noneMatch(request -> request.startsWith("DELETE"));

      assertThat(gateway.claim(2, 1)).isEqualTo(EpochClaim.OURS);
      gateway.read();
      assertThat(server.requests())
          .filteredOn(request -> request.startsWith("DELETE"))
          .containsExactly("DELETE /slurm/v0.0.38/job/8");
    }
  }

  /** Fails when a job that was reported as absent runs until its attempt is swept. */
  @Test
  void submissionThatArrivesAfterTheStopIsCancelledByTheNextPoll() {
    AtomicReference<String> jobs = new AtomicReference<>(jobs(""));
    try (FakeHttps server = slurm(jobs, jobs);
        SlurmClusterGateway gateway = gateway(server)) {
      assertThat(gateway.claim(2, 1)).isEqualTo(EpochClaim.OURS);
      assertThat(
              gateway.apply(new WorkloadAction.Stop(ATTEMPT, "any", Duration.ZERO, List.of(FIRST))))
          .isEqualTo(new ActionOutcome.Done(new TreeSet<>(List.of(FIRST))));

      jobs.set(jobs(job("RUNNING", 0)));
      gateway.read();

      assertThat(server.requests()).contains("DELETE /slurm/v0.0.38/job/7");
      assertThat(gateway.workloadsSince(0).workloads()).isEmpty();
    }
  }

  @Test
  void slurmctldOutageIsDistinguishedFromASlurmrestdOutage() {
    FakeHttps.Answer answer =
        (exchange, number) -> {
          boolean versions = exchange.getRequestURI().getPath().equals("/openapi/v3");
          FakeHttps.send(
              exchange,
              versions ? 200 : 500,
              versions
                  ? VERSIONS
                  : "{\"errors\": [{\"error\": \"Unable to contact slurm controller (connect failure)\"}]}");
        };
    try (FakeHttps server = new FakeHttps(answer);
        SlurmClusterGateway gateway = gateway(server)) {
      gateway.read();

      assertThat(gateway.contact().trouble()).contains("slurmctld does not", "connect failure");
    }
  }

  /** A slurmrestd that delays its list of jobs until the latch, if one is set. */
  private static FakeHttps slow(
      AtomicReference<String> jobs, AtomicReference<CountDownLatch> hold, CountDownLatch held) {
    return new FakeHttps((exchange, number) -> {
      String path = exchange.getRequestURI().getPath();
      String answer = path.endsWith("/submit") ? "{\"job_id\": 7}" : jobs.get();
      CountDownLatch until = hold.get();
      if (until != null && path.endsWith("/jobs")) {
        held.countDown();
        try {
          until.await();
        } catch (InterruptedException ended) {
          Thread.currentThread().interrupt();
        }
      }
      FakeHttps.send(exchange, 200, path.equals("/openapi/v3") ? VERSIONS : answer);
    });
  }

  /** Fails when a slow list of jobs delays a claim or a stop, and so the lease of the process. */
  @Test
  void aSlowReadingDelaysNoClaimAndNoStop() throws InterruptedException {
    AtomicReference<String> jobs = new AtomicReference<>(jobs(job("RUNNING", 0)));
    AtomicReference<CountDownLatch> hold = new AtomicReference<>();
    CountDownLatch held = new CountDownLatch(1);
    try (FakeHttps server = slow(jobs, hold, held);
        SlurmClusterGateway gateway = gateway(server)) {
      CountDownLatch until = new CountDownLatch(1);
      Thread reader = reading(gateway, hold, held, until);

      assertThat(gateway.claim(2, 2)).isEqualTo(EpochClaim.OURS);
      gateway.apply(new WorkloadAction.Stop(ATTEMPT, "any", Duration.ZERO, List.of(FIRST)));
      assertThat(server.requests()).contains("DELETE /slurm/v0.0.38/job/7");
      assertThat(reader.isAlive()).isTrue();

      until.countDown();
      reader.join();
    }
  }

  /** A second reading after the claim, which waits for its list of jobs until the latch opens. */
  private static Thread reading(
      SlurmClusterGateway gateway,
      AtomicReference<CountDownLatch> hold,
      CountDownLatch held,
      CountDownLatch until)
      throws InterruptedException {
    assertThat(gateway.claim(2, 1)).isEqualTo(EpochClaim.OURS);
    gateway.read();
    hold.set(until);
    Thread reader = Thread.ofVirtual().start(gateway::read);
    held.await();
    return reader;
  }

  private static LaunchOrder order(SlurmClusterGateway gateway) {
    JobSpec spec = Specs.job("late").run("true").build();
    JobSpec bare =
        spec.withRoles(
            spec.roles().stream().map(role -> role.withImage(RoleSpec.NO_IMAGE)).toList());
    return new LaunchOrders(new SeededIds(1), INSTALLATION, "slurm")
        .order(2, bare, gateway.inventory().nodes(), gateway.capabilities());
  }

  /** Fails when a job counts as lost because the reading began before its submission. */
  @Test
  void aJobSubmittedDuringAReadingIsNotMissed() throws InterruptedException {
    AtomicReference<String> jobs =
        new AtomicReference<>(
            "{\"jobs\": [], \"nodes\": [{\"name\": \"n1\", \"gres\": \"gpu:h100:2\", \"cpus\": 4, \"partitions\":"
                + " [\"all\"]}], \"partitions\": [{\"name\": \"all\"}]}");
    AtomicReference<CountDownLatch> hold = new AtomicReference<>();
    CountDownLatch held = new CountDownLatch(1);
    try (FakeHttps server = slow(jobs, hold, held);
        SlurmClusterGateway gateway = gateway(server)) {
      CountDownLatch until = new CountDownLatch(1);
      Thread reader = reading(gateway, hold, held, until);
      LaunchOrder order = order(gateway);
      assertThat(gateway.apply(new WorkloadAction.Launch(order.attempt().id(), order)))
          .isEqualTo(new ActionOutcome.Done(new TreeSet<>()));
      until.countDown();
      reader.join();

      assertThat(server.requests()).noneMatch(request -> request.contains("/slurmdb/"));
      gateway.read();
      assertThat(server.requests()).contains("GET /slurmdb/v0.0.38/job/7");
    }
  }
}
