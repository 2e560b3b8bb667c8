package dev.fairlead.care.campaign.service;

import dev.fairlead.care.campaign.Campaign;
import dev.fairlead.care.campaign.CampaignId;
import dev.fairlead.care.campaign.CampaignNode;
import dev.fairlead.care.campaign.CampaignPlan;
import dev.fairlead.care.campaign.CampaignState;
import dev.fairlead.care.campaign.CampaignStore;
import dev.fairlead.care.health.quarantine.HealthStore;
import dev.fairlead.care.health.repair.RepairStore;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.node.NodeOrder;
import dev.fairlead.fleet.operation.Drains;
import dev.fairlead.fleet.operation.Operation;
import dev.fairlead.fleet.operation.OperationEvent;
import dev.fairlead.fleet.operation.OperationId;
import dev.fairlead.fleet.operation.OperationStore;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.IdSource;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.loop.LeasedLoop;
import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.kernel.loop.Recurring;
import dev.fairlead.kernel.meter.GaugeRows;
import dev.fairlead.kernel.metric.Metric;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Transactions;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Runs campaigns: drains pending nodes, supervises nodes that are out of service or back in
 * service, and ends finished campaigns. {@link CampaignPlan} makes the decisions.
 */
@Component
public class CampaignLoop extends LeasedLoop {
  private static final Logger LOG = LoggerFactory.getLogger(CampaignLoop.class);
  private static final Duration IDLE = Duration.ofSeconds(5);
  private static final Duration FORGET_EVERY = Duration.ofMinutes(10);
  private static final Duration KEPT_FOR = Duration.ofDays(366);
  private static final int MOST_FORGOTTEN = 1000;

  /** Maximum number of nodes per campaign that start draining in one pass. */
  private static final int MOST_BEGUN = 50;

  private final CampaignStore campaigns;
  private final InventoryStore inventory;
  private final OperationStore operations;
  private final HealthStore health;
  private final RepairStore repairs;
  private final Drains drains;
  private final Transactions transactions;
  private final IdSource ids;
  private final InstantSource clock;
  private final GaugeRows out;
  private final GaugeRows stopped;
  private final Recurring forget;

  public CampaignLoop(
      Leases leases,
      CampaignStore campaigns,
      InventoryStore inventory,
      OperationStore operations,
      HealthStore health,
      RepairStore repairs,
      Transactions transactions,
      IdSource ids,
      InstantSource clock,
      MeterRegistry metrics) {
    super("campaigns", "supervisor", IDLE, leases);
    this.campaigns = campaigns;
    this.inventory = inventory;
    this.operations = operations;
    this.health = health;
    this.repairs = repairs;
    this.drains = new Drains(operations, inventory);
    this.transactions = transactions;
    this.ids = ids;
    this.clock = clock;
    this.out = new GaugeRows(metrics, Metric.CAMPAIGN_NODES);
    this.stopped = new GaugeRows(metrics, Metric.CAMPAIGN_STOPPED);
    this.forget = Recurring.fromNowOn(leases.clock(), FORGET_EVERY);
  }

  @Override
  protected boolean turn(HeldLease lease) {
    List<Campaign> open = campaigns.open();
    if (!open.isEmpty()) {
      Map<CampaignId, List<CampaignNode>> active = new TreeMap<>();
      campaigns
          .active()
          .forEach(n -> active.computeIfAbsent(n.campaign(), id -> new ArrayList<>()).add(n));
      CampaignSnapshot sight = CampaignSnapshot.of(inventory, health, repairs, active.values());
      for (Campaign campaign : open) {
        guarded(
            "campaign " + campaign.id().text(),
            () -> follow(lease, campaign, active.getOrDefault(campaign.id(), List.of()), sight));
      }
    }
    measure();
    if (forget.due()) {
      Instant before = clock.instant().minus(KEPT_FOR);
      int _ = transactions.callFenced(lease, () -> campaigns.forget(before, MOST_FORGOTTEN));
      forget.done();
    }
    return false;
  }

  @Override
  protected void forget() {
    out.show(Map.of());
    stopped.show(Map.of());
  }

  private void measure() {
    List<Campaign> open = campaigns.open();
    long waiting =
        open.stream()
            .filter(c -> c.state() == CampaignState.RUNNING && !c.message().isEmpty())
            .count();
    stopped.show(Map.of(List.<String>of(), () -> waiting));
    Map<ClusterId, Long> counts = new TreeMap<>();
    if (!open.isEmpty()) {
      campaigns.active().stream()
          .filter(node -> node.state().outOfUse())
          .forEach(node -> counts.merge(node.cluster(), 1L, Long::sum));
    }
    Map<List<String>, DoubleSupplier> rows = new HashMap<>();
    counts.forEach((cluster, count) ->
        rows.put(List.of(inventory.nameOf(cluster).orElseGet(cluster::text)), () -> count));
    out.show(rows);
  }

