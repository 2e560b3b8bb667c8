package dev.fairlead.care.supply.service;

import dev.fairlead.care.supply.NodeSighting;
import dev.fairlead.care.supply.StockOut;
import dev.fairlead.care.supply.Supply;
import dev.fairlead.care.supply.SupplyAnswer;
import dev.fairlead.care.supply.SupplyCall;
import dev.fairlead.care.supply.SupplyOffer;
import dev.fairlead.care.supply.SupplyRequest;
import dev.fairlead.care.supply.SupplyRequestId;
import dev.fairlead.care.supply.SupplyState;
import dev.fairlead.care.supply.SupplyStore;
import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.cluster.OwnClusters;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodeOrder;
import dev.fairlead.fleet.node.pool.Pool;
import dev.fairlead.fleet.node.pool.PoolId;
import dev.fairlead.fleet.node.pool.PoolStore;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.IdSource;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.loop.IndependentSteps;
import dev.fairlead.kernel.loop.LeasedLoop;
import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.kernel.loop.Recurring;
import dev.fairlead.kernel.metric.Metric;
import dev.fairlead.kernel.transaction.Transactions;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Requests nodes from provisioners for waiting jobs, and returns nodes that were empty for long
 * enough. Each step is one row, written before the call to the provisioner and again with its
 * answer. A hanging provisioner costs one call per back-off interval, regardless of the number of
 * its requests. It does not delay other provisioners.
 */
@Component
public class SupplyLoop extends LeasedLoop {
  private static final Logger LOG = LoggerFactory.getLogger(SupplyLoop.class);
  private static final Duration IDLE = Duration.ofSeconds(2);
  private static final Duration LOOK_EVERY = Duration.ofSeconds(10);
  private static final Duration KEPT_FOR = Duration.ofDays(30);
  private static final int MOST_CALLS = 8;

  /**
   * Duration above which a provisioner is called only once per pass, so that it delays others only
   * once.
   */
  private static final Duration SLOW = Duration.ofSeconds(2);

  /**
   * Time within a pass after which no call starts. The nodes of all provisioners are checked again
   * after this time plus one call, no matter how many provisioners hang.
   */
  private static final Duration CALLING = Duration.ofSeconds(5);

  private static final int MOST_FORGOTTEN = 500;

  private final SupplyStore store;
  private final PoolStore pools;
  private final InventoryStore inventory;
  private final SupplyPorts ports;
  private final Transactions transactions;
  private final IdSource ids;
  private final MeterRegistry metrics;
  private final Recurring look;
  private final OwnClusters own = new OwnClusters();

  /** Backoff by address, only for provisioners with open requests. */
  private final SortedMap<String, Silence> silences = new TreeMap<>();

  public SupplyLoop(
      Leases leases,
      SupplyStore store,
      PoolStore pools,
      InventoryStore inventory,
      SupplyPorts ports,
      Transactions transactions,
      IdSource ids,
      MeterRegistry metrics) {
    super("supply", "supervisor", IDLE, leases);
    this.store = store;
    this.pools = pools;
    this.inventory = inventory;
    this.ports = ports;
    this.transactions = transactions;
    this.ids = ids;
    this.metrics = metrics;
    this.look = Recurring.fromNowOn(leases.clock(), LOOK_EVERY);
  }

  @Override
  protected boolean turn(HeldLease lease) {
    SortedMap<PoolId, Supply> supplies = new TreeMap<>();
    store.supplies().forEach(supply -> supplies.put(supply.pool(), supply));
    if (supplies.isEmpty()) {
      return false;
    }
    /* A process on a copy of the live database would buy nodes, and return nodes in use. */
    Set<ClusterId> ours = own.among(inventory.clusters());
    supplies.values().removeIf(supply -> !ours.contains(supply.cluster()));
    List<SupplyRequest> open =
        store.open().stream().filter(each -> ours.contains(each.asked().cluster())).toList();
    if (!open.isEmpty()) {
      follow(lease, supplies, open);
    }
    if (look.due()) {
      look.done();
      IndependentSteps steps = new IndependentSteps();
      steps.run(() -> ask(lease, supplies, steps));
      steps.run(() -> forgetOld(lease));
      steps.rethrow();
    }
    return false;
  }

