package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodeOrder;
import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.postgres.Json;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.event.EventFilter;
import dev.fairlead.work.event.EventPosition;
import dev.fairlead.work.event.EventRecord;
import dev.fairlead.work.event.Fact;
import dev.fairlead.work.event.FleetEventType;
import dev.fairlead.work.event.FleetEvents;
import dev.fairlead.work.event.FleetFact;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.Transition;
import dev.fairlead.work.world.TestWorld;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The stored form of events: a row has the facts of one change. */
class EventRowsTest {
  /** Below the first transaction of any database. */
  private static final int EARLY = 2;

  private final PostgresInstallation stores = Embedded.installation();
  private final TestWorld world = TestWorld.in(stores);

  /** Fails when each fact has a row. */
  @Test
  void eventsOfAChangeAreStoredInOneRow() {
    Job job = world.submit(Specs.job("life"));
    world.succeed(world.run(world.place(job)));

    assertThat(of(job)).hasSize(8);
    assertThat(rows(job)).isEqualTo(5).isEqualTo(world.job(job).version());
  }

  /** Fails when a row has more facts than numbers reserved before the next row. */
  @Test
  void manyEventsOfAChangeAreStoredInSeveralRowsInOrder() {
    Job job = world.newJob(Specs.job("many").build());
    List<Fact> facts =
        IntStream.range(0, 70).mapToObj(i -> Fact.of("JobSubmitted").with("number", i)).toList();
    world.append(
        new Transition(
            job, List.of(), null, Transition.AllocationChange.KEEP, facts, TestWorld.ACTOR));
    world.submit(Specs.job("next"));

    List<EventRecord> events = of(job);

    assertThat(events).extracting(EventRecord::fact).isEqualTo(facts);
    assertThat(events).extracting(EventRecord::position).isSorted().doesNotHaveDuplicates();
    assertThat(rows(job)).isEqualTo(3);
    assertThat(stores.events().after(events.getLast().position(), 1))
        .extracting(e -> e.fact().data().get("name"))
        .containsExactly("next");
  }

  /**
   * Fails when a reader in the middle of old rows with consecutive numbers misses or repeats one.
   */
  @Test
  void singleFactRowsAreReadAlongsideMultiFactRows() {
    UUID subject = world.tenant().id().value();
    for (int seq = 100; seq < 140; seq++) {
      plant(subject, seq, "null");
    }
    plant(subject, 160, "'[[\"Second\", {}], [\"Third\", {}]]'");
    plant(subject, 192, "null");
    EventFilter mine = new EventFilter(world.tenant().id(), null, null, new TreeSet<>());

    List<Long> all = new ArrayList<>(IntStream.range(100, 140).mapToObj(i -> (long) i).toList());
    all.addAll(List.of(160L, 161L, 162L, 192L));
    for (int i = 0; i < all.size(); i++) {
      EventPosition after = new EventPosition(1L << 48 | EARLY, all.get(i));
      List<Long> rest = all.subList(i + 1, all.size());
      assertThat(numbers(stores.events().find(mine, after, 100, 100).events())).isEqualTo(rest);
      assertThat(numbers(stores.events().after(after, rest.size()))).isEqualTo(rest);
      assertThat(numbers(stores.events().of(world.tenant().id(), IdKind.JOB, subject, after, 100)))
          .isEqualTo(rest);
    }
    Embedded.run("DELETE FROM event WHERE type = 'Planted'");
  }

  /** Fails when a change that another version stored blocks the changes of other nodes. */
  @Test
  void unreadableHeldChangeIsSkipped() {
    EventPosition before = stores.events().head();
    Node node = world.node("node-1");
    FleetFact lost = FleetFact.of(FleetEventType.NODE_LOST, node.id(), 7, List.of(node.id()));
    hold(UUID.randomUUID(), "{\"type\": \"NODE_OF_A_LATER_VERSION\"}");
    hold(node.id().value(), Json.write(lost));

    assertThat(stores.fleetEvents().release(100)).isEqualTo(2);
    assertThat(stores.fleetEvents().release(100)).isZero();
    assertThat(stores.events().after(before, 100))
        .extracting(e -> e.fact().type())
        .containsExactly("NodeLost");
  }

  /** Fails when a connection of a tenant reads rows for operators or rows of another tenant. */
  @Test
  void tenantRoleReadsTheFleetEventsOfItsProjectsOnly() throws SQLException {
    TestWorld other = TestWorld.in(stores);
    Attempt _ = world.place(world.submit(Specs.job("mine").gpus(1)), 0, "node-1");
    NodeId node = world.node("node-1").id();
    stores.inventory().order(List.of(node), NodeOrder.CORDON);
    String read = "SELECT tenant FROM event WHERE subject = '%s'".formatted(node.value());

    TenantId mine = world.tenant().id();
    assertThat(asApplication(mine, read)).containsExactly(mine.value());
    assertThat(asApplication(other.tenant().id(), read)).isEmpty();
    assertThat(asApplication(FleetEvents.FLEET, read))
        .as("the row of operators")
        .containsExactly(FleetEvents.FLEET.value());
    String write =
        """
        INSERT INTO event (incarnation, xid, seq, type, subject_kind, subject, version, actor, tenant, data)
        VALUES (1, '2', 1, 'NodeLost', 'NODE', '%s', 1, 'test', '%s', '{}') RETURNING tenant
        """
            .formatted(node.value(), FleetEvents.FLEET.value());
    assertThatThrownBy(() -> asApplication(mine, write)).hasMessageContaining("row-level security");
  }

  /**
   * Rows of a statement of the role of connections that serve a tenant. The statement is rolled
   * back.
   */
  private static List<UUID> asApplication(TenantId tenant, String statement) throws SQLException {
    List<UUID> rows = new ArrayList<>();
    try (Connection connection =
            DriverManager.getConnection(
                Embedded.url(), Embedded.server().user(), Embedded.server().password());
        Statement jdbc = connection.createStatement()) {
      connection.setAutoCommit(false);
      jdbc.execute("SET LOCAL ROLE fairlead_app");
      jdbc.execute("SET LOCAL fairlead.tenant = '" + tenant.value() + "'");
      ResultSet found = jdbc.executeQuery(statement);
      while (found.next()) {
        rows.add(found.getObject(1, UUID.class));
      }
      connection.rollback();
    }
    return rows;
  }

  private void hold(UUID subject, String fact) {
    Embedded.run(
        "INSERT INTO held_fleet_event (subject, cluster, actor, held, due, fact) VALUES ('%s', '%s', 'test', 2, now(), '%s')"
            .formatted(subject, world.cluster().id().value(), fact));
  }

  private void plant(UUID subject, int seq, String more) {
    Embedded.run(
        "INSERT INTO event (incarnation, xid, seq, type, subject_kind, subject, version, actor,"
            + " tenant, data, more) VALUES (1, '%d', %d, 'Planted', 'JOB', '%s', 1, 'test', '%s', '{}', %s)"
                .formatted(EARLY, seq, subject, subject, more));
  }

  private static List<Long> numbers(List<EventRecord> events) {
    return events.stream().map(event -> event.position().sequence()).toList();
  }

  private List<EventRecord> of(Job job) {
    return stores
        .events()
        .of(world.tenant().id(), IdKind.JOB, job.id().value(), EventPosition.START, 100);
  }

  private long rows(Job job) {
    return stores
        .jdbc()
        .sql("SELECT count(*) FROM event WHERE subject = :job")
        .param("job", job.id().value())
        .query(Long.class)
        .single();
  }
}
