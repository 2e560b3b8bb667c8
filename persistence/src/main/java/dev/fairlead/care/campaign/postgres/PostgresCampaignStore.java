package dev.fairlead.care.campaign.postgres;

import dev.fairlead.care.campaign.Campaign;
import dev.fairlead.care.campaign.CampaignId;
import dev.fairlead.care.campaign.CampaignNode;
import dev.fairlead.care.campaign.CampaignNodeState;
import dev.fairlead.care.campaign.CampaignStore;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.Constraints;
import dev.fairlead.kernel.postgres.Json;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Conflict.Guard;
import dev.fairlead.kernel.transaction.Transactions;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

@Component
class PostgresCampaignStore implements CampaignStore {
  private static final SqlFile INSERT = SqlFile.named("campaign/insert");
  private static final SqlFile INSERT_NODES = SqlFile.named("campaign/insert-nodes");
  private static final SqlFile OPEN = SqlFile.named("campaign/open");
  private static final SqlFile ONE = SqlFile.named("campaign/one");
  private static final SqlFile LOCKED = SqlFile.named("campaign/locked");
  private static final SqlFile PAGE = SqlFile.named("campaign/page");
  private static final SqlFile UPDATE = SqlFile.named("campaign/update");
  private static final SqlFile ACTIVE = SqlFile.named("campaign/active");
  private static final SqlFile PENDING = SqlFile.named("campaign/pending");
  private static final SqlFile NODE = SqlFile.named("campaign/node");
  private static final SqlFile NODES = SqlFile.named("campaign/nodes");
  private static final SqlFile COUNTS = SqlFile.named("campaign/counts");
  private static final SqlFile UPDATE_NODE = SqlFile.named("campaign/update-node");
  private static final SqlFile FORGET_NODES = SqlFile.named("campaign/forget-nodes");
  private static final SqlFile FORGET = SqlFile.named("campaign/forget");
  private static final String CAMPAIGN = "campaign";

  private final Transactions transactions;
  private final JdbcClient jdbc;

  PostgresCampaignStore(Transactions transactions, JdbcClient jdbc) {
    this.transactions = transactions;
    this.jdbc = jdbc;
  }

  @Override
  public void insert(Campaign campaign, List<CampaignNode> nodes) {
    transactions.forAllTenants(() -> {
      int _ = written(campaign, jdbc.sql(INSERT.text())).update();
      return jdbc.sql(INSERT_NODES.text())
          .param(CAMPAIGN, campaign.id().value())
          .param("nodes", Json.rows(nodes.stream().map(PostgresCampaignStore::row).toList()))
          .update();
    });
  }

  private static Map<String, ?> row(CampaignNode node) {
    return new TreeMap<>(
        Map.of(
            "node", node.node().value(),
            "position", node.position(),
            "state", node.state().name(),
            "content", Json.write(node),
            "version", node.version()));
  }

  @Override
  public List<Campaign> open() {
    return campaigns(jdbc.sql(OPEN.text()));
  }

  @Override
  public Optional<Campaign> campaign(CampaignId id) {
    return campaigns(jdbc.sql(ONE.text()).param("id", id.value())).stream().findFirst();
  }

  @Override
  public Optional<Campaign> locked(CampaignId id) {
    return campaigns(jdbc.sql(LOCKED.text()).param("id", id.value())).stream().findFirst();
  }

  @Override
  public List<Campaign> campaigns(@Nullable CampaignId before, int limit) {
    return campaigns(
        jdbc.sql(PAGE.text())
            .param("before", before == null ? null : before.value().toString())
            .param("limit", limit));
  }

  private List<Campaign> campaigns(JdbcClient.StatementSpec statement) {
    return transactions.forAllTenants(() ->
        statement
            .query((row, n) -> Json.read(Columns.text(row, "content"), Campaign.class))
            .list());
  }

  @Override
  public void update(Campaign campaign) {
    one(written(campaign.following(), jdbc.sql(UPDATE.text())), campaign.id().text());
  }

  private static JdbcClient.StatementSpec written(
      Campaign campaign, JdbcClient.StatementSpec statement) {
    return statement
        .param("id", campaign.id().value())
        .param("ended", Columns.parameter(campaign.endedAt()))
        .param("content", Json.write(campaign))
        .param("version", campaign.version());
  }

  @Override
  public List<CampaignNode> active() {
    return nodes(jdbc.sql(ACTIVE.text()));
  }

  @Override
  public List<CampaignNode> pending(CampaignId campaign, Collection<NodeId> without, int limit) {
    return nodes(
        jdbc.sql(PENDING.text())
            .param(CAMPAIGN, campaign.value())
            .param("without", Json.ids(without.stream().map(NodeId::value).toList()))
            .param("limit", limit));
  }

  @Override
  public Optional<CampaignNode> node(CampaignId campaign, NodeId node) {
    return nodes(
            jdbc.sql(NODE.text()).param(CAMPAIGN, campaign.value()).param("node", node.value()))
        .stream()
        .findFirst();
  }

  @Override
  public List<CampaignNode> nodes(CampaignId campaign, int behind, int limit) {
    return nodes(
        jdbc.sql(NODES.text())
            .param(CAMPAIGN, campaign.value())
            .param("behind", behind)
            .param("limit", limit));
  }

  private List<CampaignNode> nodes(JdbcClient.StatementSpec statement) {
    return transactions.forAllTenants(() ->
        statement
            .query((row, n) -> Json.read(Columns.text(row, "content"), CampaignNode.class))
            .list());
  }

  @Override
  public SortedMap<CampaignNodeState, Integer> counts(CampaignId campaign) {
    SortedMap<CampaignNodeState, Integer> counts = new TreeMap<>();
    transactions.forAllTenants(() -> {
      jdbc.sql(COUNTS.text())
          .param(CAMPAIGN, campaign.value())
          .query(row -> {
            counts.put(Columns.value(row, "state", CampaignNodeState.class), row.getInt("nodes"));
          });
      return counts;
    });
    return counts;
  }

  @Override
  public void update(CampaignNode node) {
    CampaignNode next = node.following();
    Constraints.unique(
        () ->
            one(
                jdbc.sql(UPDATE_NODE.text())
                    .param(CAMPAIGN, next.campaign().value())
                    .param("node", next.node().value())
                    .param("state", next.state().name())
                    .param("content", Json.write(next))
                    .param("version", next.version()),
                next.name()),
        () -> new Conflict(Guard.VERSION, next.name()));
  }

  private void one(JdbcClient.StatementSpec statement, String what) {
    Conflict.unlessOne(transactions.forAllTenants(statement::update), Guard.VERSION, what);
  }

  @Override
  public int forget(Instant endedBefore, int most) {
    return transactions.forAllTenants(() -> {
      int nodes =
          jdbc.sql(FORGET_NODES.text())
              .param("before", Columns.parameter(endedBefore))
              .param("most", most)
              .update();
      return nodes
          + jdbc.sql(FORGET.text()).param("before", Columns.parameter(endedBefore)).update();
    });
  }
}
