package dev.fairlead.work.workload.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.work.spec.PriorityClass;
import dev.fairlead.work.workload.ActionOutcome;
import dev.fairlead.work.workload.LaunchOrder;
import dev.fairlead.work.workload.kubernetes.call.CallFailure;
import dev.fairlead.work.workload.kubernetes.call.CallLimits;
import dev.fairlead.work.workload.kubernetes.call.ClusterCalls;
import dev.fairlead.work.workload.kubernetes.call.ClusterGates;
import dev.fairlead.work.workload.kubernetes.call.InFlight;
import dev.fairlead.work.workload.kubernetes.namespace.ClusterOfferings;
import dev.fairlead.work.workload.kubernetes.namespace.NamespaceIsolation;
import dev.fairlead.work.workload.kubernetes.namespace.Namespaces;
import dev.fairlead.work.workload.kubernetes.pod.ManifestFactory;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The known state after each answer to a create, including lost answers. */
class ObjectCreatorTest {
  private static final Pod WANTED = wanted();
  private static final String NAME = "fairlead-nlp/" + WANTED.getMetadata().getName();
  private static final Duration SHORT = Duration.ofSeconds(2);
  private final AtomicLong nanos = new AtomicLong();
  private final InFlight inFlight = new InFlight(nanos::get);
  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private final ClusterCalls calls =
      new ClusterGates(CallLimits.DEFAULT, FakeApiServer.PATIENCE, meters).open("one");

  @AfterEach
  void close() {
    calls.close();
  }

  @Test
  void createWithALostResponseIsResolvedByReading() throws Exception {
    String there = Serialization.asJson(withUid("uid-1"));
    try (FakeApiServer server =
        new FakeApiServer((exchange, n) -> {
          if (n == 0) {
            return;
          }
          FakeApiServer.send(exchange, 200, there);
        })) {
      Creation<Pod> creation = create(server);
      assertThat(creation).isInstanceOf(Creation.Ours.class);
      assertThat(((Creation.Ours<Pod>) creation).object().getMetadata().getUid())
          .isEqualTo("uid-1");
      assertThat(server.requests())
          .extracting(r -> r.substring(0, 4))
          .containsExactly("POST", "GET ");
      assertThat(inFlight.open(NAME)).isFalse();
    }
  }

  @Test
  void pendingCreateReservesItsNameUntilNoServerProcessesIt() throws Exception {
    try (FakeApiServer server =
        new FakeApiServer((exchange, n) -> {
          if (n > 0) {
            FakeApiServer.send(exchange, 404, FakeApiServer.status(404, "NotFound"));
          }
        })) {
      assertThat(create(server, SHORT))
          .isInstanceOfSatisfying(
              Creation.Not.class,
              not -> assertThat(not.why()).isInstanceOf(ActionOutcome.Unavailable.class));
      assertThat(inFlight.open(NAME)).isTrue();
      // A second try that certainly had no effect proves nothing about the first.
      inFlight.resolved(NAME, inFlight.sending(NAME));
      assertThat(inFlight.open(NAME)).isTrue();
      nanos.set(Duration.ofSeconds(66).toNanos());
      assertThat(inFlight.open(NAME)).isFalse();
    }
  }

  @Test
  void existingNameIsAdoptedOnlyIfItIsOurs() throws Exception {
    Pod foreign =
        new PodBuilder(withUid("x"))
            .editMetadata()
            .addToLabels("fairlead.dev/index", "9")
            .withFinalizers(List.of())
            .endMetadata()
            .build();
    try (FakeApiServer server = taken(withUid("uid-2"));
        FakeApiServer other = taken(foreign)) {
      assertThat(create(server)).isInstanceOf(Creation.Ours.class);
      assertThat(((Creation.Not<Pod>) create(other)).why())
          .isInstanceOfSatisfying(
              ActionOutcome.Refused.class,
              refused -> assertThat(refused.why()).isEqualTo(ActionOutcome.Why.NAME_TAKEN));
      assertThat(other.requests()).noneMatch(r -> r.startsWith("DELETE") || r.startsWith("PUT"));
    }
  }

