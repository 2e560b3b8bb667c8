package dev.fairlead.work.workload.kubernetes;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.fleet.cluster.connection.PodDevices;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.workload.ActionOutcome;
import dev.fairlead.work.workload.LaunchOrder;
import dev.fairlead.work.workload.WorkloadAction;
import dev.fairlead.work.workload.judgement.ObservedMember;
import dev.fairlead.work.workload.judgement.ObservedMember.Held;
import dev.fairlead.work.workload.kubernetes.call.CallFailure;
import dev.fairlead.work.workload.kubernetes.call.CallLimits;
import dev.fairlead.work.workload.kubernetes.call.ClusterCalls;
import dev.fairlead.work.workload.kubernetes.call.ClusterGates;
import dev.fairlead.work.workload.kubernetes.call.InFlight;
import dev.fairlead.work.workload.kubernetes.namespace.ObjectLabels;
import dev.fairlead.work.workload.kubernetes.node.NodeReports;
import dev.fairlead.work.workload.kubernetes.node.TopologyLevels;
import dev.fairlead.work.workload.kubernetes.pod.ManifestFactory;
import dev.fairlead.work.workload.kubernetes.pod.PodSpecs;
import io.fabric8.kubernetes.api.model.ContainerStateBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Calls that end a pod. */
class AttemptTerminatorTest {
  private static final String PATCHED = "PATCH";
  private static final String DELETED = "DELETE";
  private final LaunchOrder order = Orders.single();
  private final Attempt attempt = order.attempt();
  private final MemberKey key = MemberKey.of(attempt.members().getFirst());
  private final ClusterCalls calls =
      new ClusterGates(CallLimits.DEFAULT, FakeApiServer.PATIENCE, null).open("one");
  private final ClusterView view =
      new ClusterView(
          Orders.INSTALLATION,
          new NodeReports(new TopologyLevels(List.of()), Orders.INSTALLATION.label()),
          new VanishedPods(Orders.INSTALLATION, calls, Runnable::run, (pause, task) -> {}),
          PodDevices.EXTENDED_RESOURCE,
          () -> {});
  private final AttemptTerminator ending =
      new AttemptTerminator(Orders.INSTALLATION, view, calls, new InFlight(System::nanoTime));
  private final CheckpointAnnotations checkpoints = new CheckpointAnnotations(view, calls);

  @AfterEach
  void close() {
    calls.close();
  }

  /** Fails when the pod is deleted without its mark: the end of its job would be an eviction. */
  @Test
  void podWithOnlySidecarsRunningIsMarkedAndThenDeleted() throws Exception {
    shows(MemberState.FAILED, false, Held.SIDECARS);
    assertThat(stop(200)).containsSubsequence(PATCHED, DELETED);
    assertThat(stop(409)).as("it changed meanwhile").contains(PATCHED).doesNotContain(DELETED);
  }

  /** Fails when a pod that another client deleted with a long grace period keeps that one. */
  @Test
  void podDeletedByAnotherClientGetsTheOrderedGracePeriodOnce() throws Exception {
    shows(MemberState.RUNNING, true, Held.NOTHING);
    assertThat(stop(200)).containsExactly(DELETED);
    assertThat(stop(200)).isEmpty();
    shows(MemberState.SUCCEEDED, true, Held.NOTHING);
    assertThat(stop(200)).isEmpty();
  }

  /**
   * Fails when a pod that its kubelet refused is not deleted: its earlier container would continue.
   */
  @Test
  void failedPodWithoutAnEndIsDeletedAndOneWithAnEndIsNot() throws Exception {
    shows(key, MemberState.FAILED, false, false, Held.NOTHING);
    assertThat(stop(200)).containsExactly(DELETED);
    shows(key, MemberState.FAILED, true, true, Held.NOTHING);
    assertThat(stop(200)).isEmpty();
  }

  /** Fails when a pod whose labels were changed is not found: its cancel never ended. */
  @Test
  void podHiddenByChangedLabelsIsRelabelledAndDeleted() throws Exception {
    assertThat(stop(200, ObjectLabels.TRACKING)).containsSubsequence(PATCHED, DELETED);
    assertThat(stop(200, "of.a/stranger")).isEmpty();
  }

