package dev.fairlead.work.workload.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.sun.net.httpserver.HttpExchange;
import dev.fairlead.fleet.cluster.connection.PodDevices;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.workload.judgement.ObservedMember;
import dev.fairlead.work.workload.kubernetes.call.CallLimits;
import dev.fairlead.work.workload.kubernetes.call.ClusterCalls;
import dev.fairlead.work.workload.kubernetes.call.ClusterGates;
import dev.fairlead.work.workload.kubernetes.namespace.ObjectLabels;
import dev.fairlead.work.workload.kubernetes.node.NodeReports;
import dev.fairlead.work.workload.kubernetes.node.TopologyLevels;
import dev.fairlead.work.workload.kubernetes.pod.PodSpecs;
import dev.fairlead.work.workload.kubernetes.pod.VanishedPod;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** Fails when the absence of a pod from the label watch counts as its deletion. */
class VanishedPodsTest {
  private static final String PATCH = "PATCH";
  private static final Logger LOGGER = (Logger) LoggerFactory.getLogger(VanishedPods.class);
  private final AttemptId attempt = new AttemptId(new UUID(1, 2));
  private final MemberKey key = new MemberKey("worker", 0, 0);
  private final ClusterCalls calls =
      new ClusterGates(CallLimits.DEFAULT, FakeApiServer.PATIENCE, null).open("one");
  private final Queue<Runnable> later = new ArrayDeque<>();
  private final List<Duration> pauses = new ArrayList<>();
  private final VanishedPods vanished =
      new VanishedPods(
          Orders.INSTALLATION,
          calls,
          Runnable::run,
          (pause, task) -> {
            pauses.add(pause);
            later.add(task);
          });
  private final WorkloadIndex index = new WorkloadIndex(1);
  private final AtomicInteger patched = new AtomicInteger();
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();

  @BeforeEach
  void listen() {
    log.start();
    LOGGER.addAppender(log);
  }

  @AfterEach
  void close() {
    LOGGER.detachAppender(log);
    calls.close();
  }

  @Test
  void podWithChangedLabelsIsRelabelledAndNotGone() throws Exception {
    look("uid", labels());
    assertThat(patched).hasValue(1);
    assertThat(seen()).isTrue();
  }

  @Test
  void deletedPodIsGone() throws Exception {
    look(null, Map.of());
    assertThat(seen()).isFalse();
    assertThat(later).isEmpty();
  }

  @Test
  void foreignPodWithTheNameIsLeftAlone() throws Exception {
    look("another", Map.of());
    assertThat(seen()).isFalse();
    assertThat(patched).hasValue(0);
  }

  /** Fails when an unanswered lookup counts as the absence of the pod. */
  @ParameterizedTest
  @ValueSource(ints = {401, 403, 429, 500, 503})
  void podWhoseLookupFailsIsNotGoneAndIsLookedUpAgain(int code) throws Exception {
    AtomicInteger answers = new AtomicInteger();
    try (FakeApiServer server =
            new FakeApiServer((exchange, n) -> {
              boolean told = answers.incrementAndGet() > 1;
              FakeApiServer.send(
                  exchange, told ? 404 : code, FakeApiServer.status(told ? 404 : code, "Sorry"));
            });
        KubernetesClient client = server.client()) {
      vanished.through(client);
      lost();
      assertThat(seen()).isTrue();
      while (seen() && !later.isEmpty()) {
        later.remove().run();
      }
      assertThat(seen()).isFalse();
    }
  }

  /** Fails when a 404 of a proxy counts as the API server's proof that the pod does not exist. */
  @ParameterizedTest
  @ValueSource(strings = {"", "<html>404</html>", "{\"error\":\"no route\"}"})
  void notFoundByAProxyProvesNothing(String body) throws Exception {
    AtomicInteger answers = new AtomicInteger();
    try (FakeApiServer server =
            new FakeApiServer((exchange, n) ->
                FakeApiServer.send(
                    exchange,
                    404,
                    answers.incrementAndGet() > 1 ? FakeApiServer.status(404, "NotFound") : body));
        KubernetesClient client = server.client()) {
      vanished.through(client);
      lost();
      assertThat(seen()).isTrue();
      while (seen() && !later.isEmpty()) {
        later.remove().run();
      }
      assertThat(seen()).as("the API server said so").isFalse();
    }
  }

  /**
   * Fails when a response that is not a pod ends the lookup, or counts as the absence of the pod.
   */
  @ParameterizedTest
  @ValueSource(strings = {"{}", "{\"metadata\":{}}", "[]", "not JSON"})
  void responseWithoutAPodProvesNothing(String body) throws Exception {
    try (FakeApiServer server =
            new FakeApiServer((exchange, n) -> FakeApiServer.send(exchange, 200, body));
        KubernetesClient client = server.client()) {
      vanished.through(client);
      lost();
      assertThat(seen()).isTrue();
      later.remove().run();
    }
    assertThat(seen()).isTrue();
    assertThat(pauses).containsExactly(VanishedPods.FIRST_PAUSE, Duration.ofSeconds(2));
  }

