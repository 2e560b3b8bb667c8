package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.audit.chain.AuditChain;
import dev.fairlead.people.audit.chain.ChainBreak;
import dev.fairlead.people.audit.chain.ChainBreak.Kind;
import dev.fairlead.people.audit.chain.ChainCheck;
import dev.fairlead.people.audit.chain.ChainKey;
import dev.fairlead.people.audit.chain.ChainLink;
import dev.fairlead.people.audit.chain.ChainPosition;
import dev.fairlead.people.audit.chain.ChainRow;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.work.world.TestWorld;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The chain of the audit in PostgreSQL, with real rows and a database that is tampered with. */
class AuditChainTest {
  private static final int ROWS = 8;
  private static final String URL = Embedded.migratedDatabase();
  private static PostgresInstallation stores;
  private static TestWorld world;
  private static AuditChain chain;
  private final ChainKey key = new ChainKey(new byte[32]);

  @BeforeAll
  static void open() {
    stores = PostgresInstallation.on(URL, Embedded.server().user(), Embedded.server().password());
    world = TestWorld.in(stores);
    chain = stores.bean(AuditChain.class);
  }

  @AfterAll
  static void close() {
    stores.close();
  }

  @BeforeEach
  void anEmptyAudit() throws SQLException {
    tamper("TRUNCATE audit_record, audit_link, audit_head");
  }

  private void write(String subject) {
    Actor ana = new Actor(world.tenant().id(), "ana", Role.ADMIN);
    TreeMap<String, Object> detail = new TreeMap<>();
    detail.put("name", subject);
    AuditRecord row = new AuditRecord(ana, "submitJob", subject, true, detail);
    stores.transactions().run(() -> stores.audit().append(row));
  }

  private int seal() {
    return seal(1_000);
  }

  /** Seals batches of that many rows until all are sealed, and returns the number of rows. */
  private int seal(int most) {
    stores.settled();
    ChainLink last = chain.last().orElse(null);
    int sealed = 0;
    while (true) {
      List<ChainRow> batch =
          chain.unsealed(last == null ? ChainPosition.START : last.position(), most);
      if (batch.isEmpty()) {
        return sealed;
      }
      last = key.link(last, batch);
      chain.append(last, key.head(last));
      sealed += batch.size();
    }
  }

  private Optional<ChainBreak> verify() {
    return ChainCheck.first(key, 0, chain.page(0, 1_000));
  }

  /** With all rights, past the service. */
  private void tamper(String statement) throws SQLException {
    try (Connection connection = superuser();
        Statement jdbc = connection.createStatement()) {
      jdbc.execute(statement);
    }
  }

  private int count(String table) throws SQLException {
    try (Connection connection = superuser();
        Statement jdbc = connection.createStatement();
        ResultSet rows = jdbc.executeQuery("SELECT count(*) FROM " + table)) {
      assertThat(rows.next()).isTrue();
      return rows.getInt(1);
    }
  }

  private Connection superuser() throws SQLException {
    return DriverManager.getConnection(URL, Embedded.server().user(), Embedded.server().password());
  }

  /** Fails when the content of a row depends on when or by whom it is read. */
  @Test
  void rowsAreSealedOnceAndReadBackUnchanged() {
    write("a");
    write("Zoë \"quoted\" \\ line\n");
    assertThat(chain.waiting(ChainPosition.START).rows()).isEqualTo(2);

    assertThat(seal()).isEqualTo(2);
    assertThat(seal()).isZero();

    stores
        .transactions()
        .run(() -> {
          stores.jdbc().sql("SET LOCAL timezone = 'Asia/Tokyo'").update();
          assertThat(verify()).isEmpty();
          assertThat(ChainCheck.first(key, 1, chain.page(1, 1))).isEmpty();
        });
  }

  /** Fails when rows are sealed in the order of their numbers: a late commit then has no link. */
  @Test
  void lateCommittedRowIsSealedInItsOrder() throws SQLException {
    try (Connection late = superuser();
        Statement jdbc = late.createStatement()) {
      late.setAutoCommit(false);
      jdbc.execute(
          "INSERT INTO audit_record (tenant, actor, administrator, operation, subject, allowed,"
              + " detail) VALUES (gen_random_uuid(), 'late', true, 'submitJob', 'x', true, '{}')");
      write("later, and committed first");
      assertThat(seal()).isZero();
      late.commit();
    }
    assertThat(seal()).isEqualTo(2);
    assertThat(verify()).isEmpty();
  }