  @Override
  protected void forget() {
    own.forget();
  }

  private void follow(
      HeldLease lease, SortedMap<PoolId, Supply> supplies, List<SupplyRequest> open) {
    SupplySightings seen = new SupplySightings(inventory, store, ports.rooms(), open, store.now());
    SortedMap<PoolId, Pool> named = new TreeMap<>();
    pools.pools().forEach(pool -> named.put(pool.id(), pool));
    List<SupplyRequest> inOrder =
        open.stream().sorted(Comparator.comparing(each -> each.talk().next())).toList();
    List<Followed> now = new ArrayList<>();
    for (SupplyRequest request : inOrder) {
      Supply supply = supplies.get(request.asked().pool());
      Pool pool = named.get(request.asked().pool());
      if (supply != null && pool != null) {
        guarded(
            "request " + request.id().text(),
            () -> {
              SupplyRequest own = claimed(lease, request, seen, supply, pool);
              SupplyRequest next = observed(lease, own, seen, supply, pool.name());
              now.add(new Followed(next, supply, pool));
            });
      }
    }
    silences.keySet().retainAll(now.stream().map(Followed::address).toList());
    call(lease, now, seen.at());
  }

  /**
   * Calls provisioners one after the other.
   *
   * @param due requests in the order of the calls
   */
  private void call(HeldLease lease, List<Followed> due, Instant begin) {
    SortedSet<String> slow = new TreeSet<>();
    Instant end = begin.plus(CALLING);
    Instant now = begin;
    int calls = 0;
    for (Followed each : due) {
      if (calls == MOST_CALLS || now.isAfter(end)) {
        return;
      }
      Instant before = now;
      SupplyCall.Action action = each.request().due(before);
      if (action != null && !silent(each.address(), before) && !slow.contains(each.address())) {
        guarded("request " + each.request().id().text(), () -> call(lease, each, action));
        calls++;
        now = store.now();
        if (before.plus(SLOW).isBefore(now)) {
          slow.add(each.address());
        }
      }
    }
  }

  /** A request in this pass. */
  private record Followed(SupplyRequest request, Supply supply, Pool pool) {
    String address() {
      return switch (supply.provisioner()) {
        case Supply.Webhook webhook -> webhook.url();
        case Supply.ProvisioningClass _ -> supply.cluster().text();
      };
    }
  }

  /**
   * Backoff of a provisioner that did not answer.
   *
   * @param unanswered number of consecutive calls without a response
   * @param until end of the backoff
   */
  private record Silence(int unanswered, Instant until) {}

  private boolean silent(String url, Instant now) {
    Silence silence = silences.get(url);
    return silence != null && silence.until().isAfter(now);
  }

  /**
   * Assigns nodes to a request for an autoscaler. An autoscaler names no nodes, so the cluster's
   * nodes identify them.
   */
  private SupplyRequest claimed(
      HeldLease lease, SupplyRequest request, SupplySightings seen, Supply supply, Pool pool) {
    SupplyRequest own =
        supply.provisioner() instanceof Supply.ProvisioningClass
            ? seen.claimed(request, supply, pool)
            : request;
    if (own.version() != request.version()) {
      transactions.runFenced(lease, () -> store.update(own));
    }
    return own;
  }

  /**
   * Stores the observed state of the nodes. A node stops accepting work in the same transaction
   * that decides to return it.
   */
  private SupplyRequest observed(
      HeldLease lease, SupplyRequest request, SupplySightings seen, Supply supply, String pool) {
    SortedMap<String, NodeSighting> nodes = seen.of(request, supply, pool);
    SupplyRequest next = request.seen(nodes, supply.releaseAfter(), seen.at());
    List<NodeId> again = seen.backAgain(request, nodes);
    if (next.version() != request.version() || !again.isEmpty()) {
      transactions.runFenced(
          lease,
          () -> {
            if (next.version() != request.version()) {
              store.update(next);
            }
            request.drainedIn(next).forEach(node -> order(node, NodeOrder.DRAIN));
            again.forEach(node -> order(node, NodeOrder.UNCORDON));
          });
      settled(request, next, pool);
    }
    return next;
  }

