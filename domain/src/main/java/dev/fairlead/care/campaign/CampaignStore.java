package dev.fairlead.care.campaign;

import dev.fairlead.fleet.node.NodeId;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** Stores campaigns and their nodes, which belong to the platform. */
public interface CampaignStore {
  /** Stores a new campaign with its nodes, in order. */
  void insert(Campaign campaign, List<CampaignNode> nodes);

  /** Returns the campaigns that have not ended, by id. */
  List<Campaign> open();

  Optional<Campaign> campaign(CampaignId id);

  /** Returns the stored campaign and locks it until the open transaction ends. */
  Optional<Campaign> locked(CampaignId id);

  /**
   * Returns the campaigns, newest first.
   *
   * @param before only older campaigns, null for the newest
   */
  List<Campaign> campaigns(@Nullable CampaignId before, int limit);

  /**
   * Stores the campaign as its next version.
   *
   * @throws dev.fairlead.kernel.transaction.Conflict VERSION unless its version is stored
   */
  void update(Campaign campaign);

  /** Returns the nodes in progress of open campaigns, by campaign and position. */
  List<CampaignNode> active();

  /**
   * Returns the nodes that have not started, by position.
   *
   * @param without excluded nodes
   */
  List<CampaignNode> pending(CampaignId campaign, Collection<NodeId> without, int limit);

  Optional<CampaignNode> node(CampaignId campaign, NodeId node);

  /** Returns nodes by position after the given one, -1 for the first. */
  List<CampaignNode> nodes(CampaignId campaign, int behind, int limit);

  /** Returns the number of nodes in each state. States without nodes are absent. */
  SortedMap<CampaignNodeState, Integer> counts(CampaignId campaign);

  /**
   * Stores the node as its next version.
   *
   * @throws dev.fairlead.kernel.transaction.Conflict VERSION unless its version is stored, or while
   *     another campaign has the node out of service
   */
  void update(CampaignNode node);

  /**
   * Removes up to this number of nodes of campaigns that ended before that time, and campaigns
   * without nodes.
   */
  int forget(Instant endedBefore, int most);
}
