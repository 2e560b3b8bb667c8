package dev.fairlead.care.health.service;

import static dev.fairlead.kernel.text.Texts.problem;
import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.care.health.HealthEvent;
import dev.fairlead.care.health.NodeJobs;
import dev.fairlead.care.health.quarantine.DomainNodes;
import dev.fairlead.care.health.quarantine.HealthStore;
import dev.fairlead.care.health.quarantine.Quarantine;
import dev.fairlead.care.health.service.DomainQuarantines.View;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.NodeReports;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.kernel.idempotency.Idempotency;
import dev.fairlead.kernel.idempotency.RequestKey;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.service.query.NodeJobQueries;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Quarantines of a rack and of its block: only their nodes are affected. */
class DomainQuarantineCommandsTest {
  private final MemoryStores stores = MemoryStores.empty(41);
  private final TestWorld world = TestWorld.in(stores);
  private final ClusterId cluster = world.cluster().id();
  private final String name = world.cluster().name();
  private final HealthStore health = stores.health();
  private final Actor olga = actor("olga", Role.OPERATOR);
  private final Actor omar = actor("omar", Role.OPERATOR);
  private final FaultIsolation isolation =
      new FaultIsolation(health, stores.inventory(), stores.ids());
  private final QuarantineCommands ofNodes =
      new QuarantineCommands(
          stores.transactions(),
          stores.inventory(),
          health,
          isolation,
          stores.audit(),
          stores.clock());
  private final HealthIntake intake =
      new HealthIntake(
          stores.transactions(),
          stores.inventory(),
          health,
          isolation,
          new DeviceIntake(
              stores.transactions(), stores.inventory(), stores.devices(), stores.clock()),
          stores.audit(),
          stores.ids(),
          stores.clock());
  private final DomainQuarantines queries =
      new DomainQuarantines(
          stores.transactions(),
          health,
          stores.inventory(),
          new NodeJobQueries(stores.transactions(), stores.jobs()));
  private final DomainQuarantineCommands commands =
      new DomainQuarantineCommands(
          stores.transactions(),
          stores.inventory(),
          health,
          queries,
          new Idempotency(stores.idempotency()),
          stores.audit(),
          stores.ids(),
          stores.clock());
  private final SortedMap<String, NodeReport> shown = new TreeMap<>();

  private Actor actor(String who, Role role) {
    return new Actor(world.tenant().id(), who, role);
  }

  /** Four nodes in two racks of one block. */
  @BeforeEach
  void aBlockOfTwoRacks() {
    for (int i = 0; i < 4; i++) {
      show("n" + i, "r" + i / 2);
    }
    report();
  }

  private void show(String node, String rack) {
    shown.put(node, NodeReports.node(node).topology("rack", rack).topology("block", "b0").build());
  }

  /** As its supervisor carries it on. */
  private void report() {
    stores
        .transactions()
        .run(() ->
            DomainNodes.report(
                health,
                stores.inventory(),
                cluster,
                List.copyOf(shown.values()),
                stores.ids(),
                now()));
  }

  private Instant now() {
    return stores.clock().instant();
  }

  private NewDomainQuarantine wanted(String level, String domain) {
    return new NewDomainQuarantine(name, level, domain, "cooling fails", null, false);
  }

  private View quarantined(String level, String domain) {
    return commands.create(olga, wanted(level, domain), null, false);
  }

  private View released(View view) {
    return commands.release(olga, name, view.quarantine().id().text(), "cooled again", false);
  }

  private List<String> out() {
    report();
    return stores.inventory().nodes(cluster).stream()
        .filter(node -> node.state() == NodeState.QUARANTINED)
        .map(Node::name)
        .toList();
  }

  private List<Quarantine> standing() {
    return health.standing(cluster);
  }

  @Test
  void rackIsOutOfUseAndTheOtherIsNot() {
    View view = quarantined("rack", "r0");

    assertThat(view.nodes()).isEqualTo(2);
    assertThat(view.scope().nodes()).containsExactly("n0", "n1");
    assertThat(out()).containsExactly("n0", "n1");
    assertThat(standing())
        .extracting(Quarantine::cause)
        .containsOnly("rack r0 is quarantined: cooling fails");

    assertThat(released(view).quarantine().released()).isEqualTo("olga: cooled again");
    assertThat(out()).isEmpty();
    assertThat(queries.one(name, view.quarantine().id().text()).nodes())
        .as("how many it had")
        .isEqualTo(2);
    assertThat(stores.auditEntries())
        .extracting(AuditRecord::operation)
        .containsExactly("createDomainQuarantine", "releaseDomainQuarantine");
  }

  /** Fails when only the first nodes are covered, or a node that left stays out of service. */
  @Test
  void joiningNodesAreCoveredAndLeavingNodesAreNot() {
    quarantined("rack", "r0");
    show("late", "r0");
    show("n0", "r1");
    report();
    assertThat(world.node("late").state()).as("never seen in use").isEqualTo(NodeState.QUARANTINED);
    assertThat(out()).containsExactly("late", "n1");
    show("n0", "r0");
    assertThat(out()).containsExactly("late", "n0", "n1");
  }

