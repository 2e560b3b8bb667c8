package dev.fairlead.care.campaign.service;

import dev.fairlead.care.campaign.Campaign;
import dev.fairlead.care.campaign.CampaignBuilder;
import dev.fairlead.care.campaign.CampaignId;
import dev.fairlead.care.campaign.CampaignNode;
import dev.fairlead.care.campaign.CampaignNodeBuilder;
import dev.fairlead.care.campaign.CampaignNodeState;
import dev.fairlead.care.campaign.CampaignOrder;
import dev.fairlead.care.campaign.CampaignPlan;
import dev.fairlead.care.campaign.CampaignRules;
import dev.fairlead.care.campaign.CampaignState;
import dev.fairlead.care.campaign.CampaignStore;
import dev.fairlead.fleet.cluster.FleetNames;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeOrder;
import dev.fairlead.kernel.idempotency.Idempotency;
import dev.fairlead.kernel.idempotency.RequestKey;
import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.identity.IdSource;
import dev.fairlead.kernel.identity.IdText;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Permissions;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Creates campaigns and applies operators' orders. {@link CampaignLoop} runs them. */
@Service
public class CampaignCommands {
  private static final String CREATE = "createCampaign";
  private static final int WHOLE = 100;

  private final Transactions transactions;
  private final CampaignStore campaigns;
  private final InventoryStore inventory;
  private final Idempotency idempotency;
  private final AuditLog audit;
  private final IdSource ids;
  private final InstantSource clock;

  public CampaignCommands(
      Transactions transactions,
      CampaignStore campaigns,
      InventoryStore inventory,
      Idempotency idempotency,
      AuditLog audit,
      IdSource ids,
      InstantSource clock) {
    this.transactions = transactions;
    this.campaigns = campaigns;
    this.inventory = inventory;
    this.idempotency = idempotency;
    this.audit = audit;
    this.ids = ids;
    this.clock = clock;
  }

  /**
   * Creates a campaign.
   *
   * @throws Refusal FORBIDDEN, INVALID_FIELD (unknown cluster or node, or no node selected),
   *     LIMIT_EXCEEDED, IDEMPOTENCY_*
   */
  public Campaign create(
      Actor actor, NewCampaign wanted, @Nullable RequestKey key, boolean validateOnly) {
    Permissions.require(actor, CREATE);
    RequestKey effective = validateOnly ? null : key;
    return transactions.callOrTry(
        validateOnly,
        () -> {
          Optional<String> earlier = idempotency.earlier(actor, CREATE, effective);
          return earlier.isPresent() ? replayed(earlier.get()) : made(actor, effective, wanted);
        });
  }

  private Campaign replayed(String reference) {
    return IdText.decode(IdKind.CAMPAIGN, reference)
        .flatMap(id -> campaigns.campaign(new CampaignId(id)))
        .orElseThrow(() -> Idempotency.removed("campaign"));
  }

  private Campaign made(Actor actor, @Nullable RequestKey key, NewCampaign wanted) {
    if (campaigns.open().size() >= Campaign.MOST_OPEN) {
      throw new Refusal(
          ProblemCode.LIMIT_EXCEEDED,
          "%d campaigns are open, the maximum. Abort one, or wait until one ends."
              .formatted(Campaign.MOST_OPEN));
    }
    List<Node> nodes = CampaignNodes.of(inventory, wanted);
    int share = (nodes.size() * wanted.atOnce() + WHOLE - 1) / WHOLE;
    int atOnce =
        Math.clamp(wanted.percent() ? share : wanted.atOnce(), 1, CampaignRules.MOST_AT_ONCE);
    Instant now = clock.instant();
    Campaign campaign =
        CampaignBuilder.builder()
            .id(new CampaignId(ids.next()))
            .name(wanted.name())
            .reason(wanted.reason())
            .tenant(actor.tenant())
            .actor(actor.name())
            .rules(
                new CampaignRules(
                    atOnce,
                    wanted.drainWithin(),
                    wanted.atDeadline(),
                    wanted.mostUnhealthy(),
                    wanted.soak()))
            .total(nodes.size())
            .state(CampaignState.RUNNING)
            .message("")
            .createdAt(now)
            .endedAt(null)
            .version(1)
            .build();
    campaigns.insert(campaign, rows(campaign, nodes, now));
    idempotency.remember(actor, CREATE, key, campaign.id().text());
    audit.append(AuditRecord.change(actor, CREATE, null, campaign, of -> of.id().text()));
    return campaign;
  }

