package dev.fairlead.work.workload.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.fairlead.fleet.cluster.IsolationFeature;
import dev.fairlead.people.tenant.Egress;
import dev.fairlead.work.workload.NamespacePlan;
import dev.fairlead.work.workload.kubernetes.namespace.Isolation;
import dev.fairlead.work.workload.kubernetes.namespace.NamespaceIsolation;
import dev.fairlead.work.workload.kubernetes.namespace.NamespaceReconciler;
import dev.fairlead.work.workload.kubernetes.namespace.ObjectLabels;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyPort;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Network policies and their timing, on an API server in memory. */
class NamespaceIsolationTest extends NamespaceIsolationScene {

  private static final List<NamespacePlan> STRICT =
      List.of(new NamespacePlan(PROJECT, Egress.strict(List.of("0.0.0.0/0", "10.1.0.0/16"))));

  /** Fails when a process overwrites a policy before its first read. */
  @Test
  void firstLaunchOfAProcessDoesNotOverwriteTheEgressPolicy() {
    launch(isolation());
    NetworkPolicy made = stored.get(Isolation.EGRESS);
    assertThat(made.toString()).contains("10.0.0.1/32");

    launch(isolation());
    address = "";
    NamespaceIsolation blind = isolation();
    launch(blind);

    assertThat(stored.get(Isolation.EGRESS)).isEqualTo(made);
    assertThat(writes()).isEqualTo(2);
    assertThat(blind.trouble().get(IsolationFeature.NETWORK)).contains("EndpointSlice");

    stored.clear();
    launch(blind);
    stored.put(Isolation.EGRESS, made);
    look(blind);
    assertThat(stored.get(Isolation.EGRESS))
        .as("what it wrote itself it puts back")
        .isNotEqualTo(made);
  }

  /** Fails when a process that does not know where the API server is leaves an open policy. */
  @Test
  void strictProjectIsIsolatedEvenIfTheApiServerAddressIsUnknown() {
    launch(isolation());
    NetworkPolicy open = stored.get(Isolation.EGRESS);
    address = "";
    NamespaceIsolation blind = isolation();
    blind.plans().all(STRICT);
    launch(blind);
    assertThat(stored.get(Isolation.EGRESS).getSpec()).isNotEqualTo(open.getSpec());

    address = "10.0.0.1";
    look(blind);
    NetworkPolicy strict = stored.get(Isolation.EGRESS);
    assertThat(strict.toString()).contains("10.0.0.1/32");
    address = "";
    NamespaceIsolation again = isolation();
    again.plans().all(STRICT);
    launch(again);
    assertThat(stored.get(Isolation.EGRESS)).as("it knows less").isEqualTo(strict);
  }

  /** Fails when a failure drops or hides the change, or permits a launch before it. */
  @Test
  void unisolatedNamespaceIsRetriedUntilItIsIsolated() {
    NamespaceIsolation isolation = isolation();
    launch(isolation);
    NetworkPolicy open = stored.get(Isolation.EGRESS);
    NamespaceReconciler upkeep =
        new NamespaceReconciler(
            Orders.INSTALLATION, calls, namespaces(isolation), isolation, Set::of);
    isolation.plans().all(STRICT);
    silent = PROJECT;
    upkeep.follow(client);
    assertThat(isolation.trouble().get(IsolationFeature.NETWORK)).contains("HTTP 500");
    assertThat(isolation.plans().one(STRICT.getFirst())).as("a launch builds it first").isTrue();

    silent = "";
    upkeep.follow(client);
    assertThat(stored.get(Isolation.EGRESS).getSpec()).isNotEqualTo(open.getSpec());
    assertThat(isolation.trouble()).isEmpty();
    assertThat(isolation.plans().one(STRICT.getFirst())).isFalse();
  }

  /** Fails when a process writes an open policy before it knows the plan of a strict project. */
  @Test
  void missingPolicyIsNotWrittenUntilThePlanIsKnown() {
    NamespaceIsolation isolation = isolation();
    NamespaceReconciler upkeep = acting(isolation);
    upkeep.look(client);
    stored.clear();
    upkeep.acts(2L);
    upkeep.look(client);
    assertThat(stored).as("another process may have closed it").containsOnlyKeys(Isolation.ALONE);

    isolation.plans().all(STRICT);
    upkeep.follow(client);
    assertThat(stored.get(Isolation.EGRESS).toString()).contains("10.1.0.0/16");
  }

  /** Fails when an API server that removes its address opens the namespaces to all. */
  @Test
  void apiServerAddressesRemainUntilOthersAreReported() {
    NamespaceIsolation isolation = isolation();
    launch(isolation);
    address = "";
    look(isolation);
    assertThat(stored.get(Isolation.EGRESS).toString()).contains("10.0.0.1/32");
    assertThat(isolation.trouble()).isEmpty();

    address = "10.0.0.2";
    look(isolation);

    assertThat(stored.get(Isolation.EGRESS).toString()).contains("10.0.0.2/32");
    assertThat(repairs()).as("no policy was changed").isZero();
    stored.remove(Isolation.EGRESS);
    look(isolation);
    assertThat(repairs()).isOne();
  }

  /** Fails when a good launch hides another open gang, or only a launch ends the trouble. */
  @Test
  void gangWithoutPolicyIsReportedUntilAllGangsOfItsNamespaceHaveOne() {
    NamespaceIsolation isolation = isolation();
    isolation.gangOpen(gang(), "a webhook denies it");
    look(isolation);
    isolation.gangClosed(gang());
    assertThat(isolation.trouble().get(IsolationFeature.NETWORK)).contains("gang");

    acting(isolation).look(client);
    assertThat(isolation.trouble()).isEmpty();

    isolation.gangOpen(gang(), "a webhook denies it");
    namespaces = List.of(OTHER);
    look(isolation);
    assertThat(isolation.trouble()).as("that namespace is gone").isEmpty();
  }

  /** Fails when the new policy removes the access of a member that an earlier version started. */
  @Test
  void gangPolicySelectsMembersThatWereStartedWithIt() {
    var spec = gang().getSpec();
    assertThat(spec.getPodSelector().getMatchLabels())
        .isEqualTo(Map.of("attempt", "a", ObjectLabels.NETWORK, ObjectLabels.GANG));
    assertThat(spec.getIngress().getFirst().getFrom().getFirst().getPodSelector().getMatchLabels())
        .isEqualTo(Map.of("attempt", "a"));
  }

  /** Fails when the rule of one port opens the other. */
  @Test
  void onePortRuleDoesNotOpenAnotherPort() {
    var servers =
        new TreeSet<>(
            List.of(new Isolation.Server("10.0.0.1", 6443), new Isolation.Server("10.0.0.1", 443)));
    List<NetworkPolicyPort> open =
        Isolation.of(Orders.INSTALLATION, PROJECT, new Isolation.Rules(servers, Egress.OPEN))
            .getLast()
            .getSpec()
            .getEgress()
            .stream()
            .flatMap(rule -> rule.getPorts().stream())
            .toList();
    assertThat(open)
        .extracting(
            NetworkPolicyPort::getProtocol,
            port -> port.getPort().getIntVal(),
            NetworkPolicyPort::getEndPort)
        .containsExactly(
            tuple("TCP", 1, 442),
            tuple("TCP", 444, 6442),
            tuple("TCP", 6444, 65_535),
            tuple("UDP", 1, 65_535));
  }

  private long writes() {
    return server.requests().stream()
        .filter(request -> request.contains(POLICIES) && !request.startsWith("GET"))
        .count();
  }
}