  /** Fails when a machine without its labels, or a removed level, ends the quarantine. */
  @Test
  void nodeWithoutARackLabelStaysOut() {
    View view = quarantined("rack", "r0");
    shown.put("n0", NodeReports.node("n0").build());
    shown.put("new", NodeReports.node("new").build());
    assertThat(out()).containsExactly("n0", "n1");
    released(view);
    assertThat(out()).isEmpty();
  }

  /** Fails when a machine that is briefly unlisted returns healthy, or twice. */
  @Test
  void temporarilyMissingNodeReturnsUnchanged() {
    View view = quarantined("rack", "r0");
    NodeReport gone = shown.remove("n0");
    report();
    assertThat(standing()).hasSize(2);
    shown.put("n0", gone);
    assertThat(out()).containsExactly("n0", "n1");
    assertThat(standing()).hasSize(2);

    shown.remove("n0");
    report();
    released(view);
    assertThat(standing()).as("also of one that is gone").isEmpty();
  }

  /**
   * Fails when it is executed node by node: thousands of nodes exceed the time of a transaction.
   */
  @Test
  void quarantineOfARackTakesAConstantNumberOfStatements() {
    IntStream.range(0, 9).forEach(i -> show("many" + i, "r1"));
    report();
    assertThat(steps("r1")).isEqualTo(steps("r0")).contains("order");
  }

  private List<String> steps(String rack) {
    List<String> calls = new ArrayList<>();
    InventoryStore inventory = counted(InventoryStore.class, stores.inventory(), calls);
    HealthStore counted = counted(HealthStore.class, health, calls);
    DomainQuarantineCommands orders =
        new DomainQuarantineCommands(
            stores.transactions(),
            inventory,
            counted,
            queries,
            new Idempotency(stores.idempotency()),
            stores.audit(),
            stores.ids(),
            stores.clock());
    NewDomainQuarantine forced = new NewDomainQuarantine(name, "rack", rack, "a fire", null, true);
    View made = orders.create(olga, forced, null, false);
    View _ = orders.release(olga, name, made.quarantine().id().text(), "it is out", false);
    return calls;
  }