  @Test
  void rejectionsAreDistinguishedFromClusterFailures() throws Exception {
    assertThat(outcome(422, "Invalid", "told so")).isEqualTo("INVALID");
    // Rules of one cluster are not the job's fault.
    assertThat(outcome(403, "Forbidden", "violates PodSecurity")).isEqualTo("DENIED");
    assertThat(outcome(422, "Invalid", "ValidatingAdmissionPolicy 'x' with binding 'y' denied"))
        .isEqualTo("DENIED");
    // A permission that Fairlead lacks is a task for the operator, not a failure of the job.
    assertThat(outcome(403, "Forbidden", "User x cannot create resource pods"))
        .isEqualTo("NOT_NOW");
    assertThat(outcome(403, "Forbidden", "exceeded quota: q")).isEqualTo("NOT_NOW");
    assertThat(outcome(500, "InternalError", "failed calling webhook x")).isEqualTo("NOT_NOW");
    // Objects that every pod needs are created again before the next try.
    assertThat(outcome(403, "Forbidden", "error looking up service account a/b: not found"))
        .isEqualTo("Unavailable");
    assertThat(outcome(403, "Forbidden", "no PriorityClass with name fairlead-high was found"))
        .isEqualTo("Unavailable");
    assertThat(outcome(429, "TooManyRequests", "later")).isEqualTo("Unavailable");
    assertThat(outcome(401, "Unauthorized", "who")).isEqualTo("Unavailable");
    assertThat(outcome(404, "NotFound", "namespace is gone")).isEqualTo("Unavailable");
  }

  /**
   * Fails when the answer of a proxy that may have passed the create on is mistaken for certain.
   */
  @ParameterizedTest
  @CsvSource({"503, true", "408, true", "403, false", "400, false"})
  void onlyAnApiServerResponseProvesThatACreateFailed(int code, boolean own) throws Exception {
    String body = own ? FakeApiServer.status(code, "Told") : "upstream connect error or reset";
    try (FakeApiServer server =
        new FakeApiServer((exchange, n) ->
            FakeApiServer.send(
                exchange,
                n == 0 ? code : 404,
                n == 0 ? body : FakeApiServer.status(404, "NotFound")))) {
      assertThat(create(server)).isInstanceOf(Creation.Not.class);
      assertThat(inFlight.open(NAME)).isTrue();
    }
  }

  /** Fails when a service account that was removed is missing until the process starts again. */
  @Test
  void ambiguousRejectionIsCheckedAndRetried() throws Exception {
    try (FakeApiServer server =
            new FakeApiServer((exchange, n) -> {
              boolean pod = exchange.getRequestURI().getPath().endsWith("/pods");
              FakeApiServer.send(
                  exchange,
                  pod ? 403 : 200,
                  pod
                      ? FakeApiServer.status(403, "Forbidden")
                      : "{\"metadata\":{\"name\":\"there\"}}");
            });
        KubernetesClient client = server.client()) {
      Namespaces namespaces =
          new Namespaces(
              Orders.INSTALLATION,
              calls,
              new NamespaceIsolation(Orders.INSTALLATION, calls, System::nanoTime),
              nanos::get);
      namespaces.ensure(client, "fairlead-nlp", Orders.PROJECT);
      namespaces.ensure(client, "fairlead-nlp", Orders.PROJECT);
      assertThat(looks(server)).isOne();
      Creation<Pod> refused =
          new ObjectCreator(
                  calls,
                  namespaces,
                  new ClusterOfferings(calls, ClusterSettings.DEFAULT, nanos::get),
                  inFlight)
              .create(client, WANTED);
      assertThat(refused).isInstanceOf(Creation.Not.class);
      namespaces.ensure(client, "fairlead-nlp", Orders.PROJECT);
      assertThat(looks(server)).isEqualTo(2);
      nanos.set(Duration.ofMinutes(6).toNanos());
      namespaces.ensure(client, "fairlead-nlp", Orders.PROJECT);
      assertThat(looks(server)).as("and after a while anyway").isEqualTo(3);
    }
  }

  private static long looks(FakeApiServer server) {
    return server.requests().stream()
        .filter(r -> r.startsWith("GET /api/v1/namespaces/fairlead-nlp/serviceaccounts/"))
        .count();
  }

