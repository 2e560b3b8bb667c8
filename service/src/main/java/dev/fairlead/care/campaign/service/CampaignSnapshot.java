package dev.fairlead.care.campaign.service;

import dev.fairlead.care.campaign.CampaignNode;
import dev.fairlead.care.campaign.CampaignPlan;
import dev.fairlead.care.health.quarantine.HealthStore;
import dev.fairlead.care.health.repair.RepairStore;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.FleetSource;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.node.Cordon;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.fleet.operation.Operation;
import dev.fairlead.kernel.identity.ClusterId;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * State of the fleet for one pass of the campaigns.
 *
 * @param cordoned cordoned nodes of the clusters that have active nodes
 * @param notNow nodes that must not be drained in this pass, because they are unhealthy or a
 *     campaign has them out of service already
 */
record CampaignSnapshot(
    SortedMap<NodeId, NodeState> states,
    SortedSet<NodeId> cordoned,
    SortedSet<NodeId> sick,
    SortedSet<NodeId> notNow) {
  CampaignSnapshot {
    states = Collections.unmodifiableSortedMap(states);
    cordoned = Collections.unmodifiableSortedSet(cordoned);
    sick = Collections.unmodifiableSortedSet(sick);
    notNow = Collections.unmodifiableSortedSet(notNow);
  }

  static CampaignSnapshot of(
      InventoryStore inventory,
      HealthStore health,
      RepairStore repairs,
      Collection<List<CampaignNode>> active) {
    SortedSet<NodeId> notNow = new TreeSet<>();
    SortedSet<ClusterId> clusters = new TreeSet<>();
    for (List<CampaignNode> nodes : active) {
      for (CampaignNode node : nodes) {
        notNow.add(node.node());
        clusters.add(node.cluster());
      }
    }
    SortedSet<NodeId> cordoned = new TreeSet<>();
    for (ClusterId cluster : clusters) {
      inventory.cordons(cluster).stream()
          .filter(node -> node.cordon() == Cordon.ORDERED)
          .forEach(node -> cordoned.add(node.id()));
    }
    FleetSource.Fleet fleet = inventory.fleet();
    SortedSet<NodeId> sick = new TreeSet<>();
    for (Cluster cluster : fleet.clusters()) {
      health.standing(cluster.id()).forEach(quarantine -> sick.add(quarantine.node()));
    }
    repairs.open().forEach(repair -> sick.add(repair.node()));
    SortedMap<NodeId, NodeState> states = new TreeMap<>();
    for (Node node : fleet.nodes()) {
      states.put(node.id(), node.state());
      boolean ill = sick.contains(node.id());
      if (!CampaignPlan.begins(new CampaignPlan.Seen(node.state(), false, ill, null))) {
        notNow.add(node.id());
      }
    }
    return new CampaignSnapshot(states, cordoned, sick, notNow);
  }

  /** Returns whether the cluster reports the node. */
  boolean known(NodeId node) {
    return states.containsKey(node);
  }

  CampaignPlan.Seen of(CampaignNode node, @Nullable Operation drain) {
    return new CampaignPlan.Seen(
        states.getOrDefault(node.node(), NodeState.RETIRED),
        cordoned.contains(node.node()),
        sick.contains(node.node()),
        drain == null ? null : drain.state());
  }
}