  /** Fails when pods of a large gang are searched only by their labels. */
  @Test
  void podOfALargeGangWithChangedLabelsIsReleasedToo() throws Exception {
    List<MemberKey> members =
        IntStream.range(0, 9).mapToObj(i -> new MemberKey("worker", i, 0)).toList();
    String changed = ObjectNames.pod(attempt.id(), members.get(8));
    String labelled = Serialization.asJson(pod(ObjectNames.pod(attempt.id(), key)));
    try (FakeApiServer server =
            new FakeApiServer((exchange, n) -> {
              String path = exchange.getRequestURI().getPath();
              boolean there = path.endsWith(changed);
              if (path.endsWith("/pods")) {
                String list = "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"items\":[%s]}";
                FakeApiServer.send(exchange, 200, list.formatted(labelled));
              } else if (there) {
                FakeApiServer.send(exchange, 200, Serialization.asJson(pod(changed)));
              } else {
                boolean read = exchange.getRequestMethod().equals("GET");
                String gone = FakeApiServer.status(404, "NotFound");
                FakeApiServer.send(exchange, read ? 404 : 200, read ? gone : labelled);
              }
            });
        KubernetesClient client = server.client()) {
      ending.retire(
          client,
          new WorkloadAction.Retire(
              attempt.id(),
              order.project().namespace(),
              members,
              new TreeSet<>(members.subList(1, 8))));
      assertThat(server.requests())
          .filteredOn(request -> request.contains(changed))
          .extracting(request -> request.split(" ")[0])
          .containsExactly("GET", DELETED, PATCHED);
      assertThat(server.requests())
          .as("members that were never created are not read one by one")
          .filteredOn(request -> request.startsWith("GET") && request.contains("/pods"))
          .hasSizeLessThanOrEqualTo(3);
    }
  }

  /** Fails when a large gang is listed in one page: the response would exceed the limit. */
  @Test
  void gangOfTheLargestPodsIsCleanedUp() throws Exception {
    List<MemberKey> members =
        IntStream.range(0, 200).mapToObj(i -> new MemberKey("worker", i, 0)).toList();
    try (FakeApiServer server =
            new FakeApiServer((exchange, n) -> {
              String path = exchange.getRequestURI().getPath();
              if (path.endsWith("/pods")) {
                FakePages.send(exchange, members.size(), i -> large(members.get(i)));
              } else if (exchange.getRequestMethod().equals("GET")) {
                FakeApiServer.send(exchange, 404, FakeApiServer.status(404, "NotFound"));
              } else {
                FakeApiServer.send(exchange, 200, Serialization.asJson(pod("gone")));
              }
            });
        KubernetesClient client = server.client()) {
      WorkloadAction.Retire retire =
          new WorkloadAction.Retire(
              attempt.id(), order.project().namespace(), members, new TreeSet<>());
      assertThat(ending.retire(client, retire)).isInstanceOf(ActionOutcome.Done.class);
      assertThat(server.requests().stream().filter(request -> request.startsWith(PATCHED)))
          .as("finalizers taken off")
          .hasSize(200);
    }
  }

  private String large(MemberKey member) {
    Pod pod = labelled(ObjectNames.pod(attempt.id(), member), member);
    pod.getMetadata().setAnnotations(Map.of("large", "&".repeat(400_000)));
    return Serialization.asJson(pod);
  }

  /** Fails when an attempt remains forever because Fairlead may not remove its Secret. */
  @Test
  void undeletableSecretIsLeftToItsOwner() throws Exception {
    LaunchOrder keeps = Orders.secrets();
    String anchor = Serialization.asJson(ManifestFactory.anchor(keeps));
    try (FakeApiServer server =
            new FakeApiServer((exchange, n) -> {
              String path = exchange.getRequestURI().getPath();
              boolean secret = path.contains("/secrets/");
              boolean there = path.contains("/configmaps/");
              FakeApiServer.send(
                  exchange,
                  secret ? 403 : there ? 200 : 404,
                  there
                      ? anchor
                      : FakeApiServer.status(
                          secret ? 403 : 404, secret ? "Forbidden" : "NotFound"));
            });
        KubernetesClient client = server.client()) {
      ActionOutcome outcome =
          ending.retire(
              client,
              new WorkloadAction.Retire(
                  keeps.attempt().id(),
                  keeps.project().namespace(),
                  List.of(MemberKey.of(keeps.attempt().members().getFirst())),
                  new TreeSet<>()));
      assertThat(outcome).isInstanceOf(ActionOutcome.Done.class);
      assertThat(server.requests()).anyMatch(r -> r.startsWith(DELETED) && r.contains("/secrets/"));
    }
  }

