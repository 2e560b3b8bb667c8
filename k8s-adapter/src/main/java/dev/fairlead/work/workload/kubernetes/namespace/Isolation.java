package dev.fairlead.work.workload.kubernetes.namespace;

import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.people.tenant.Egress;
import dev.fairlead.people.tenant.EgressCidr;
import dev.fairlead.work.spec.RayPoolJob;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.LabelSelectorBuilder;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.networking.v1.IPBlock;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyBuilder;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyEgressRule;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyEgressRuleBuilder;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyIngressRule;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyIngressRuleBuilder;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyPeer;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyPeerBuilder;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyPort;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyPortBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Network policies. Only pods of the same gang can reach each other. Pods reach everything except
 * the credentials of their machine and the API server. If their project is strict, they reach only
 * DNS, their gang and the listed ranges.
 *
 * <p>The policies select by {@link ObjectLabels#NETWORK}, which pods of versions before these
 * policies lack. Each gang has its own policy, so that a missing policy opens the gang instead of
 * isolating it.
 */
public final class Isolation {
  public static final String ALONE = "fairlead-alone";
  public static final String EGRESS = "fairlead-egress";

  /** Addresses at which clouds expose the credentials of a machine to every process on it. */
  private static final String METADATA = "169.254.169.254/32";

  private static final String METADATA_6 = "fd00:ec2::254/128";

  /** Address of node-local DNS caches. */
  private static final String NODE_DNS = "169.254.20.10/32";

  /** Ports of services, and of pods behind them on OpenShift. Network plugins check either. */
  private static final List<Integer> DNS_PORTS = List.of(53, 5353);

  private static final int LAST_PORT = 65_535;

  private Isolation() {}

  /**
   * One address of the API server.
   *
   * @param address without a prefix length
   */
  public record Server(String address, int port) implements Comparable<Server> {
    private String cidr() {
      return address + (six() ? "/128" : "/32");
    }

    private boolean six() {
      return address.indexOf(':') >= 0;
    }

    @Override
    public int compareTo(Server other) {
      int byAddress = address.compareTo(other.address);
      return byAddress != 0 ? byAddress : Integer.compare(port, other.port);
    }
  }

  /**
   * The inputs of a namespace's policies.
   *
   * @param servers addresses of the API server, empty while unknown
   */
  public record Rules(SortedSet<Server> servers, Egress egress) {}

  /** Returns the policies of every project namespace. */
  public static List<NetworkPolicy> of(Installation installation, String namespace, Rules rules) {
    LabelSelector ours =
        new LabelSelectorBuilder()
            .addNewMatchExpression()
            .withKey(ObjectLabels.NETWORK)
            .withOperator("Exists")
            .endMatchExpression()
            .build();
    LabelSelector alone =
        new LabelSelectorBuilder()
            .withMatchLabels(Map.of(ObjectLabels.NETWORK, ObjectLabels.ALONE))
            .build();
    return List.of(
        new NetworkPolicyBuilder()
            .withMetadata(ServerSideApply.meta(installation, namespace, ALONE))
            .withNewSpec()
            .withPodSelector(alone)
            .withPolicyTypes("Ingress")
            .endSpec()
            .build(),
        new NetworkPolicyBuilder()
            .withMetadata(ServerSideApply.meta(installation, namespace, EGRESS))
            .withNewSpec()
            .withPodSelector(ours)
            .withEgress(
                rules.egress().strict()
                    ? strict(rules.servers(), rules.egress().cidrs())
                    : egress(rules.servers()))
            .withPolicyTypes("Egress")
            .endSpec()
            .build());
  }

  /**
   * Returns the policy of one gang, in which its members reach each other. A growing gang may have
   * members of an earlier version, which retain their network rules.
   *
   * @param rayCluster name of the gang as a Ray cluster of a pool, so that its drivers reach its
   *     head, null for another gang
   */
  public static NetworkPolicy gang(
      ObjectMeta meta, Map<String, String> members, @Nullable String rayCluster) {
    LabelSelector all = new LabelSelectorBuilder().withMatchLabels(members).build();
    LabelSelector closed =
        new LabelSelectorBuilder(all)
            .addToMatchLabels(ObjectLabels.NETWORK, ObjectLabels.GANG)
            .build();
    List<NetworkPolicyIngressRule> ingress = new ArrayList<>();
    ingress.add(
        new NetworkPolicyIngressRuleBuilder()
            .withFrom(new NetworkPolicyPeerBuilder().withPodSelector(all).build())
            .build());
    if (rayCluster != null) {
      LabelSelector drivers =
          new LabelSelectorBuilder().withMatchLabels(Map.of(RayPoolJob.DRIVER, rayCluster)).build();
      ingress.add(
          new NetworkPolicyIngressRuleBuilder()
              .withFrom(new NetworkPolicyPeerBuilder().withPodSelector(drivers).build())
              .withPorts(
                  new NetworkPolicyPortBuilder()
                      .withProtocol("TCP")
                      .withPort(new IntOrString(RayPoolJob.PORT))
                      .build())
              .build());
    }
    return new NetworkPolicyBuilder()
        .withMetadata(meta)
        .withNewSpec()
        .withPodSelector(closed)
        .withIngress(ingress)
        .withPolicyTypes("Ingress")
        .endSpec()
        .build();
  }

  /**
   * Returns whether both policies have the same effect, ignoring the addresses of the API server.
   */
  static boolean sameButServers(NetworkPolicy there, NetworkPolicy wanted) {
    return ServerSideApply.same(withoutServers(there), withoutServers(wanted));
  }

  private static NetworkPolicy withoutServers(NetworkPolicy policy) {
    List<NetworkPolicyEgressRule> rules =
        policy.getSpec().getEgress().stream()
            .filter(rule -> !otherPorts(rule))
            .map(rule ->
                new NetworkPolicyEgressRuleBuilder(rule)
                    .withTo(rule.getTo().stream().map(Isolation::withoutServers).toList())
                    .build())
            .toList();
    return new NetworkPolicyBuilder(policy).editSpec().withEgress(rules).endSpec().build();
  }

  private static NetworkPolicyPeer withoutServers(NetworkPolicyPeer peer) {
    IPBlock block = peer.getIpBlock();
    return block == null
        ? peer
        : peer(
            block.getCidr(),
            block.getExcept().stream().filter(List.of(METADATA, METADATA_6)::contains).toList());
  }

  /** Returns whether the rule opens other ports at an address of the API server. */
  private static boolean otherPorts(NetworkPolicyEgressRule rule) {
    return !rule.getPorts().isEmpty()
        && rule.getTo().size() == 1
        && Optional.ofNullable(rule.getTo().getFirst().getIpBlock())
            .filter(block -> block.getCidr().endsWith("/32") || block.getCidr().endsWith("/128"))
            .isPresent();
  }

  private static List<NetworkPolicyEgressRule> egress(SortedSet<Server> servers) {
    List<String> four = new ArrayList<>(List.of(METADATA));
    List<String> six = new ArrayList<>(List.of(METADATA_6));
    SortedMap<String, SortedSet<Integer>> ports = new TreeMap<>();
    for (Server server : servers) {
      if (ports.computeIfAbsent(server.cidr(), key -> new TreeSet<>()).isEmpty()) {
        (server.six() ? six : four).add(server.cidr());
      }
      ports.get(server.cidr()).add(server.port());
    }
    List<NetworkPolicyEgressRule> rules = new ArrayList<>();
    rules.add( // some network plugins match pods only by selectors, never by address
        new NetworkPolicyEgressRuleBuilder()
            .addNewTo()
            .withNewNamespaceSelector()
            .endNamespaceSelector()
            .endTo()
            .addToTo(peer("0.0.0.0/0", four), peer("::/0", six))
            .build());
    ports.forEach((cidr, taken) ->
        rules.add(
            new NetworkPolicyEgressRuleBuilder()
                .addToTo(peer(cidr, List.of()))
                .withPorts(otherPorts(taken))
                .build()));
    return rules;
  }

  /**
   * Allows DNS anywhere in the cluster, members of gangs, which admit only their own members, and
   * the listed ranges.
   */
  private static List<NetworkPolicyEgressRule> strict(
      SortedSet<Server> servers, List<String> listed) {
    List<NetworkPolicyEgressRule> rules = new ArrayList<>();
    rules.add(
        new NetworkPolicyEgressRuleBuilder()
            .addNewTo()
            .withNewNamespaceSelector()
            .endNamespaceSelector()
            .endTo()
            .addToTo(peer(NODE_DNS, List.of()))
            .withPorts(
                DNS_PORTS.stream()
                    .flatMap(port ->
                        Stream.of("TCP", "UDP").map(protocol -> range(protocol, port, port)))
                    .toList())
            .build());
    rules.add(
        new NetworkPolicyEgressRuleBuilder()
            .addNewTo()
            .withNewPodSelector()
            .addToMatchLabels(ObjectLabels.NETWORK, ObjectLabels.GANG)
            .endPodSelector()
            .endTo()
            .build());
    List<NetworkPolicyPeer> peers =
        listed.stream().flatMap(cidr -> listed(cidr, servers).stream()).toList();
    if (!peers.isEmpty()) { // no peer at all would mean every peer
      rules.add(new NetworkPolicyEgressRuleBuilder().withTo(peers).build());
    }
    return rules;
  }

  /**
   * Returns a range without the addresses that are closed to every project. The result is empty if
   * nothing remains.
   */
  private static Optional<NetworkPolicyPeer> listed(String cidr, SortedSet<Server> servers) {
    EgressCidr open = EgressCidr.parse(cidr).orElseThrow();
    List<String> closed =
        Stream.concat(Stream.of(METADATA, METADATA_6), servers.stream().map(Server::cidr))
            .distinct()
            .filter(one -> EgressCidr.parse(one).filter(open::holds).isPresent())
            .toList();
    boolean none = closed.stream().anyMatch(one -> EgressCidr.parse(one).orElseThrow().holds(open));
    return none ? Optional.empty() : Optional.of(peer(cidr, closed));
  }

  private static NetworkPolicyPeer peer(String cidr, List<String> except) {
    return new NetworkPolicyPeerBuilder().withIpBlock(new IPBlock(cidr, except)).build();
  }

  /**
   * Returns the other ports of the API server's machine, which may serve something else. Rules add
   * up, so an address has one rule for all of them.
   */
  private static List<NetworkPolicyPort> otherPorts(SortedSet<Integer> taken) {
    List<NetworkPolicyPort> ports = new ArrayList<>();
    int first = 1;
    for (int port : taken) {
      if (first < port) {
        ports.add(range("TCP", first, port - 1));
      }
      first = port + 1;
    }
    if (first <= LAST_PORT) {
      ports.add(range("TCP", first, LAST_PORT));
    }
    ports.add(range("UDP", 1, LAST_PORT));
    return ports;
  }

  private static NetworkPolicyPort range(String protocol, int first, int last) {
    return new NetworkPolicyPortBuilder()
        .withProtocol(protocol)
        .withPort(new IntOrString(first))
        .withEndPort(last)
        .build();
  }
}