  /**
   * Fails when the log does not contain, or repeats, the reason why the attempt of a pod remains.
   */
  @Test
  void podNeverLookedUpIsReportedOnceWithItsAttemptAndTheNextStep() throws Exception {
    try (FakeApiServer server =
            new FakeApiServer((exchange, n) ->
                FakeApiServer.send(exchange, 403, FakeApiServer.status(403, "Forbidden")));
        KubernetesClient client = server.client()) {
      vanished.through(client);
      lost();
      runLater(5);
      assertThat(said()).as("it may be over soon").isEmpty();
      runLater(5);
    }
    assertThat(said())
        .singleElement(STRING)
        .contains(attempt.text(), "cannot be looked up", "deploy/cluster.yaml");
  }

  /** Fails when attempts without an effect use up the retries of a pod. */
  @Test
  void failedRelabellingIsRetriedAndLogged() throws Exception {
    AtomicInteger refused = new AtomicInteger(2 * VanishedPods.MOST_RESTORED);
    try (FakeApiServer server =
            new FakeApiServer((exchange, n) -> {
              if (exchange.getRequestMethod().equals(PATCH) && refused.decrementAndGet() >= 0) {
                FakeApiServer.send(exchange, 403, FakeApiServer.status(403, "Forbidden"));
              } else {
                answer(exchange, "uid", labels());
              }
            });
        KubernetesClient client = server.client()) {
      vanished.through(client);
      lost();
      runLater(2 * VanishedPods.MOST_RESTORED);
    }
    assertThat(patched).hasValue(1);
    assertThat(said())
        .singleElement(STRING)
        .contains(attempt.text(), "labels", "deploy/cluster.yaml")
        .doesNotContain("looked up");
  }

  /**
   * Fails when calls that were not sent, for example because of an open circuit breaker, count as
   * an answer.
   */
  @Test
  void podIsNotGoneWhileNoCallIsSent() throws Exception {
    calls.holdBack(Duration.ofMinutes(1));
    look(null, Map.of());
    assertThat(seen()).isTrue();
    assertThat(later).hasSize(1);
  }

  /** Fails when the stored state of a pod is returned as observed by its cluster. */
  @Test
  void neverShownPodIsNotShownBeforeItWasRead() throws Exception {
    ClusterView view =
        new ClusterView(
            Orders.INSTALLATION,
            new NodeReports(new TopologyLevels(List.of()), Orders.INSTALLATION.label()),
            vanished,
            PodDevices.EXTENDED_RESOURCE,
            () -> {});
    view.missed(pod(key));
    view.missed(pod(key));
    assertThat(view.workloads().workload(attempt).empty()).isTrue();
    assertThat(later).as("one look-up").hasSize(1);
    try (FakeApiServer server = server("uid", Map.of());
        KubernetesClient client = server.client()) {
      vanished.through(client);
      later.remove().run();
    }
    assertThat(view.workloads().workload(attempt).member(key).orElseThrow().state())
        .isEqualTo(MemberState.SUCCEEDED);
    assertThat(vanished.gone("uid")).isFalse();
  }

  @Test
  void podIsLookedUpLaterWithoutAConnection() {
    lost();
    assertThat(seen()).isTrue();
    assertThat(later).hasSize(1);
  }

  /** Fails when the pauses between look-ups do not grow, or grow without end. */
  @Test
  void unansweredLookupsBecomeRare() {
    lost();
    for (int i = 0; i < 9; i++) {
      later.remove().run();
    }
    assertThat(pauses)
        .startsWith(VanishedPods.FIRST_PAUSE, Duration.ofSeconds(2), Duration.ofSeconds(4))
        .endsWith(VanishedPods.LONGEST_PAUSE, VanishedPods.LONGEST_PAUSE);
  }

  /** Fails when a pod counts as deleted because a cluster policy always changes its labels. */
  @Test
  void podThatKeepsLosingItsLabelsIsReadByNameAndPatchedAFewTimesOnly() throws Exception {
    try (FakeApiServer server = server("uid", Map.of());
        KubernetesClient client = server.client()) {
      vanished.through(client);
      lost();
      for (int i = 0; i < 2 * VanishedPods.MOST_RESTORED; i++) {
        later.remove().run();
      }
    }
    assertThat(patched).hasValue(VanishedPods.MOST_RESTORED);
    assertThat(seen()).isTrue();
  }

  /** Fails when the end of a pod is not read from its look-up: its job never ended. */
  @Test
  void endOfAPodWithoutLabelsIsSeen() throws Exception {
    look("uid", Map.of());
    assertThat(index.workload(attempt).member(key).orElseThrow().state())
        .isEqualTo(MemberState.SUCCEEDED);
  }

