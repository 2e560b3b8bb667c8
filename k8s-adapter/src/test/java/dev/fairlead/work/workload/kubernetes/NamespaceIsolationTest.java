package dev.fairlead.work.workload.kubernetes;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.sun.net.httpserver.HttpExchange;
import dev.fairlead.fleet.cluster.IsolationFeature;
import dev.fairlead.people.tenant.Egress;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.workload.NamespacePlan;
import dev.fairlead.work.workload.kubernetes.call.CallLimits;
import dev.fairlead.work.workload.kubernetes.call.ClusterCalls;
import dev.fairlead.work.workload.kubernetes.call.ClusterGates;
import dev.fairlead.work.workload.kubernetes.call.InFlight;
import dev.fairlead.work.workload.kubernetes.namespace.ClusterOfferings;
import dev.fairlead.work.workload.kubernetes.namespace.FenceProbe;
import dev.fairlead.work.workload.kubernetes.namespace.Isolation;
import dev.fairlead.work.workload.kubernetes.namespace.NamespaceIsolation;
import dev.fairlead.work.workload.kubernetes.namespace.NamespaceReconciler;
import dev.fairlead.work.workload.kubernetes.namespace.Namespaces;
import dev.fairlead.work.workload.kubernetes.namespace.ObjectLabels;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyPort;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is written as network policies, and when; in an API server that keeps them in memory. */
class NamespaceIsolationTest {
  private static final String PROJECT = "fairlead-nlp";
  private static final String OTHER = "fairlead-other";
  private static final String ENDS = "fairlead-ends";
  private static final String QUOTA =
      "/api/v1/namespaces/fairlead-ends/resourcequotas/fairlead-quota";
  private static final String IN_FORCE =
      "{\"metadata\":{\"name\":\"fairlead-quota\",\"namespace\":\"fairlead-ends\"},\"spec\":{},"
          + "\"status\":{\"hard\":{\"requests.nvidia.com/gpu\":\"1\"}}}";
  private static final AttemptId ATTEMPT = new AttemptId(new UUID(7, 7));
  private static final String POLICIES = "/networkpolicies";
  private static final String ACCOUNT =
      "{\"metadata\":{\"name\":\"there\",\"labels\":{\"%s\":\"%s\"}},\"automountServiceAccountToken\":false}"
          .formatted(ObjectLabels.INSTALLATION, Orders.INSTALLATION.label());
  private static final List<NamespacePlan> STRICT =
      List.of(new NamespacePlan(PROJECT, Egress.strict(List.of("0.0.0.0/0", "10.1.0.0/16"))));
  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private final ClusterCalls calls =
      new ClusterGates(CallLimits.DEFAULT, FakeApiServer.PATIENCE, meters).open("one");
  private final SortedMap<String, NetworkPolicy> stored = new ConcurrentSkipListMap<>();
  private final SortedMap<String, String> bounds = new ConcurrentSkipListMap<>();
  private final FakeApiServer server = new FakeApiServer((exchange, n) -> answer(exchange));
  private KubernetesClient client;

  /** Of the API server; empty where nothing says it. */
  private volatile String address = "10.0.0.1";

  private volatile boolean mayWrite = true;

  /** A namespace where no policy is taken. */
  private volatile String denied = "";

  /** A namespace of which the API server shows neither the account nor the pods. */
  private volatile String silent = "";

  /** Whether that namespace takes no pods any more. */
  private volatile boolean ending;

  /** Of gangs in the other namespace. */
  private volatile String members = "";

  private volatile List<String> namespaces = List.of(PROJECT);
  private volatile int taken;
  private final AtomicLong nanos = new AtomicLong();

  @BeforeEach
  void connect() throws Exception {
    client = server.client();
  }

  @AfterEach
  void close() {
    client.close();
    server.close();
    calls.close();
  }

