package dev.fairlead.care.campaign.memory;

import dev.fairlead.care.campaign.Campaign;
import dev.fairlead.care.campaign.CampaignId;
import dev.fairlead.care.campaign.CampaignNode;
import dev.fairlead.care.campaign.CampaignNodeState;
import dev.fairlead.care.campaign.CampaignStore;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Conflict.Guard;
import dev.fairlead.kernel.transaction.memory.MemoryDatabase;
import dev.fairlead.kernel.transaction.memory.MemoryTable;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** In-memory implementation of {@link CampaignStore}. */
public final class MemoryCampaignStore implements CampaignStore {
  private static final Comparator<CampaignNode> ORDER =
      Comparator.comparing(CampaignNode::campaign).thenComparing(CampaignNode::position);

  private final MemoryDatabase database;
  private final MemoryTable<CampaignId, Campaign> campaigns;
  private final MemoryTable<String, CampaignNode> nodes;

  public MemoryCampaignStore(MemoryDatabase database) {
    this.database = database;
    this.campaigns = database.table();
    this.nodes = database.table();
  }

  @Override
  public void insert(Campaign campaign, List<CampaignNode> its) {
    database.run(() -> {
      campaigns.put(campaign.id(), campaign);
      its.forEach(node -> nodes.put(key(node.campaign(), node.node()), node));
    });
  }

  @Override
  public List<Campaign> open() {
    return all(each -> each.endedAt() == null);
  }

  @Override
  public Optional<Campaign> campaign(CampaignId id) {
    return database.call(() -> campaigns.find(id));
  }

  @Override
  public Optional<Campaign> locked(CampaignId id) {
    return campaign(id);
  }

  @Override
  public List<Campaign> campaigns(@Nullable CampaignId before, int limit) {
    return all(each -> before == null || each.id().compareTo(before) < 0).reversed().stream()
        .limit(limit)
        .toList();
  }

  private List<Campaign> all(Predicate<Campaign> wanted) {
    return database.call(() ->
        campaigns.all().stream()
            .filter(wanted)
            .sorted(Comparator.comparing(Campaign::id))
            .toList());
  }

  @Override
  public void update(Campaign campaign) {
    database.run(() -> {
      long stored = campaign(campaign.id()).map(Campaign::version).orElse(0L);
      refuseUnless(stored == campaign.version(), campaign.id().text());
      campaigns.put(campaign.id(), campaign.following());
    });
  }

  @Override
  public List<CampaignNode> active() {
    return database.call(() -> {
      List<CampaignId> open = open().stream().map(Campaign::id).toList();
      return of(node -> node.state().active() && open.contains(node.campaign()));
    });
  }

  @Override
  public List<CampaignNode> pending(CampaignId campaign, Collection<NodeId> without, int limit) {
    return of(node ->
            node.campaign().equals(campaign)
                && node.state() == CampaignNodeState.PENDING
                && !without.contains(node.node()))
        .stream()
        .limit(limit)
        .toList();
  }

  @Override
  public Optional<CampaignNode> node(CampaignId campaign, NodeId node) {
    return database.call(() -> nodes.find(key(campaign, node)));
  }

  @Override
  public List<CampaignNode> nodes(CampaignId campaign, int behind, int limit) {
    return of(node -> node.campaign().equals(campaign) && node.position() > behind).stream()
        .limit(limit)
        .toList();
  }

  private List<CampaignNode> of(Predicate<CampaignNode> wanted) {
    return database.call(() -> nodes.all().stream().filter(wanted).sorted(ORDER).toList());
  }

  @Override
  public SortedMap<CampaignNodeState, Integer> counts(CampaignId campaign) {
    SortedMap<CampaignNodeState, Integer> counts = new TreeMap<>();
    of(node -> node.campaign().equals(campaign))
        .forEach(node -> counts.merge(node.state(), 1, Integer::sum));
    return counts;
  }

  @Override
  public void update(CampaignNode node) {
    database.run(() -> {
      long stored = node(node.campaign(), node.node()).map(CampaignNode::version).orElse(0L);
      boolean elsewhere =
          !of(other ->
                  out(other)
                      && other.node().equals(node.node())
                      && !other.campaign().equals(node.campaign()))
              .isEmpty();
      refuseUnless(stored == node.version() && !(out(node) && elsewhere), node.name());
      nodes.put(key(node.campaign(), node.node()), node.following());
    });
  }

  private static boolean out(CampaignNode node) {
    return node.state() == CampaignNodeState.DRAINING || node.state() == CampaignNodeState.READY;
  }

  @Override
  public int forget(Instant endedBefore, int most) {
    return database.call(() -> {
      List<CampaignId> old =
          all(each -> each.endedAt() != null && each.endedAt().isBefore(endedBefore)).stream()
              .map(Campaign::id)
              .toList();
      List<CampaignNode> gone =
          of(node -> old.contains(node.campaign())).stream().limit(most).toList();
      gone.forEach(node -> nodes.remove(key(node.campaign(), node.node())));
      List<CampaignId> empty = old.stream().filter(id -> nodes(id, -1, 1).isEmpty()).toList();
      empty.forEach(campaigns::remove);
      return gone.size() + empty.size();
    });
  }

  private static String key(CampaignId campaign, NodeId node) {
    return campaign.text() + node.text();
  }

  private static void refuseUnless(boolean stored, String what) {
    if (!stored) {
      throw new Conflict(Guard.VERSION, what);
    }
  }
}
