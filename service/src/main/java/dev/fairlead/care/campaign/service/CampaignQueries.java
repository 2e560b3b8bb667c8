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
   * A campaign for the API.
   *
   * @param nodes number of nodes by state, without states that have none
   */
  public record View(Campaign campaign, SortedMap<CampaignNodeState, Integer> nodes) {}

  /**
   * Returns a campaign by id.
   *
   * @throws Refusal NOT_FOUND
   */
  public View one(CampaignId id) {
    return campaigns
        .campaign(id)
        .map(this::view)
        .orElseThrow(
            () -> new Refusal(ProblemCode.NOT_FOUND, "There is no campaign " + id.text() + "."));
  }

  /** Returns the campaign with the number of its nodes by state. */
  public View view(Campaign campaign) {
    return new View(campaign, campaigns.counts(campaign.id()));
  }

  /**
   * Lists campaigns, newest first.
   *
   * @param before only older campaigns, null for the newest
   */
  public List<View> list(@Nullable CampaignId before, int limit) {
    return campaigns.campaigns(before, limit).stream().map(this::view).toList();
  }

  /**
   * A node in a list.
   *
   * @param position its order in the campaign. The nodes of an old campaign are deleted in parts,
   *     so positions have gaps
   */
  public record ListedNode(int position, CampaignNodeView node) {}

  /**
   * Lists nodes of a campaign by position.
   *
   * @param behind position after which the list starts, -1 for the first node
   * @throws Refusal NOT_FOUND
   */
  public List<ListedNode> nodes(CampaignId id, int behind, int limit) {
    SortedMap<ClusterId, String> names = new TreeMap<>();
    return campaigns.nodes(one(id).campaign().id(), behind, limit).stream()
        .map(n ->
            new ListedNode(
                n.position(),
                CampaignNodeView.of(n, names.computeIfAbsent(n.cluster(), this::clusterName))))
        .toList();
  }

  public CampaignNodeView view(CampaignNode node) {
    return CampaignNodeView.of(node, clusterName(node.cluster()));
  }

  private String clusterName(ClusterId cluster) {
    return inventory.nameOf(cluster).orElseGet(cluster::text);
  }
}