  /** Fails when a removed priority class counts as present until its next check. */
  @Test
  void missingPriorityClassIsCheckedAgainAndOmitted() throws Exception {
    AtomicBoolean there = new AtomicBoolean(true);
    try (FakeApiServer server =
            new FakeApiServer((exchange, n) -> {
              String path = exchange.getRequestURI().getPath();
              String missing =
                  FakeApiServer.status(403, "Forbidden")
                      .replace("told so", "no PriorityClass with name fairlead-high was found");
              boolean pods = path.endsWith("/fairlead-nlp/pods");
              boolean classes = path.endsWith("/priorityclasses") && there.get();
              FakeApiServer.send(
                  exchange,
                  pods ? 403 : 200,
                  pods ? missing : LyingApiServer.list("", classes ? priorityClasses() : ""));
            });
        KubernetesClient client = server.client()) {
      ClusterOfferings survey = new ClusterOfferings(calls, ClusterSettings.DEFAULT, nanos::get);
      survey.refresh(client);
      assertThat(survey.findings().priorityClasses()).isTrue();
      there.set(false);
      survey.refresh(client);
      assertThat(survey.findings().priorityClasses()).as("not asked again yet").isTrue();

      Namespaces namespaces =
          new Namespaces(
              Orders.INSTALLATION,
              calls,
              new NamespaceIsolation(Orders.INSTALLATION, calls, System::nanoTime),
              nanos::get);
      assertThat(new ObjectCreator(calls, namespaces, survey, inFlight).create(client, WANTED))
          .isInstanceOf(Creation.Not.class);
      survey.refresh(client);

      assertThat(survey.findings().priorityClasses()).isFalse();
    }
  }

  private static String priorityClasses() {
    return Arrays.stream(PriorityClass.values())
        .map(of -> "{\"metadata\":{\"name\":\"" + ClusterOfferings.priorityClass(of) + "\"}}")
        .collect(Collectors.joining(","));
  }

  /** Fails when a pod of ours is mistaken for a foreign one because its labels were changed. */
  @Test
  void ourPodWithChangedLabelsIsRelabelled() throws Exception {
    Pod changed =
        new PodBuilder(withUid("uid-3"))
            .editMetadata()
            .addToLabels("fairlead.dev/index", "9")
            .endMetadata()
            .build();
    try (FakeApiServer server =
        new FakeApiServer((exchange, n) -> {
          boolean created = exchange.getRequestMethod().equals("POST");
          Pod answer = exchange.getRequestMethod().equals("PATCH") ? withUid("uid-3") : changed;
          FakeApiServer.send(exchange, created ? 201 : 200, Serialization.asJson(answer));
        })) {
      Creation<Pod> creation = create(server);
      assertThat(((Creation.Ours<Pod>) creation).object().getMetadata().getLabels())
          .containsEntry("fairlead.dev/index", "0");
      assertThat(server.requests()).extracting(r -> r.split(" ")[0]).contains("POST", "PATCH");
    }
  }

  @Test
  void failingClusterIsSkippedForAWhile() throws Exception {
    try (FakeApiServer server =
            new FakeApiServer((exchange, n) -> FakeApiServer.send(exchange, 500, "{}"));
        KubernetesClient client = server.client()) {
      for (int i = 0; i < 20; i++) {
        assertThatThrownBy(
                () -> calls.read(() -> client.pods().inNamespace("a").withName("b").get()))
            .isInstanceOf(CallFailure.class);
      }
      int asked = server.requests().size();
      assertThat(calls.open()).isTrue();
      assertThatThrownBy(() -> calls.read(() -> client.pods().inNamespace("a").withName("b").get()))
          .isInstanceOfSatisfying(
              CallFailure.class,
              f -> assertThat(f.effect()).isEqualTo(CallFailure.Effect.NOT_SENT));
      assertThat(server.requests()).hasSize(asked);
      assertThat(
              meters
                  .get("resilience4j.circuitbreaker.state")
                  .tag("name", "one")
                  .tag("state", "open")
                  .gauge()
                  .value())
          .isEqualTo(1);
    }
  }