  /** Fails when a process that has not looked yet writes what it does not know. */
  @Test
  void theFirstLaunchOfAProcessLeavesTheEgressPolicyAsItIs() {
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
  void aProjectThatBecameStrictIsClosedWhereverTheApiServerIs() {
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

  /** Fails when a failure drops the change, hides it, or lets a launch go before it. */
  @Test
  void aNamespaceThatCouldNotBeClosedIsTriedAgainUntilItIs() {
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
  void aPolicyThatIsGoneIsNotWrittenUntilThePlanIsKnown() {
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

  /** Fails when an API server that takes its address away opens the namespaces to all. */
  @Test
  void whereTheApiServerIsHoldsUntilOtherAddressesAreNamed() {
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

  /** Fails when it is read without looking whether it is still there. */
  @Test
  void aPolicyThatGoesWhileItsNameIsTakenIsCreated() {
    taken = 1;
    launch(isolation());
    assertThat(stored).containsOnlyKeys(Isolation.ALONE, Isolation.EGRESS);
  }

  /** Fails when a good launch hides another open gang, or only a launch ends the trouble. */
  @Test
  void anOpenGangIsReportedUntilAllOfItsNamespaceHaveTheirs() {
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

  /** Fails when one namespace that cannot be written ends the turn of every other. */
  @Test
  void aNamespaceThatRefusesItsPoliciesStopsNoOther() {
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

  /** Fails when what one namespace does not answer is hidden, or forgotten by the next turn. */
  @Test
  void aNamespaceThatDoesNotAnswerIsInTroubleUntilItDoes() {
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

  /** Fails when a namespace that was deleted is tried for ever, or hides what the others say. */
  @Test
  void aNamespaceThatIsDeletedSaysNothingOfTheQuota() {
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

  private NamespaceReconciler acting(NamespaceIsolation isolation) {
    NamespaceReconciler upkeep =
        new NamespaceReconciler(
            Orders.INSTALLATION, calls, namespaces(isolation), isolation, Set::of);
    upkeep.acts(1L);
    isolation.plans().all(List.of());
    return upkeep;
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

  /** Fails when each gang asks again, and each refusal has its namespace looked at again. */
  @Test
  void aMissingRightIsAskedForOnce() {
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
            calls, namespaces, new ClusterOfferings(calls, () -> 0), new InFlight(() -> 0));
    assertThat(creator.create(client, gang())).isInstanceOf(Creation.Not.class);
    assertThat(namespaces.ensure(client, PROJECT, Orders.PROJECT)).isNull();
    assertThat(server.requests()).as("the create alone").hasSize(asked + 1);

    mayWrite = true;
    look(isolation);
    assertThat(isolation.refused()).isFalse();
  }

  /** Fails when one refusal leaves every gang open until the namespaces are looked at. */
  @Test
  void aMissingRightIsBelievedForHalfAMinute() {
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
  void anotherTermBeginsWithoutMemory() {
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
   * Fails when the calls of a turn grow with the namespaces, or a turn begins with the same ones.
   */
  @Test
  void theAccountsOfManyNamespacesTakeTurns() {
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

  /** Fails when a member of an earlier version is closed to what reached it until now. */
  @Test
  void aGangsPolicyIsAboutMembersThatWereStartedWithIt() {
    var spec = gang().getSpec();
    assertThat(spec.getPodSelector().getMatchLabels())
        .isEqualTo(Map.of("attempt", "a", ObjectLabels.NETWORK, ObjectLabels.GANG));
    assertThat(spec.getIngress().getFirst().getFrom().getFirst().getPodSelector().getMatchLabels())
        .isEqualTo(Map.of("attempt", "a"));
  }

  /** Fails when the rule of one port opens the other. */
  @Test
  void noneOfThePortsOfAnAddressIsOpen() {
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

  private static NetworkPolicy gang() {
    return Isolation.gang(
        new ObjectMetaBuilder().withName("fl-a").withNamespace(PROJECT).build(),
        Map.of("attempt", "a"));
  }

  private NamespaceIsolation isolation() {
    NamespaceIsolation isolation = new NamespaceIsolation(Orders.INSTALLATION, calls, nanos::get);
    isolation.plans().all(List.of());
    return isolation;
  }

  private Namespaces namespaces(NamespaceIsolation isolation) {
    return new Namespaces(Orders.INSTALLATION, calls, isolation, () -> 0);
  }

  /** What the first launch of a process in a namespace does. */
  private void launch(NamespaceIsolation isolation) {
    assertThat(namespaces(isolation).ensure(client, PROJECT, Orders.PROJECT)).isNull();
  }

  private void look(NamespaceIsolation isolation) {
    new NamespaceReconciler(Orders.INSTALLATION, calls, namespaces(isolation), isolation, Set::of)
        .look(client);
  }

  private long writes() {
    return server.requests().stream()
        .filter(request -> request.contains(POLICIES) && !request.startsWith("GET"))
        .count();
  }

  private double repairs() {
    return meters.get("fairlead.cluster.repairs").tag("cluster", "one").counter().count();
  }

  private void answer(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath();
    String last = path.substring(path.lastIndexOf('/') + 1);
    if (within(exchange, silent)) {
      FakeApiServer.send(exchange, 500, FakeApiServer.status(500, "InternalError"));
    } else if (path.endsWith(OTHER + "/pods")) {
      boolean first = exchange.getRequestURI().getQuery().contains(ObjectLabels.INDEX);
      FakeApiServer.send(exchange, 200, LyingApiServer.list("", first ? "" : members));
    } else if (ending && path.endsWith(ENDS + "/pods")) {
      FakeApiServer.send(exchange, 404, FakeApiServer.status(404, "NotFound"));
    } else if (path.contains(POLICIES)) {
      policies(exchange, last);
    } else if (path.contains("/resourcequotas") || path.contains("/limitranges")) {
      bounds(exchange, path);
    } else if (path.contains("/endpointslices/")) {
      told(exchange, address.isEmpty() ? null : slice());
    } else if (path.endsWith("/namespaces")) {
      String all =
          namespaces.stream()
              .map(NamespaceIsolationTest::namespace)
              .collect(Collectors.joining(","));
      FakeApiServer.send(exchange, 200, LyingApiServer.list("", all));
    } else {
      told(exchange, last.equals(PROJECT) ? namespace(PROJECT) : ACCOUNT);
    }
  }

  /** Keeps what is written, by where it was. */
  private void bounds(HttpExchange exchange, String path) throws IOException {
    String kind = path.contains("/resourcequotas") ? "/resourcequotas" : "/limitranges";
    if (exchange.getRequestMethod().equals("GET")) {
      String all =
          bounds.entrySet().stream()
              .filter(bound -> bound.getKey().contains(kind))
              .map(Map.Entry::getValue)
              .collect(Collectors.joining(","));
      told(exchange, LyingApiServer.list("", all));
    } else {
      String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
      bounds.put(path, body);
      told(exchange, body);
    }
  }

  private void policies(HttpExchange exchange, String last) throws IOException {
    String method = exchange.getRequestMethod();
    if (!mayWrite) {
      String why = "User x cannot " + method + " resource networkpolicies";
      FakeApiServer.send(
          exchange, 403, FakeApiServer.status(403, "Forbidden").replace("told so", why));
    } else if (!method.equals("GET") && within(exchange, denied)) {
      String why = "admission webhook x denied the request";
      FakeApiServer.send(
          exchange, 403, FakeApiServer.status(403, "Forbidden").replace("told so", why));
    } else if (method.equals("GET")) {
      boolean one = !last.equals("networkpolicies");
      String all =
          stored.values().stream().map(Serialization::asJson).collect(Collectors.joining(","));
      told(exchange, one ? json(stored.get(last)) : LyingApiServer.list("", all));
    } else if (method.equals("POST") && taken-- > 0) {
      FakeApiServer.send(exchange, 409, FakeApiServer.status(409, "AlreadyExists"));
    } else {
      String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
      NetworkPolicy policy = Serialization.unmarshal(body, NetworkPolicy.class);
      stored.put(policy.getMetadata().getName(), policy);
      told(exchange, body);
    }
  }

  private static boolean within(HttpExchange exchange, String namespace) {
    return exchange.getRequestURI().getPath().contains("/namespaces/" + namespace + "/")
        && !namespace.isEmpty();
  }

  private static String json(NetworkPolicy policy) {
    return policy == null ? null : Serialization.asJson(policy);
  }

  private static void told(HttpExchange exchange, String body) throws IOException {
    FakeApiServer.send(
        exchange,
        body == null ? 404 : 200,
        body == null ? FakeApiServer.status(404, "NotFound") : body);
  }

  private String slice() {
    return "{\"kind\":\"EndpointSlice\",\"metadata\":{\"name\":\"kubernetes\"},\"endpoints\":[{\"addresses\":[\"%s\"]}],\"ports\":[{\"port\":6443}]}"
        .formatted(address);
  }

  private static String namespace(String name) {
    SortedMap<String, String> labels = ObjectLabels.of(Orders.INSTALLATION);
    labels.putAll(NamespaceIsolation.labels());
    String text =
        Stream.of(labels)
            .flatMap(all -> all.entrySet().stream())
            .map(label -> "\"%s\":\"%s\"".formatted(label.getKey(), label.getValue()))
            .collect(Collectors.joining(","));
    return "{\"metadata\":{\"name\":\"%s\",\"labels\":{%s}}}".formatted(name, text);
  }
}
