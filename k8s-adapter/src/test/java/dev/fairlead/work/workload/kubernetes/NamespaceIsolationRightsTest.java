package dev.fairlead.work.workload.kubernetes;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.fleet.cluster.IsolationFeature;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.workload.kubernetes.call.InFlight;
import dev.fairlead.work.workload.kubernetes.namespace.ClusterOfferings;
import dev.fairlead.work.workload.kubernetes.namespace.FenceProbe;
import dev.fairlead.work.workload.kubernetes.namespace.NamespaceIsolation;
import dev.fairlead.work.workload.kubernetes.namespace.NamespaceReconciler;
import dev.fairlead.work.workload.kubernetes.namespace.Namespaces;
import dev.fairlead.work.workload.kubernetes.namespace.ObjectLabels;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Namespaces that refuse, do not answer or lack a right while their isolation is written. */
class NamespaceIsolationRightsTest extends NamespaceIsolationScene {

  private static final String QUOTA =
      "/api/v1/namespaces/fairlead-ends/resourcequotas/fairlead-quota";
  private static final String IN_FORCE =
      "{\"metadata\":{\"name\":\"fairlead-quota\",\"namespace\":\"fairlead-ends\"},\"spec\":{},"
          + "\"status\":{\"hard\":{\"requests.nvidia.com/gpu\":\"1\"}}}";
  private static final AttemptId ATTEMPT = new AttemptId(new UUID(7, 7));

  /** Fails when one namespace that cannot be written ends the pass for all others. */
  @Test
  void namespaceThatRejectsItsPoliciesBlocksNoOther() {
    namespaces = List.of(PROJECT, OTHER);
    denied = PROJECT;
    members = member(1);
    NamespaceIsolation isolation = isolation();
    NamespaceReconciler upkeep = acting(isolation);
    upkeep.look(client);
    String policy = ObjectNames.attempt(ATTEMPT);
    assertThat(stored).as("by a member that is not the first").containsKey(policy);
    assertThat(accounts()).hasSize(2);
    assertThat(isolation.trouble().get(IsolationFeature.NETWORK)).contains("denied the request");
    assertThat(repairs()).as("it was never there").isZero();

    stored.remove(policy);
    denied = "";
    upkeep.look(client);
    assertThat(stored).containsKey(policy);
    assertThat(isolation.trouble()).isEmpty();
    assertThat(repairs()).isOne();
  }

  /** Fails when the missing answer of one namespace is hidden, or forgotten by the next pass. */
  @Test
  void unresponsiveNamespaceIsDegradedUntilItResponds() {
    namespaces = IntStream.range(0, 250).mapToObj("fairlead-%03d"::formatted).toList();
    silent = namespaces.getFirst();
    NamespaceIsolation isolation = isolation();
    NamespaceReconciler upkeep = acting(isolation);
    upkeep.look(client);
    assertThat(accounts()).as("the others of its turn").hasSize(100);
    upkeep.look(client);
    assertThat(isolation.trouble().get(IsolationFeature.NETWORK)).contains("HTTP 500");
    assertThat(isolation.trouble().get(IsolationFeature.POD_SECURITY))
        .startsWith("service account ");
    assertThat(upkeep.isolation(FenceProbe.Finding.UNKNOWN, ClusterOfferings.Findings.NONE))
        .as("what was tried besides")
        .anyMatch(feature ->
            feature.name().equals(IsolationFeature.SCOPE)
                && !"not tried yet".equals(feature.reason()));

    silent = "";
    upkeep.look(client);
    assertThat(isolation.trouble()).isEmpty();
  }

  /**
   * Fails when a deleted namespace is retried forever, or hides the results of other namespaces.
   */
  @Test
  void deletedNamespaceReportsNoQuota() {
    NamespaceReconciler upkeep = acting(isolation());
    namespaces = List.of(ENDS);
    bounds.put(QUOTA, IN_FORCE);
    upkeep.look(client);
    assertThat(quota(upkeep)).as("it is tried").contains(ENDS + " takes more than its quota");

    bounds.put(QUOTA, IN_FORCE);
    ending = true;
    upkeep.look(client);
    assertThat(quota(upkeep)).satisfies(reason("namespace-isolation.namespace-project-one-force"));

    bounds.put(QUOTA, IN_FORCE);
    ending = false;
    upkeep.look(client);
    namespaces = List.of(PROJECT);
    upkeep.look(client);
    assertThat(quota(upkeep)).satisfies(reason("namespace-isolation.namespace-project-one-force"));
  }