  /** Fails when a stop of a partly created gang reads all of its missing members in one pass. */
  @Test
  void aStopLooksUpABoundedNumberOfMissingMembersAtATime() throws Exception {
    List<MemberKey> members =
        IntStream.range(0, 300).mapToObj(i -> new MemberKey("worker", i, 0)).toList();
    try (FakeApiServer server =
            new FakeApiServer((exchange, n) ->
                FakeApiServer.send(exchange, 404, FakeApiServer.status(404, "NotFound")));
        KubernetesClient client = server.client()) {
      List<MemberKey> left = new ArrayList<>(members);
      for (int turn = 1; turn <= 3; turn++) {
        ActionOutcome outcome =
            ending.stop(
                client,
                new WorkloadAction.Remove(
                    attempt.id(), order.project().namespace(), Duration.ofSeconds(30), left));
        left.removeAll(((ActionOutcome.Done) outcome).absent());
        assertThat(server.requests()).hasSize(Math.min(300, turn * 128));
      }
      assertThat(left).isEmpty();
    }
  }

  /** Fails when each call looks up the same members: the other members would never be stopped. */
  @Test
  void stopContinuesPastMembersThatDoNotEnd() throws Exception {
    List<MemberKey> members =
        IntStream.range(0, 300).mapToObj(i -> new MemberKey("worker", i, 0)).toList();
    try (FakeApiServer server =
            new FakeApiServer((exchange, n) -> {
              String path = exchange.getRequestURI().getPath();
              String name = path.substring(path.lastIndexOf('/') + 1);
              int index = Integer.parseInt(name.replaceAll(".*worker-([0-9]+)-0", "$1"));
              Pod living = labelled(name, new MemberKey("worker", index, 0));
              FakeApiServer.send(exchange, 200, Serialization.asJson(living));
            });
        KubernetesClient client = server.client()) {
      for (int call = 0; call < 3; call++) {
        ending.stop(
            client,
            new WorkloadAction.Remove(
                attempt.id(), order.project().namespace(), Duration.ofSeconds(30), members));
      }
      assertThat(server.requests().stream().filter(request -> request.startsWith(DELETED)))
          .extracting(request -> request.replaceAll(".*/", ""))
          .containsAll(members.stream().map(key -> ObjectNames.pod(attempt.id(), key)).toList());
    }
  }

  /** Fails when an unanswered call makes the next one look up all members again. */
  @Test
  void cleanupOfALargeGangContinuesAfterAFailedCall() throws Exception {
    List<MemberKey> members =
        IntStream.range(0, 300).mapToObj(i -> new MemberKey("worker", i, 0)).toList();
    String listed = ObjectNames.pod(attempt.id(), members.get(299));
    AtomicInteger reads = new AtomicInteger();
    try (FakeApiServer server =
            new FakeApiServer((exchange, n) -> {
              String path = exchange.getRequestURI().getPath();
              if (path.endsWith("/pods")) {
                String list = "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"items\":[%s]}";
                FakeApiServer.send(
                    exchange,
                    200,
                    list.formatted(Serialization.asJson(labelled(listed, members.get(299)))));
              } else if (exchange.getRequestMethod().equals("GET")) {
                boolean fails = reads.incrementAndGet() == 100;
                FakeApiServer.send(
                    exchange, fails ? 500 : 404, FakeApiServer.status(fails ? 500 : 404, "told"));
              } else {
                FakeApiServer.send(
                    exchange, 200, Serialization.asJson(labelled(listed, members.get(299))));
              }
            });
        KubernetesClient client = server.client()) {
      WorkloadAction.Retire retire =
          new WorkloadAction.Retire(
              attempt.id(), order.project().namespace(), members, new TreeSet<>());
      assertThatThrownBy(() -> ending.retire(client, retire)).isInstanceOf(CallFailure.class);
      assertThat(server.requests())
          .as("what the list shows is released before any look-up can fail")
          .anyMatch(request -> request.startsWith(DELETED) && request.contains(listed));
      assertThat(ending.retire(client, retire)).isInstanceOf(ActionOutcome.Unavailable.class);
      assertThat(reads).as("a call looks up a bounded number").hasValue(100 + 128);
      assertThat(ending.retire(client, retire)).isInstanceOf(ActionOutcome.Done.class);
      assertThat(server.requests())
          .filteredOn(request -> request.startsWith("GET") && request.contains("/pods/"))
          .as("the one that was not answered is the only one that is looked up twice")
          .hasSize(299 + 1);
    }
  }