  private void order(NodeId node, NodeOrder order) {
    boolean _ = inventory.order(node, order).isPresent();
  }

  private void call(HeldLease lease, Followed followed, SupplyCall.Action action) {
    SupplyRequest request = followed.request();
    String cluster =
        inventory.nameOf(request.asked().cluster()).orElseGet(request.asked().cluster()::text);
    SupplyAnswer answer =
        ports.ask(
            new SupplyCall(
                followed.supply(),
                followed.pool().name(),
                cluster,
                SupplyOffer.labels(followed.supply(), followed.pool()),
                request,
                action));
    Instant now = store.now();
    heard(followed.address(), answer, now);
    SupplyRequest next = request.answered(action, answer, now);
    if (next.version() != request.version()) {
      transactions.runFenced(lease, () -> store.update(next));
    }
    settled(request, next, followed.pool().name());
  }

  private void heard(String url, SupplyAnswer answer, Instant now) {
    switch (answer) {
      case SupplyAnswer.Answered _ -> silences.remove(url);
      case SupplyAnswer.Unanswered _ -> {
        Silence before = silences.getOrDefault(url, new Silence(0, now));
        int times = before.unanswered();
        silences.put(url, new Silence(times + 1, now.plus(SupplyRequest.silence(times))));
        metrics.counter(Metric.SUPPLY_UNANSWERED.meter()).increment();
      }
    }
  }

  private void settled(SupplyRequest before, SupplyRequest after, String pool) {
    if (before.state() == after.state()) {
      return;
    }
    Instant at = after.settledAt();
    if (at != null) {
      counted(after.state());
      if (after.state() == SupplyState.READY) {
        metrics.timer(Metric.SUPPLY_READY.meter()).record(Duration.between(after.asked().at(), at));
      }
    }
    String misfit = after.misfit();
    if (misfit != null) {
      LOG.warn(
          "request={} pool={}: {}. After two consecutive failures Fairlead waits until the"
              + " supply is set, or for {} h",
          after.id().text(),
          pool,
          misfit,
          StockOut.MEMORY.toHours());
    }
    LOG.info(
        "request={} pool={} nodes={} state={} message=\"{}\"",
        after.id().text(),
        pool,
        after.asked().nodes(),
        after.state(),
        after.talk().message());
  }

  private void counted(SupplyState state) {
    metrics
        .counter(Metric.SUPPLY_REQUESTS.meter(), Metric.SUPPLY_REQUESTS.tags(state.name()))
        .increment();
  }

  private void forgetOld(HeldLease lease) {
    int _ =
        transactions.callFenced(
            lease, () -> store.forget(store.now().minus(KEPT_FOR), MOST_FORGOTTEN));
  }

  private void ask(HeldLease lease, SortedMap<PoolId, Supply> supplies, IndependentSteps steps) {
    boolean some =
        store.offers().stream().anyMatch(each -> each.room() > 0 && each.stockOut() == null);
    if (!some) {
      return;
    }
    ports
        .demand()
        .now()
        .forEach((pool, nodes) -> {
          Supply supply = supplies.get(pool);
          if (supply != null) {
            steps.run(() -> {
              if (asked(lease, supply, nodes)) {
                counted(SupplyState.PENDING);
              }
            });
          }
        });
  }

  /**
   * Stores a request and returns whether it was stored. Stores none if the cluster was disabled
   * during the computation, because no process would return the nodes.
   */
  private boolean asked(HeldLease lease, Supply supply, int nodes) {
    return transactions.callFenced(
        lease,
        () -> {
          boolean lookedAfter =
              inventory
                  .cluster(supply.cluster())
                  .filter(cluster -> cluster.state() != ClusterState.DISABLED)
                  .isPresent();
          if (lookedAfter) {
            store.insert(
                SupplyRequest.of(new SupplyRequestId(ids.next()), supply, nodes, store.now()));
          }
          return lookedAfter;
        });
  }
}