  private static String quota(NamespaceReconciler upkeep) {
    return upkeep.isolation(FenceProbe.Finding.UNKNOWN, ClusterOfferings.Findings.NONE).stream()
        .filter(feature -> feature.name().equals(IsolationFeature.QUOTA))
        .map(feature -> String.valueOf(feature.reason()))
        .findFirst()
        .orElseThrow();
  }

  private static String member(int index) {
    SortedMap<String, String> labels =
        ObjectLabels.of(Orders.INSTALLATION, ATTEMPT, new MemberKey("worker", index, 0));
    return Serialization.asJson(
        new PodBuilder()
            .withNewMetadata()
            .withName("member")
            .withNamespace(OTHER)
            .withLabels(labels)
            .endMetadata()
            .build());
  }

  /**
   * Fails when each gang repeats the call, and each refusal causes another check of its namespace.
   */
  @Test
  void missingRightIsCheckedOnce() {
    mayWrite = false;
    NamespaceIsolation isolation = isolation();
    Namespaces namespaces = namespaces(isolation);
    assertThat(namespaces.ensure(client, PROJECT, Orders.PROJECT)).isNull();
    assertThat(isolation.refused()).isTrue();
    assertThat(isolation.trouble())
        .containsEntry(IsolationFeature.NETWORK, NamespaceIsolation.NO_RIGHT);

    int asked = server.requests().size();
    ObjectCreator creator =
        new ObjectCreator(
            calls,
            namespaces,
            new ClusterOfferings(calls, ClusterSettings.DEFAULT, () -> 0),
            new InFlight(() -> 0));
    assertThat(creator.create(client, gang())).isInstanceOf(Creation.Not.class);
    assertThat(namespaces.ensure(client, PROJECT, Orders.PROJECT)).isNull();
    assertThat(server.requests()).as("the create alone").hasSize(asked + 1);

    mayWrite = true;
    look(isolation);
    assertThat(isolation.refused()).isFalse();
  }

  /** Fails when one refusal leaves every gang open until the namespaces are checked. */
  @Test
  void missingRightIsCachedForThirtySeconds() {
    mayWrite = false;
    NamespaceIsolation isolation = isolation();
    launch(isolation);
    nanos.addAndGet(Duration.ofSeconds(29).toNanos());
    assertThat(isolation.refused()).isTrue();
    nanos.addAndGet(Duration.ofSeconds(1).toNanos());
    assertThat(isolation.refused()).as("the next gang tries").isFalse();

    isolation.gangRefused(gang(), "no right");
    assertThat(isolation.refused()).as("and it still is").isTrue();
    nanos.addAndGet(Duration.ofSeconds(30).toNanos());
    isolation.gangClosed(gang());
    isolation.gangRefused(gang(), "a webhook denies it");
    assertThat(isolation.refused()).as("a refusal of another kind").isFalse();
  }

  /**
   * Fails when where the API server was is remembered from an earlier term, or forgotten in one.
   */
  @Test
  void newTermStartsWithoutState() {
    NamespaceIsolation isolation = isolation();
    NamespaceReconciler upkeep =
        new NamespaceReconciler(
            Orders.INSTALLATION, calls, namespaces(isolation), isolation, Set::of);
    upkeep.acts(1L);
    upkeep.look(client);
    address = "";
    upkeep.acts(null);
    upkeep.acts(1L);
    upkeep.look(client);
    assertThat(isolation.trouble()).isEmpty();

    upkeep.acts(2L);
    upkeep.look(client);
    assertThat(isolation.trouble().get(IsolationFeature.NETWORK)).contains("EndpointSlice");
  }

  /**
   * Fails when the number of calls in a pass grows with the namespaces, or each pass starts with
   * the same namespaces.
   */
  @Test
  void accountsOfManyNamespacesAreCheckedInTurns() {
    namespaces = IntStream.range(0, 250).mapToObj("fairlead-%03d"::formatted).toList();
    NamespaceIsolation isolation = isolation();
    NamespaceReconciler upkeep =
        new NamespaceReconciler(
            Orders.INSTALLATION, calls, namespaces(isolation), isolation, Set::of);
    upkeep.acts(1L);

    upkeep.look(client);
    assertThat(accounts()).hasSize(100);
    upkeep.look(client);
    assertThat(accounts()).hasSize(200).doesNotHaveDuplicates();
    upkeep.look(client);
    assertThat(new TreeSet<>(accounts())).hasSize(250);
  }

  private List<String> accounts() {
    return server.requests().stream()
        .filter(request -> request.contains("/serviceaccounts/"))
        .toList();
  }
}
