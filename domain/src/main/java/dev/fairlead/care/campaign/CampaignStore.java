package dev.fairlead.care.campaign;

import dev.fairlead.fleet.node.NodeId;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** Campaigns and their nodes; of the platform. */
public interface CampaignStore {
  /** Stores a new one with its nodes, in their order. */
  void insert(Campaign campaign, List<CampaignNode> nodes);

  /** Those that have not ended, by id. */
  List<Campaign> open();

  Optional<Campaign> campaign(CampaignId id);

  /** As it is stored; in the open transaction it does not change any more. */
  Optional<Campaign> locked(CampaignId id);

  /**
   * Newest first.
   *
   * @param before only those that are older, null for the newest
   */
  List<Campaign> campaigns(@Nullable CampaignId before, int limit);

  /**
   * Stores it as the version that follows its own.
   *
   * @throws dev.fairlead.kernel.transaction.Conflict VERSION unless its own is stored
   */
  void update(Campaign campaign);

  /** Nodes of open campaigns that are looked after, by campaign and position. */
  List<CampaignNode> active();

  /**
   * Nodes whose turn is still to come, by position.
   *
   * @param without not these
   */
  List<CampaignNode> pending(CampaignId campaign, Collection<NodeId> without, int limit);

  Optional<CampaignNode> node(CampaignId campaign, NodeId node);

  /** By position, behind the one of that position; from -1 on. */
  List<CampaignNode> nodes(CampaignId campaign, int behind, int limit);

  /** How many nodes are in each state; states without one are absent. */
  SortedMap<CampaignNodeState, Integer> counts(CampaignId campaign);

  /**
   * Stores it as the version that follows its own.
   *
   * @throws dev.fairlead.kernel.transaction.Conflict VERSION unless its own is stored, or while
   *     another campaign has the node out of use
   */
  void update(CampaignNode node);

  /** Removes so many nodes of campaigns that ended before that time, and those without nodes. */
  int forget(Instant endedBefore, int most);
}
