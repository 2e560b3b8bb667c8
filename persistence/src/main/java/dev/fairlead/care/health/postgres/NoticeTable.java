package dev.fairlead.care.health.postgres;

import dev.fairlead.fleet.node.AnnouncedNotice;
import dev.fairlead.fleet.node.AnnouncedNoticeBuilder;
import dev.fairlead.fleet.node.NodeNotice;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.SqlFile;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Rows of announced notices, in the caller's transaction. */
@Component
class NoticeTable {
  private static final SqlFile WRITE = SqlFile.named("health/write-notice");
  private static final SqlFile ONE = SqlFile.named("health/notice");
  private static final SqlFile OPEN = SqlFile.named("health/open-notices");
  private static final SqlFile OF_NODE = SqlFile.named("health/open-notices-of-node");

  private final JdbcClient jdbc;

  NoticeTable(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  void write(AnnouncedNotice notice) {
    jdbc.sql(WRITE.text())
        .param("cluster", notice.cluster().value())
        .param("id", notice.id())
        .param("node", notice.node())
        .param("kind", notice.kind().name())
        .param("reason", notice.reason())
        .param("deadline", Columns.parameter(notice.deadline()))
        .param("boot", notice.boot())
        .param("withdrawn", notice.withdrawn())
        .update();
  }

  Optional<AnnouncedNotice> one(ClusterId cluster, String id) {
    return jdbc.sql(ONE.text())
        .param("cluster", cluster.value())
        .param("id", id)
        .query(NoticeTable::row)
        .optional();
  }

  /** Notices that are not withdrawn and have a later deadline, by id. */
  List<AnnouncedNotice> open(ClusterId cluster, Instant after) {
    return jdbc.sql(OPEN.text())
        .param("cluster", cluster.value())
        .param("after", Columns.parameter(after))
        .query(NoticeTable::row)
        .list();
  }

  /** Those of {@link #open(ClusterId, Instant)} that name the node. */
  List<AnnouncedNotice> open(ClusterId cluster, String node, Instant after) {
    return jdbc.sql(OF_NODE.text())
        .param("cluster", cluster.value())
        .param("node", node)
        .param("after", Columns.parameter(after))
        .query(NoticeTable::row)
        .list();
  }

  private static AnnouncedNotice row(ResultSet row, int number) throws SQLException {
    return AnnouncedNoticeBuilder.builder()
        .cluster(new ClusterId(Columns.uuid(row, "cluster")))
        .id(Columns.text(row, "id"))
        .node(Columns.text(row, "node_name"))
        .kind(Columns.value(row, "kind", NodeNotice.Kind.class))
        .reason(Columns.text(row, "reason"))
        .deadline(Columns.instant(row, "deadline"))
        .boot(Columns.text(row, "boot"))
        .withdrawn(row.getBoolean("withdrawn"))
        .build();
  }
}
