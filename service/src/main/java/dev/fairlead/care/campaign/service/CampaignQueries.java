package dev.fairlead.care.campaign.service;

import dev.fairlead.care.campaign.Campaign;
import dev.fairlead.care.campaign.CampaignId;
import dev.fairlead.care.campaign.CampaignNode;
import dev.fairlead.care.campaign.CampaignNodeState;
import dev.fairlead.care.campaign.CampaignStore;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Reads campaigns. */
@Service
public class CampaignQueries {
  private final CampaignStore campaigns;
  private final InventoryStore inventory;

  public CampaignQueries(CampaignStore campaigns, InventoryStore inventory) {
    this.inventory = inventory;
    this.campaigns = campaigns;
  }

  /**
   * A campaign as people read it.
   *
   * @param nodes how many are in each state; states without one are absent
   */
  public record View(Campaign campaign, SortedMap<CampaignNodeState, Integer> nodes) {}

  /** A node of a campaign, with the name of its cluster. */
  public record NodeView(CampaignNode node, String cluster) {}

  /**
   * @throws Refusal NOT_FOUND
   */
  public View one(CampaignId id) {
    return campaigns
        .campaign(id)
        .map(this::view)
        .orElseThrow(
            () -> new Refusal(ProblemCode.NOT_FOUND, "There is no campaign " + id.text() + "."));
  }

  /** The same with how many of its nodes are in each state. */
  public View view(Campaign campaign) {
    return new View(campaign, campaigns.counts(campaign.id()));
  }

  /** Newest first; {@code before} null for the newest. */
  public List<View> list(@Nullable CampaignId before, int limit) {
    return campaigns.campaigns(before, limit).stream().map(this::view).toList();
  }

  /**
   * By position, behind that one; from -1 on.
   *
   * @throws Refusal NOT_FOUND
   */
  public List<NodeView> nodes(CampaignId id, int behind, int limit) {
    SortedMap<ClusterId, String> names = new TreeMap<>();
    return campaigns.nodes(one(id).campaign().id(), behind, limit).stream()
        .map(n -> new NodeView(n, names.computeIfAbsent(n.cluster(), this::clusterName)))
        .toList();
  }

  /** The same with the name of its cluster. */
  public NodeView view(CampaignNode node) {
    return new NodeView(node, clusterName(node.cluster()));
  }

  private String clusterName(ClusterId cluster) {
    return inventory.nameOf(cluster).orElseGet(cluster::text);
  }
}