  /**
   * Fails when one pod that refuses its annotation, or a large gang, delays all others of a pass.
   */
  @Test
  void largeGangIsAskedInBatchesAndOnePodDelaysNone() throws Exception {
    List<MemberKey> members =
        IntStream.range(0, 200).mapToObj(i -> new MemberKey("worker", i, 0)).toList();
    members.forEach(member -> shows(member, MemberState.RUNNING, false, Held.NOTHING));
    String refuses = ObjectNames.pod(attempt.id(), members.get(5));
    String has = ObjectNames.pod(attempt.id(), members.get(6));
    AtomicBoolean refused = new AtomicBoolean(true);
    try (FakeApiServer server =
            new FakeApiServer((exchange, n) -> {
              String path = exchange.getRequestURI().getPath();
              String name = path.substring(path.lastIndexOf('/') + 1);
              boolean read = exchange.getRequestMethod().equals("GET");
              if (!read && name.equals(refuses) && refused.getAndSet(false)) {
                FakeApiServer.send(exchange, 403, FakeApiServer.status(403, "Forbidden"));
              } else {
                MemberKey asked =
                    members.stream()
                        .filter(member -> ObjectNames.pod(attempt.id(), member).equals(name))
                        .findFirst()
                        .orElseThrow();
                FakeApiServer.send(
                    exchange, 200, Serialization.asJson(running(asked, name.equals(has))));
              }
            });
        KubernetesClient client = server.client()) {
      WorkloadAction.Ask ask =
          new WorkloadAction.Ask(attempt.id(), order.project().namespace(), members, Instant.EPOCH);
      assertThatThrownBy(() -> checkpoints.ask(client, ask)).isInstanceOf(CallFailure.class);
      assertThat(patches(server)).as("all but one of the first ones").hasSize(128 - 1);
      assertThat(checkpoints.ask(client, ask)).isInstanceOf(ActionOutcome.Done.class);
      assertThat(patches(server)).as("none twice but the one that was refused").hasSize(200);
      assertThat(patches(server)).noneMatch(request -> request.endsWith("/" + has));
      assertThat(server.requests()).hasSize(201 + 200);
    }
  }

  private static List<String> patches(FakeApiServer server) {
    return server.requests().stream().filter(request -> request.startsWith(PATCHED)).toList();
  }

  private Pod running(MemberKey member, boolean marked) {
    Pod labelled = labelled(ObjectNames.pod(attempt.id(), member), member);
    return new PodBuilder(container("running", 7))
        .editMetadata()
        .withName(labelled.getMetadata().getName())
        .withLabels(labelled.getMetadata().getLabels())
        .withAnnotations(
            marked ? Map.of(ObjectNames.CHECKPOINT, Instant.EPOCH.toString()) : Map.of())
        .endMetadata()
        .build();
  }

  /** Fails when the mark follows a stale view: finished work would be repeated. */
  @Test
  void podWhoseContainerHasEndedMeanwhileIsNotAsked() throws Exception {
    shows(MemberState.RUNNING, false, Held.NOTHING);
    assertThat(asked(List.of("running"))).isEqualTo("Done GET PATCH 7");
    assertThat(asked(List.of("terminated"))).isEqualTo("Done GET");
    assertThat(asked(List.of("running", "terminated")))
        .as("it ended between read and patch")
        .isEqualTo("Done GET PATCH 7 GET");
    assertThat(asked(List.of("running", "running", "running", "running")))
        .as("once more in a later turn")
        .isEqualTo("Unavailable GET PATCH 7 GET PATCH 8 GET PATCH 9");
  }