  @Test
  void podShownAgainByTheWatchIsNoLongerLookedUp() {
    lost();
    index.member(attempt, key, Optional.of(running()));
    later.remove().run();
    assertThat(later).isEmpty();
    assertThat(seen()).isTrue();
  }

  /** Fails when the pods of a deleted namespace use all concurrent calls of the cluster. */
  @Test
  void manyVanishedPodsAreLookedUpInSmallBatches() throws Exception {
    AtomicInteger now = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    int pods = 300;
    CountDownLatch gone = new CountDownLatch(pods);
    VanishedPods side =
        new VanishedPods(
            Orders.INSTALLATION, calls, Thread::startVirtualThread, (pause, task) -> {});
    try (FakeApiServer server =
            new FakeApiServer((exchange, n) -> {
              most.accumulateAndGet(now.incrementAndGet(), Math::max);
              FakeApiServer.send(exchange, 404, FakeApiServer.status(404, "NotFound"));
              now.decrementAndGet();
            });
        KubernetesClient client = server.client()) {
      side.through(client);
      for (int i = 0; i < pods; i++) {
        side.look(pod(new MemberKey("worker", i, 0)), counted(gone));
      }
      assertThat(gone.await(60, TimeUnit.SECONDS)).as("each is looked up").isTrue();
    }
    assertThat(most.get()).isLessThanOrEqualTo(VanishedPods.AT_ONCE);
  }

  private static VanishedPods.Asker counted(CountDownLatch gone) {
    return new VanishedPods.Asker() {
      @Override
      public boolean waits() {
        return true;
      }

      @Override
      public void found(ObservedMember now) {}

      @Override
      public void gone() {
        gone.countDown();
      }
    };
  }

  private void runLater(int times) {
    for (int i = 0; i < times; i++) {
      later.remove().run();
    }
  }

  private List<String> said() {
    return log.list.stream()
        .filter(line -> line.getLevel() == Level.WARN)
        .map(ILoggingEvent::getFormattedMessage)
        .toList();
  }

  private boolean seen() {
    return index.workload(attempt).member(key).isPresent();
  }

  /** The watch shows the pod and then loses it. */
  private void lost() {
    index.member(attempt, key, Optional.of(running()));
    long leave = index.left(attempt, key);
    vanished.look(
        pod(key),
        new VanishedPods.Asker() {
          @Override
          public boolean waits() {
            return index.missing(attempt, key, leave);
          }

          @Override
          public void found(ObservedMember now) {
            boolean _ = index.found(attempt, now, leave);
          }

          @Override
          public void gone() {
            assertThat(index.gone(attempt, key, leave)).isTrue();
          }
        });
  }

  private void look(String uid, Map<String, String> kept) throws Exception {
    try (FakeApiServer server = server(uid, kept);
        KubernetesClient client = server.client()) {
      vanished.through(client);
      lost();
    }
  }

  private FakeApiServer server(String uid, Map<String, String> kept) {
    return new FakeApiServer((exchange, n) -> answer(exchange, uid, kept));
  }

  private void answer(HttpExchange exchange, String uid, Map<String, String> kept)
      throws IOException {
    if (uid == null) {
      FakeApiServer.send(exchange, 404, FakeApiServer.status(404, "NotFound"));
      return;
    }
    boolean patch = exchange.getRequestMethod().equals(PATCH);
    if (patch) {
      patched.incrementAndGet();
    }
    FakeApiServer.send(exchange, 200, Serialization.asJson(ended(uid, patch ? kept : Map.of())));
  }

  private Map<String, String> labels() {
    return ObjectLabels.of(Orders.INSTALLATION, attempt, key);
  }

  private VanishedPod pod(MemberKey member) {
    return new VanishedPod("fairlead-nlp", attempt, member, "uid");
  }

  private ObservedMember running() {
    return ObservedMember.of(key, "uid", MemberState.RUNNING, "n").withStarted(true);
  }

  private Pod ended(String uid, Map<String, String> labels) {
    return new PodBuilder()
        .withNewMetadata()
        .withName(ObjectNames.pod(attempt, key))
        .withNamespace("fairlead-nlp")
        .withUid(uid)
        .withLabels(labels)
        .withFinalizers(ObjectLabels.TRACKING)
        .endMetadata()
        .withNewSpec()
        .withNodeName("n")
        .endSpec()
        .withNewStatus()
        .withPhase("Succeeded")
        .addNewContainerStatus()
        .withName(PodSpecs.CONTAINER)
        .withNewState()
        .withNewTerminated()
        .withExitCode(0)
        .endTerminated()
        .endState()
        .endContainerStatus()
        .endStatus()
        .build();
  }
}