  /** Fails when a role of the service can rewrite the chain or the audit. */
  @Test
  void onlyTheSealerAddsLinksAndNoRoleChangesOrDeletesThem() throws SQLException {
    try (TenantTables tenantTables = TenantTables.of(URL)) {
      String[] tables = {"audit_link", "audit_head"};
      assertThat(tenantTables.rights(tables)).isEmpty();
      assertThat(tenantTables.rightsOf("fairlead_loops", tables))
          .containsExactlyInAnyOrder("audit_link SELECT", "audit_head SELECT");
      assertThat(tenantTables.rightsOf("fairlead_sealer", tables))
          .containsExactlyInAnyOrder("audit_link INSERT", "audit_head INSERT", "audit_head DELETE");
      assertThat(tenantTables.rights("audit_record"))
          .containsExactlyInAnyOrder("audit_record SELECT", "audit_record INSERT");
      assertThat(tenantTables.rightsOf("fairlead_loops", "audit_record"))
          .containsExactlyInAnyOrder("audit_record SELECT", "audit_record INSERT");
    }
  }

  /** Fails when the compared values are read from a view, whose owner controls its contents. */
  @Test
  void viewBetweenAuditAndSealerCannotHideTampering() throws SQLException {
    write("a");
    seal();
    tamper("CREATE TABLE frozen AS SELECT * FROM audit_record");
    tamper("CREATE OR REPLACE VIEW audit_content AS SELECT *, 'as it was' AS content FROM frozen");
    tamper("UPDATE audit_record SET actor = 'eve'");

    assertThat(verify().orElseThrow().kind()).isEqualTo(Kind.ROW_CHANGED);
  }

  /** Fails when a row is sealed that no later row can follow: sealing would end silently. */
  @Test
  void rowOfAnUnknownIncarnationWaitsAndDelaysNoOther() throws SQLException {
    write("a");
    tamper("UPDATE audit_record SET incarnation = 32767");
    write("b");

    assertThat(seal()).isOne();
    write("c");
    assertThat(seal()).isOne();
    assertThat(chain.waiting(chain.last().orElseThrow().position()).rows()).isOne();
    assertThat(chain.last().orElseThrow().position()).isLessThan(chain.horizon());
  }

  /** Fails when each pass leaves a permanent head. */
  @Test
  void newestHeadsAreRetained() throws SQLException {
    for (int i = 0; i < 12; i++) {
      write("row-" + i);
      seal();
    }
    assertThat(count("audit_head")).isEqualTo(10);
    assertThat(verify()).isEmpty();
  }

  /** Fails when two concurrent sealers both succeed: the chain would fork. */
  @Test
  void aRowIsSealedOnce() {
    write("a");
    write("b");
    stores.settled();
    List<ChainRow> rows = chain.unsealed(ChainPosition.START, 2);
    ChainLink first = key.link(null, rows.subList(0, 1));
    ChainLink both = key.link(null, rows);
    chain.append(both, key.head(both));

    assertThatThrownBy(() -> chain.append(first, key.head(first)))
        .hasMessageContainingAll("row 1 ", "sealed");
    assertThat(verify()).isEmpty();
  }

  /** Fails when links of earlier versions, which seal one row each, are not a part of the chain. */
  @Test
  void batchesContinueAChainOfSingleRows() throws SQLException {
    write("a");
    write("b");
    seal(1);
    write("c");
    write("d");
    write("e");
    seal();
    write("f");
    seal();

    assertThat(count("audit_link")).isEqualTo(4);
    assertThat(count("audit_link WHERE batch IS NOT NULL")).isOne();
    assertThat(chain.last().orElseThrow().sequence()).isEqualTo(6);
    for (long after = 0; after < 6; after++) {
      assertThat(ChainCheck.all(key, after, chain.page(after, 1))).as("after %s", after).isEmpty();
    }
    assertThat(chain.page(0, 2).end()).isFalse();
    assertThat(chain.page(2, 1).links()).extracting(ChainLink::sequence).containsExactly(5L);
    assertThat(chain.page(4, 5).before()).isEqualTo(chain.link(2).orElseThrow());
    assertThat(chain.link(3)).isEmpty();
  }