  /**
   * Fails when a pod is created without its Secret, or a launch waits for an object that cannot
   * appear.
   */
  @Test
  void unreadableSecretExistsOnlyByAServerConflict() throws Exception {
    Optional<String> all = Optional.empty();
    assertThat(secret(409, "AlreadyExists", "told so", all)).isEqualTo("Done");
    assertThat(secret(409, "Conflict", "on resourcequotas: modified", all))
        .as("a quota that was written at the same time")
        .isEqualTo("Unavailable");
    assertThat(secret(500, "InternalError", "etcdserver: request is too large", all))
        .isEqualTo("INVALID");
    Optional<String> lacking = Optional.of("a key is gone");
    assertThat(secret(409, "AlreadyExists", "told so", lacking)).isEqualTo("Done");
    assertThat(secret(201, "", "told so", lacking)).isEqualTo("INVALID");
  }

  private String secret(int code, String reason, String message, Optional<String> lacking)
      throws Exception {
    LaunchOrder order = Orders.secrets();
    Secret wanted = ManifestFactory.secret(order, ManifestFactory.anchor(order));
    String body =
        code == 201
            ? Serialization.asJson(wanted)
            : FakeApiServer.status(code, reason).replace("told so", message);
    Namespaces namespaces =
        new Namespaces(
            Orders.INSTALLATION,
            calls,
            new NamespaceIsolation(Orders.INSTALLATION, calls, System::nanoTime),
            System::nanoTime);
    try (FakeApiServer server =
            new FakeApiServer((exchange, n) -> FakeApiServer.send(exchange, code, body));
        KubernetesClient client = server.client()) {
      ActionOutcome outcome =
          new ObjectCreator(
                  calls,
                  namespaces,
                  new ClusterOfferings(calls, ClusterSettings.DEFAULT, nanos::get),
                  inFlight)
              .createSecret(client, wanted, lacking);
      assertThat(server.requests())
          .allSatisfy(
              request -> assertThat(request.contains("dryRun")).isEqualTo(lacking.isPresent()));
      return name(outcome);
    }
  }

  private static String name(ActionOutcome outcome) {
    return switch (outcome) {
      case ActionOutcome.Refused refused -> refused.why().name();
      case ActionOutcome.Unavailable away -> "Unavailable";
      case ActionOutcome.Done done -> "Done";
      case ActionOutcome.Deposed deposed -> "Deposed";
    };
  }

  private String outcome(int code, String reason, String message) throws Exception {
    String body = FakeApiServer.status(code, reason).replace("told so", message);
    try (FakeApiServer server =
        new FakeApiServer((exchange, n) -> FakeApiServer.send(exchange, code, body))) {
      return name(((Creation.Not<Pod>) create(server)).why());
    }
  }

  private Creation<Pod> create(FakeApiServer server) throws Exception {
    return create(server, Duration.ofSeconds(10));
  }

  private Creation<Pod> create(FakeApiServer server, Duration patience) throws Exception {
    Namespaces namespaces =
        new Namespaces(
            Orders.INSTALLATION,
            calls,
            new NamespaceIsolation(Orders.INSTALLATION, calls, System::nanoTime),
            System::nanoTime);
    try (KubernetesClient client = server.client(patience)) {
      return new ObjectCreator(
              calls,
              namespaces,
              new ClusterOfferings(calls, ClusterSettings.DEFAULT, nanos::get),
              inFlight)
          .create(client, WANTED);
    }
  }

  private static FakeApiServer taken(Pod there) {
    return new FakeApiServer((exchange, n) -> {
      if (n == 0) {
        FakeApiServer.send(exchange, 409, FakeApiServer.status(409, "AlreadyExists"));
      } else {
        FakeApiServer.send(exchange, 200, Serialization.asJson(there));
      }
    });
  }

  private static Pod wanted() {
    var order = Orders.single();
    return ManifestFactory.pod(
        order, order.attempt().members().getFirst(), null, ClusterSettings.DEFAULT, null);
  }

  private static Pod withUid(String uid) {
    return new PodBuilder(WANTED).editMetadata().withUid(uid).endMetadata().build();
  }
}
