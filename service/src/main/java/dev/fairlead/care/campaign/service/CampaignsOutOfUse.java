package dev.fairlead.care.campaign.service;

import dev.fairlead.care.campaign.CampaignStore;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.OutOfUse;
import java.util.SortedSet;
import java.util.TreeSet;
import org.springframework.stereotype.Component;

/** Lists nodes that campaigns have out of service. */
@Component
public class CampaignsOutOfUse implements OutOfUse {
  private final CampaignStore campaigns;

  public CampaignsOutOfUse(CampaignStore campaigns) {
    this.campaigns = campaigns;
  }

  @Override
  public SortedSet<NodeId> nodes() {
    SortedSet<NodeId> worked = new TreeSet<>();
    campaigns.active().stream()
        .filter(node -> node.state().outOfUse())
        .forEach(node -> worked.add(node.node()));
    return worked;
  }
}