  private static List<CampaignNode> rows(Campaign campaign, List<Node> nodes, Instant now) {
    List<CampaignNode> rows = new ArrayList<>();
    for (Node node : nodes) {
      rows.add(
          CampaignNodeBuilder.builder()
              .campaign(campaign.id())
              .node(node.id())
              .name(node.name())
              .cluster(node.cluster())
              .position(rows.size())
              .state(CampaignNodeState.PENDING)
              .cordonedBefore(false)
              .drain(null)
              .since(now)
              .healthySince(null)
              .message("")
              .version(1)
              .build());
    }
    return rows;
  }

  /**
   * Pauses, resumes or aborts a campaign.
   *
   * @throws Refusal FORBIDDEN, NOT_FOUND, ILLEGAL_STATE if the order has no effect in the
   *     campaign's state
   */
  public Campaign order(
      Actor actor, CampaignId id, CampaignOrder order, String reason, boolean validateOnly) {
    Permissions.require(actor, "orderCampaign");
    return transactions.call(() -> {
      Campaign before = campaigns.locked(id).orElseThrow(() -> missing(id));
      Campaign after =
          before
              .ordered(order)
              .orElseThrow(() ->
                  new Refusal(
                      ProblemCode.ILLEGAL_STATE,
                      "Campaign %s is %s: %s has no effect in this state."
                          .formatted(id.text(), before.state(), order)));
      if (!validateOnly) {
        campaigns.update(after);
        TreeMap<String, Object> detail = new TreeMap<>();
        detail.put("order", order.name());
        detail.put("reason", reason);
        audit.append(
            new AuditRecord(actor, "orderCampaign", id.text(), true, detail)
                .changed(before, after));
      }
      return after;
    });
  }

  /**
   * Records that the work on a node is finished. The node returns to service, or stays cordoned if
   * it was cordoned before the campaign. A node that left its cluster and did not return in time is
   * marked as omitted.
   *
   * @param text id or name of the node
   * @throws Refusal FORBIDDEN, NOT_FOUND, ILLEGAL_STATE unless the node is READY, or UNHEALTHY
   *     because it left its cluster
   */
  public CampaignNode done(Actor actor, CampaignId id, String text, boolean validateOnly) {
    Permissions.require(actor, "finishCampaignNode");
    return transactions.call(() -> {
      Campaign campaign = campaigns.locked(id).orElseThrow(() -> missing(id));
      CampaignNode before = node(id, text);
      CampaignNode after = after(campaign, before);
      if (!validateOnly) {
        campaigns.update(after);
        if (before.state() == CampaignNodeState.READY && !before.cordonedBefore()) {
          inventory.order(before.node(), NodeOrder.UNCORDON);
        }
        audit.append(
            AuditRecord.change(actor, "finishCampaignNode", before, after, of -> id.text()));
      }
      return after;
    });
  }

  /** Finds a node of the campaign by id or name. An active node may have left its cluster. */
  private CampaignNode node(CampaignId id, String text) {
    List<CampaignNode> active =
        campaigns.active().stream()
            .filter(node -> node.campaign().equals(id))
            .filter(node -> node.name().equals(text) || node.node().text().equals(text))
            .toList();
    if (active.size() == 1) {
      return active.getFirst();
    }
    Node node = FleetNames.node(inventory, text);
    return campaigns
        .node(id, node.id())
        .orElseThrow(() ->
            new Refusal(
                ProblemCode.NOT_FOUND,
                "Campaign %s has no node %s.".formatted(id.text(), node.name())));
  }

  private CampaignNode after(Campaign campaign, CampaignNode before) {
    Instant now = clock.instant();
    if (campaign.state() != CampaignState.ABORTED && before.state() == CampaignNodeState.READY) {
      return before.returned(now);
    }
    if (campaign.state() != CampaignState.ABORTED
        && before.state() == CampaignNodeState.UNHEALTHY
        && inventory.inService(Set.of(before.node())).isEmpty()) {
      return CampaignPlan.left(before, now);
    }
    throw new Refusal(
        ProblemCode.ILLEGAL_STATE,
        ("Node %s is %s in campaign %s, which is %s: only a READY node can be marked as done, or an UNHEALTHY one that has "
                + "left its cluster.")
            .formatted(before.name(), before.state(), campaign.id().text(), campaign.state()));
  }

  private static Refusal missing(CampaignId id) {
    return new Refusal(ProblemCode.NOT_FOUND, "There is no campaign " + id.text() + ".");
  }
}