  /** Fails when a change of the real rows is not found, or is named at another row. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "UPDATE audit_record SET actor = 'eve' WHERE subject = 'row-3' | ROW_CHANGED | 3",
        "UPDATE audit_record SET detail = '{}' WHERE subject = 'row-3' | ROW_CHANGED | 3",
        "UPDATE audit_record SET at = at - interval '1 us' WHERE subject = 'row-3' | ROW_CHANGED |"
            + " 3",
        "UPDATE audit_record SET count = 2, allowed = false WHERE subject = 'row-3' | ROW_CHANGED |"
            + " 3",
        "UPDATE audit_record SET tenant = gen_random_uuid() WHERE subject = 'row-3' | ROW_CHANGED |"
            + " 3",
        "DELETE FROM audit_record WHERE subject IN ('row-3', 'row-5') | ROW_MISSING | 3",
        "INSERT INTO audit_record SELECT at, nextval('audit_seq'), xid, tenant, 'eve',"
            + " administrator, operation, subject, allowed, detail, count, request_id, address,"
            + " incarnation FROM audit_record WHERE subject = 'row-3' | ROW_INSERTED | 3",
        "UPDATE audit_record SET xid = '3' WHERE subject = 'row-5' | ROW_INSERTED | 0",
        "UPDATE audit_link SET content = sha256('x') WHERE sequence = 3 | LINK_CHANGED |" + " 3",
        "UPDATE audit_link SET signature = 'short' WHERE sequence = 3 | LINK_CHANGED | 3",
        "DELETE FROM audit_link WHERE sequence = 3 | LINK_MISSING | 3",
        "DELETE FROM audit_link WHERE sequence >= 3 | CUT_OFF | 3",
        "UPDATE audit_head SET link = sha256('x') | HEAD_CHANGED | 8",
        "DELETE FROM audit_head WHERE sequence > 0 | HEAD_MISSING | 8"
      })
  void tamperedDatabaseIsDetectedWithTheFirstBadRow(String statement, Kind kind, long sequence)
      throws SQLException {
    for (int i = 1; i <= ROWS; i++) {
      write("row-" + i);
    }
    assertThat(seal(1)).isEqualTo(ROWS);
    assertThat(verify()).isEmpty();

    tamper(statement);

    ChainBreak found = verify().orElseThrow();
    assertThat(found.kind()).isEqualTo(kind);
    assertThat(found.sequence()).isEqualTo(sequence);
  }

  /**
   * Fails when a batch of three rows, the second of links 3, 6 and 8, is compared less strictly.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "UPDATE audit_record SET actor = 'eve' WHERE subject = 'row-5' | ROW_CHANGED | 5",
        "DELETE FROM audit_record WHERE subject IN ('row-4', 'row-5') | ROW_MISSING | 4",
        "INSERT INTO audit_record SELECT at, nextval('audit_seq'), xid, tenant, 'eve',"
            + " administrator, operation, subject, allowed, detail, count, request_id, address,"
            + " incarnation FROM audit_record WHERE subject = 'row-5' | ROW_INSERTED | 5",
        "UPDATE audit_record r SET xid = o.xid, seq = o.seq FROM audit_record o"
            + " WHERE (r.subject, o.subject) IN (('row-4', 'row-5'), ('row-5', 'row-4'))"
            + " | ROW_CHANGED | 4",
        "UPDATE audit_link SET batch = set_byte(batch, 60, 255 - get_byte(batch, 60))"
            + " WHERE sequence = 6 | LINK_CHANGED | 6",
        "UPDATE audit_link SET batch = 'short' WHERE sequence = 6 | LINK_CHANGED | 6",
        "UPDATE audit_link SET content = sha256('x') WHERE sequence = 6 | LINK_CHANGED | 6",
        "UPDATE audit_link SET batch = NULL WHERE sequence = 6 | LINK_MISSING | 4",
        "DELETE FROM audit_link WHERE sequence = 6 | LINK_MISSING | 4",
        "DELETE FROM audit_link WHERE sequence >= 6 | CUT_OFF | 4"
      })
  void tamperedBatchIsDetectedAndTheFirstBadRowIsNamed(String statement, Kind kind, long sequence)
      throws SQLException {
    for (int i = 1; i <= ROWS; i++) {
      write("row-" + i);
    }
    assertThat(seal(3)).isEqualTo(ROWS);
    assertThat(verify()).isEmpty();

    tamper(statement);

    ChainBreak found = verify().orElseThrow();
    assertThat(found.kind()).isEqualTo(kind);
    assertThat(found.sequence()).isEqualTo(sequence);
  }
}