  private void follow(
      HeldLease lease, Campaign campaign, List<CampaignNode> before, CampaignSnapshot sight) {
    List<CampaignNode> active = new ArrayList<>();
    for (CampaignNode node : before) {
      CampaignPlan.Seen seen = sight.of(node, drain(campaign, node));
      Optional<CampaignPlan.Change> change =
          CampaignPlan.next(campaign, node, seen, clock.instant());
      boolean written =
          change.isPresent()
              && guarded("node " + node.name(), () -> change(lease, campaign, node, change.get()));
      CampaignNode now = written ? change.orElseThrow().after() : node;
      if (now.state().active()) {
        active.add(now);
      }
    }
    int begun = begin(lease, campaign, CampaignPlan.places(campaign, active), sight);
    boolean pending = begun > 0 || !campaigns.pending(campaign.id(), List.of(), 1).isEmpty();
    String waits = CampaignPlan.waitsFor(campaign, active, pending && begun == 0);
    if (CampaignPlan.over(campaign, active, pending)) {
      transactions.runFenced(lease, () -> campaigns.update(campaign.over(clock.instant())));
      LOG.info("campaign={} name=\"{}\" is over", campaign.id().text(), campaign.name());
    } else if (!waits.equals(campaign.message())) {
      transactions.runFenced(lease, () -> campaigns.update(campaign.waits(waits)));
    }
  }

  private @Nullable Operation drain(Campaign campaign, CampaignNode node) {
    OperationId drain = node.drain();
    return drain == null ? null : operations.find(campaign.tenant(), drain).orElse(null);
  }

  private void change(
      HeldLease lease, Campaign campaign, CampaignNode node, CampaignPlan.Change change) {
    transactions.runFenced(
        lease,
        () -> {
          unchanged(campaign);
          campaigns.update(change.after());
          if (change.giveBack()) {
            giveBack(campaign, node, change.after().message());
          }
        });
    LOG.info(
        "campaign={} node={} state={} {}",
        campaign.id().text(),
        node.name(),
        change.after().state(),
        change.after().message());
  }

  /**
   * Reverts the changes of the campaign to the node. A cordon that existed before the campaign
   * stays.
   */
  private void giveBack(Campaign campaign, CampaignNode node, String why) {
    Operation drain = drain(campaign, node);
    if (drain != null) {
      drain.ended(OperationEvent.CANCEL, why, clock.instant()).ifPresent(drains::end);
    }
    if (!node.cordonedBefore()) {
      inventory.order(node.node(), NodeOrder.UNCORDON);
    }
  }

  /** Returns the number of nodes that started draining or left their cluster. */
  private int begin(HeldLease lease, Campaign campaign, int places, CampaignSnapshot sight) {
    int begun = 0;
    if (places > 0) {
      int most = Math.min(places, MOST_BEGUN);
      for (CampaignNode node : campaigns.pending(campaign.id(), sight.notNow(), most)) {
        boolean written =
            guarded(
                "node " + node.name(),
                () -> {
                  if (sight.known(node.node())) {
                    drained(lease, campaign, node);
                  } else {
                    CampaignNode left = CampaignPlan.left(node, clock.instant());
                    change(lease, campaign, node, new CampaignPlan.Change(left, false));
                  }
                });
        begun += written ? 1 : 0;
      }
    }
    return begun;
  }

  private void drained(HeldLease lease, Campaign campaign, CampaignNode node) {
    Instant now = clock.instant();
    OperationId id = new OperationId(ids.next());
    transactions.runFenced(
        lease,
        () -> {
          unchanged(campaign);
          boolean cordoned =
              drains.beginOn(
                  Operation.drain(
                      id,
                      campaign.tenant(),
                      campaign.actor(),
                      node.cluster(),
                      node.node(),
                      node.name(),
                      CampaignPlan.deadline(campaign.rules(), now),
                      now),
                  node.node());
          campaigns.update(node.draining(cordoned, id, now));
        });
    LOG.info("campaign={} node={} state=DRAINING", campaign.id().text(), node.name());
  }

  /** Throws Conflict VERSION if an operator paused or aborted the campaign after it was read. */
  private void unchanged(Campaign campaign) {
    boolean same =
        campaigns.locked(campaign.id()).filter(now -> now.state() == campaign.state()).isPresent();
    if (!same) {
      throw new Conflict(Conflict.Guard.VERSION, campaign.id().text());
    }
  }
}