  private static <T> T counted(Class<T> type, T store, List<String> calls) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              calls.add(method.getName());
              return method.invoke(store, arguments);
            }));
  }

  /** Fails when the end of a rack's quarantine releases its block, or the reverse. */
  @Test
  void domainsOverlapAndEachEndsAlone() {
    View rack = quarantined("rack", "r0");
    View block =
        commands.create(
            olga,
            new NewDomainQuarantine(name, "block", "b0", "a flood", Duration.ofHours(1), true),
            null,
            false);
    assertThat(block.scope().otherwise()).containsExactly("n0", "n1");

    assertThat(released(rack).scope().otherwise()).containsExactly("n0", "n1");
    assertThat(world.node("n0").state()).as("at once").isEqualTo(NodeState.QUARANTINED);
    assertThat(out()).containsExactly("n0", "n1", "n2", "n3");
    quarantined("rack", "r1");
    released(block);
    assertThat(out()).containsExactly("n2", "n3");
  }

  /**
   * Fails when the end of a rack's quarantine releases a broken GPU or an operator's hold of a
   * node.
   */
  @Test
  void nodeQuarantineOutlivesItsRackQuarantine() {
    View rack = quarantined("rack", "r0");
    fault("n0");
    List<Quarantine> held = ofNodes.hold(olga, "n1", "waits for a part", null, false);
    assertThat(held).as("one of its own").hasSize(2);

    assertThat(released(rack).scope().otherwise()).containsExactly("n0", "n1");

    assertThat(out()).containsExactly("n0", "n1");
    assertThat(standing()).extracting(Quarantine::domain).containsOnlyNulls().hasSize(2);
    assertThat(health.isolating(cluster)).hasSize(1);
  }

  private void fault(String node) {
    HealthEvent event = new HealthEvent("e-" + node, now(), node, node + "/0", null, 79, "");
    assertThat(intake.take(actor("ada", Role.ADMIN), cluster.text(), List.of(event))).hasSize(1);
  }

  /** Fails when the release of a node returns it to service inside its quarantined rack. */
  @Test
  void nodeReleaseLeavesItInItsRackQuarantine() {
    quarantined("rack", "r0");
    assertThatThrownBy(() -> ofNodes.release(olga, "n0", "looks fine", false))
        .isInstanceOf(Refusal.class)
        .hasMessageContainingAll("n0", "rack r0", "cooling fails", "dqu_");
    fault("n0");
    assertThat(ofNodes.release(olga, "n0", "exchanged", false)).hasSize(1);
    assertThat(health.isolating(cluster)).isEmpty();
    assertThat(out()).containsExactly("n0", "n1");
  }

  /** Fails when the end of a rack's quarantine marks an earlier fault as repaired. */
  @Test
  void endOfARackQuarantineChangesNoNodeHealth() {
    View rack = quarantined("rack", "r0");
    released(rack);
    assertThat(health.lastReleased(cluster, world.node("n0").id())).isNull();
    assertThat(health.lastReleased(cluster, null)).isNotNull();
  }

  @Test
  void reasonAndEndAreChangedWithTheRowsOfTheNodes() {
    View rack = quarantined("rack", "r0");
    String id = rack.quarantine().id().text();
    Instant end = now().plus(Duration.ofHours(2));
    View changed = commands.update(omar, name, id, 1L, "waits for a pump", end, false);

    assertThat(changed.quarantine().version()).isEqualTo(2);
    assertThat(standing())
        .allSatisfy(row -> {
          assertThat(row.cause())
              .satisfies(reason("domain-quarantine-commands.rack-quarantined-waits-pump", "r0"));
          assertThat(row.owner()).isEqualTo("omar");
          assertThat(row.until()).isEqualTo(end);
        });
    assertThat(refused(() -> commands.update(olga, name, id, 1L, "x", end, false)))
        .isEqualTo(ProblemCode.VERSION_MISMATCH);
    assertThat(refused(() -> commands.update(olga, name, id, null, "x", now(), false)))
        .isEqualTo(ProblemCode.INVALID_FIELD);
    released(changed);
    assertThat(refused(() -> commands.update(olga, name, id, null, "x", end, false)))
        .isEqualTo(ProblemCode.ILLEGAL_STATE);
    assertThat(refused(() -> released(rack))).isEqualTo(ProblemCode.ILLEGAL_STATE);
  }

  /** Fails when a repair extends the node's quarantine from the rack. */
  @Test
  void nodeRowsOfARackEndWithTheRack() {
    Instant end = now().plus(Duration.ofHours(1));
    View rack = quarantined("rack", "r0");
    commands.update(olga, name, rack.quarantine().id().text(), null, "x", end, false);
    assertThat(standing())
        .extracting(row -> row.kept(end.plusSeconds(9)).until())
        .containsOnly(end);
  }

  @Test
  void unknownDomainIsRejectedWithTheKnownOnes() {
    assertThatThrownBy(() -> quarantined("rock", "r0"))
        .satisfies(problem("domain-quarantine-commands.level-rock-levels-block", "rock", name));
    assertThatThrownBy(() -> quarantined("rack", "r9"))
        .satisfies(
            problem("domain-quarantine-commands.rack-domains-level", "r9", "r0", "r1", name));
    quarantined("rack", "r0");
    assertThatThrownBy(() -> quarantined("rack", "r0"))
        .hasMessageContaining("rack r0 of cluster " + name + " is already quarantined by olga");
    assertThat(refused(() -> queries.one(name, "dqu_x"))).isEqualTo(ProblemCode.NOT_FOUND);
    Actor user = actor("uma", Role.TENANT_MEMBER);
    assertThat(refused(() -> commands.create(user, wanted("rack", "r1"), null, false)))
        .isEqualTo(ProblemCode.FORBIDDEN);
  }

  private static @Nullable ProblemCode refused(Runnable command) {
    try {
      command.run();
      return null;
    } catch (Refusal refusal) {
      return refusal.code();
    }
  }

  /** Fails when one order isolates most of the fleet, or an operator cannot force it. */
  @Test
  void quarantineBeyondTheCircuitBreakerNeedsForce() {
    IntStream.range(4, 40).forEach(i -> show("n" + i, "r1"));
    report();
    assertThatThrownBy(() -> quarantined("rack", "r1"))
        .satisfies(problem("domain-quarantine-commands.gpu-nodes-fleet", 38, 40, 10, name));
    assertThat(standing()).isEmpty();
    NewDomainQuarantine forced = new NewDomainQuarantine(name, "rack", "r1", "a fire", null, true);
    assertThat(commands.create(olga, forced, null, false).nodes()).isEqualTo(38);
    assertThat(health.isolated(null).isolated()).as("an operator holds them").isZero();
  }

  /** Fails when a dry run isolates something, or does not list the affected nodes and jobs. */
  @Test
  void dryRunReportsNodesAndJobs() {
    Job job = world.submit(Specs.job("train"));
    world.run(world.place(job, 0, "n1"));
    View tried = commands.create(olga, wanted("rack", "r0"), null, true);
    assertThat(tried.scope().nodes()).containsExactly("n0", "n1");
    assertThat(tried.scope().jobs().first())
        .containsExactly(new NodeJobs.NodeJob(job.id(), job.name(), 1));
    assertThat(standing()).isEmpty();
    assertThat(health.domains(cluster)).isEmpty();
    assertThat(stores.auditEntries()).isEmpty();
  }

  @Test
  void keyedRequestHasItsEffectOnce() {
    RequestKey key = new RequestKey("k", "hash");
    View first = commands.create(olga, wanted("rack", "r0"), key, false);
    View again = commands.create(olga, wanted("rack", "r0"), key, false);
    assertThat(again.quarantine()).isEqualTo(first.quarantine());
    assertThat(stores.auditEntries()).hasSize(1);
  }
}