  /**
   * The outcome of the request, and the calls, with the version of patches.
   *
   * @param states state of the container in each read. All patches except the last conflict
   */
  private String asked(List<String> states) throws Exception {
    AtomicInteger reads = new AtomicInteger();
    List<String> made = new ArrayList<>();
    try (FakeApiServer server =
            new FakeApiServer((exchange, n) -> {
              boolean read = exchange.getRequestMethod().equals("GET");
              int now = read ? reads.getAndIncrement() : reads.get() - 1;
              String body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
              made.add(
                  read ? "GET" : PATCHED + body.replaceAll(".*resourceVersion\":\"(.).*", " $1"));
              boolean conflict = !read && now < states.size() - 1;
              FakeApiServer.send(
                  exchange,
                  conflict ? 409 : 200,
                  conflict
                      ? FakeApiServer.status(409, "Conflict")
                      : Serialization.asJson(container(states.get(now), 7 + now)));
            });
        KubernetesClient client = server.client()) {
      ActionOutcome outcome =
          checkpoints.ask(
              client,
              new WorkloadAction.Ask(
                  attempt.id(), order.project().namespace(), List.of(key), Instant.EPOCH));
      return outcome.getClass().getSimpleName() + " " + String.join(" ", made);
    }
  }

  private Pod container(String state, int version) {
    ContainerStateBuilder now = new ContainerStateBuilder();
    if (state.equals("running")) {
      now.withNewRunning().endRunning();
    } else {
      now.withNewTerminated().withExitCode(0).endTerminated();
    }
    Pod pod = labelled(ObjectNames.pod(attempt.id(), key), key);
    pod.getMetadata().setUid("uid");
    pod.getMetadata().setResourceVersion(Integer.toString(version));
    return new PodBuilder(pod)
        .withNewStatus()
        .withPhase("Running")
        .addNewContainerStatus()
        .withName(PodSpecs.CONTAINER)
        .withState(now.build())
        .endContainerStatus()
        .endStatus()
        .build();
  }

  private Pod labelled(String name, MemberKey member) {
    return new PodBuilder(pod(name))
        .editMetadata()
        .withLabels(ObjectLabels.of(Orders.INSTALLATION, attempt.id(), member))
        .endMetadata()
        .build();
  }

  private static Pod pod(String name) {
    return new PodBuilder()
        .withNewMetadata()
        .withName(name)
        .withNamespace("fairlead-nlp")
        .withUid("uid-" + name)
        .withFinalizers(ObjectLabels.TRACKING)
        .endMetadata()
        .build();
  }

  private void shows(MemberState state, boolean deleting, Held held) {
    shows(key, state, deleting, held);
  }

  private void shows(MemberKey member, MemberState state, boolean deleting, Held held) {
    shows(member, state, true, deleting, held);
  }

  private void shows(
      MemberKey member, MemberState state, boolean started, boolean deleting, Held held) {
    var begun = ObservedMember.of(member, "uid", state, "gpu-0").withStarted(started);
    var seen = Optional.of(begun.withDeleting(deleting).withHeld(held));
    assertThat(view.workloads().member(attempt.id(), member, seen)).isTrue();
  }

  /** The verbs of the calls, without reads. */
  private List<String> stop(int patched) throws Exception {
    return stop(patched, "none/at-all");
  }

  private List<String> stop(int patched, String finalizer) throws Exception {
    var pod =
        new PodBuilder()
            .withNewMetadata()
            .withName(ObjectNames.pod(attempt.id(), key))
            .withNamespace("fairlead-nlp")
            .withUid("uid")
            .withResourceVersion("7")
            .withFinalizers(finalizer)
            .endMetadata()
            .build();
    try (FakeApiServer server =
            new FakeApiServer((exchange, n) -> {
              boolean refused = exchange.getRequestMethod().equals(PATCHED) && patched != 200;
              FakeApiServer.send(
                  exchange,
                  refused ? patched : 200,
                  refused ? FakeApiServer.status(patched, "Conflict") : Serialization.asJson(pod));
            });
        KubernetesClient client = server.client()) {
      ending.stop(
          client,
          new WorkloadAction.Remove(
              attempt.id(), order.project().namespace(), Duration.ofSeconds(30), List.of(key)));
      return server.requests().stream()
          .flatMap(request -> Stream.of(request.split(" ")[0]))
          .filter(verb -> !verb.equals("GET"))
          .toList();
    }
  }
}
