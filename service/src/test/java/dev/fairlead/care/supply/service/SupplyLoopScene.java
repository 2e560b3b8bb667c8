package dev.fairlead.care.supply.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.care.supply.NodeDemand;
import dev.fairlead.care.supply.NodeKind;
import dev.fairlead.care.supply.NodeProvisioner;
import dev.fairlead.care.supply.Supplies;
import dev.fairlead.care.supply.Supply;
import dev.fairlead.care.supply.SupplyAnswer;
import dev.fairlead.care.supply.SupplyAnswer.Word;
import dev.fairlead.care.supply.SupplyCall;
import dev.fairlead.care.supply.SupplyCall.Action;
import dev.fairlead.care.supply.SupplyRequest;
import dev.fairlead.care.supply.SupplyRequestId;
import dev.fairlead.care.supply.SupplyState;
import dev.fairlead.care.supply.SupplyStore;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.NodeReports;
import dev.fairlead.fleet.node.Spares;
import dev.fairlead.fleet.node.pool.Pool;
import dev.fairlead.fleet.node.pool.PoolId;
import dev.fairlead.fleet.node.pool.PoolSelector;
import dev.fairlead.fleet.node.window.PoolWindows;
import dev.fairlead.kernel.loop.LeaseTimes;
import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.placement.service.EngineNodeDemand;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;

/** A pool with two full nodes, a job that waits, a provisioner, and passes of the supply loop. */
abstract class SupplyLoopScene {

  static final Duration STEP = Duration.ofSeconds(10);
  static final ResourceVector ROOM = ResourceVector.of(64_000, 512 * 1024, 8_000, 110);
  final MemoryStores stores = MemoryStores.empty(1);
  final TestWorld world = TestWorld.in(stores);
  final Supplier provisioner = new Supplier();
  final List<NodeReport> reported = new ArrayList<>();
  final PoolSupplies commands =
      new PoolSupplies(
          stores.transactions(),
          stores.supplies(),
          stores.pools(),
          stores.inventory(),
          provisioner,
          purpose -> Optional.of(new byte[32]),
          stores.audit());
  final Actor admin = new Actor(new TenantId(stores.ids().next()), "root", Role.ADMIN);
  SupplyLoop loop = loop("one");
  long nanos;
  @Nullable SupplyLoop looked;

  /** A provisioner with fixed answers that records its calls. */
  final class Supplier implements NodeProvisioner {
    final List<String> heard = new ArrayList<>();
    final SortedMap<String, List<String>> keeps = new TreeMap<>();
    final Set<String> keys = new TreeSet<>();
    SupplyAnswer answer = says(Word.PENDING);
    Duration takes = Duration.ZERO;
    boolean dies;

    @Override
    public Optional<String> refuses(Supply.Webhook webhook) {
      return Optional.empty();
    }

    @Override
    public SupplyAnswer ask(SupplyCall call) {
      keys.add(call.request().id().text());
      heard.add(call.action() + " " + call.request().asked().nodes() + " " + call.request().kept());
      if (call.action() == Action.RELEASE) {
        keeps.put(call.request().id().text(), call.request().notHandedBack());
      }
      stores.advance(takes);
      if (dies) {
        throw new IllegalStateException("the process ends here");
      }
      return call.action() == Action.RELEASE ? says(Word.RELEASED) : answer;
    }

    static SupplyAnswer says(Word word, String... nodes) {
      return new SupplyAnswer.Answered(word, List.of(nodes), "", null);
    }
  }

  @BeforeEach
  void twoNodesThatAreFullAndAJobThatWaits() {
    Pool pool = pool("burst");
    stores.pools().insert(pool);
    report("node-1", "node-2");
    Supply spec = Supplies.of(pool.id(), world.cluster().id());
    NodeKind kind = spec.kind();
    stores
        .supplies()
        .put(
            new Supply(
                spec.pool(),
                spec.cluster(),
                new NodeKind(kind.model(), 8, 0, CapacityType.RESERVED, ROOM, kind.labels()),
                spec.maxNodes(),
                spec.releaseAfter(),
                spec.readyWithin(),
                spec.webhook(),
                1,
                null));
    for (String node : List.of("node-1", "node-2")) {
      world.run(world.place(world.submit(Specs.job(node).gpus(8)), 0, node));
    }
  }

  Pool pool(String name) {
    return new Pool(
        new PoolId(stores.ids().next()),
        name,
        null,
        new PoolSelector(List.of(world.cluster().name()), List.of(), new TreeMap<>(), List.of()),
        "",
        Spares.NONE,
        PoolWindows.NONE,
        1);
  }

  void report(String... names) {
    Stream.of(names).map(name -> NodeReports.node(name).build()).forEach(reported::add);
    world.report(reported.toArray(NodeReport[]::new));
    int _ = stores.inventory().assign(stores.pools().pools());
  }

  SupplyLoop loop(String process) {
    return loop(process, new EngineNodeDemand(stores.world()));
  }

  SupplyLoop loop(String process, NodeDemand demand) {
    return loop(process, demand, stores.supplies());
  }

  SupplyLoop loop(String process, NodeDemand demand, SupplyStore supplies) {
    Leases leases =
        new Leases(
            stores.leases(),
            new LeaseTimes(Duration.ofDays(3), Duration.ofDays(1), Duration.ofDays(2)),
            () -> nanos,
            process);
    return new SupplyLoop(
        leases,
        supplies,
        stores.pools(),
        stores.inventory(),
        new SupplyPorts(
            provisioner,
            call -> new SupplyAnswer.Unanswered("not asked"),
            demand,
            stores.reservations()),
        stores.transactions(),
        stores.ids(),
        new SimpleMeterRegistry());
  }

  /** A supervisor records its cluster after the loop has begun. */
  void looks() {
    if (!loop.equals(looked)) {
      loop.tick();
      looked = loop;
    }
  }

  void tick(Duration later) {
    looks();
    stores.advance(later);
    nanos += later.toNanos();
    stores.inventory().seen(world.cluster().id(), stores.clock().instant());
    loop.tick();
  }

  List<SupplyRequest> requests() {
    return stores.supplies().requests(stores.supplies().supplies().getFirst().pool(), 100);
  }

  SupplyRequest request() {
    assertThat(requests()).hasSize(1);
    return requests().getFirst();
  }

  SupplyRequest request(int back) {
    return requests().get(back);
  }

  /** Runs until the node of a waiting job exists. */
  Job supplied() {
    Job job = world.submit(Specs.job("waits").gpus(8));
    tick(STEP);
    provisioner.answer = Supplier.says(Word.GRANTED, "new-1");
    tick(STEP);
    report("new-1");
    tick(STEP);
    assertThat(request().state()).isEqualTo(SupplyState.READY);
    return job;
  }

  void request(Supply supply) {
    stores
        .supplies()
        .insert(
            SupplyRequest.of(
                new SupplyRequestId(stores.ids().next()), supply, 1, stores.supplies().now()));
  }

  SupplySpec spec(int maxNodes) {
    Supply now = stores.supplies().supplies().getFirst();
    return new SupplySpec(
        world.cluster().name(),
        now.kind(),
        maxNodes,
        now.releaseAfter(),
        now.readyWithin(),
        new Supply.Webhook("https://other.example", null));
  }
}
