package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.care.health.RepairStep;
import dev.fairlead.care.health.Repairs;
import dev.fairlead.care.health.repair.Repair;
import dev.fairlead.care.health.repair.RepairId;
import dev.fairlead.care.health.repair.RepairTask;
import dev.fairlead.care.health.repair.RepairTaskState;
import dev.fairlead.data.transfer.Transfer;
import dev.fairlead.data.transfer.TransferPhase;
import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.fleet.cluster.connection.PlacementBackend;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.postgres.Json;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.Members;
import dev.fairlead.work.world.TestWorld;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.SortedMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Rows as earlier versions stored them, and as these versions read them during a roll-back. */
class EarlierRowsTest {
  private static final Instant AT = Instant.parse("2026-11-29T10:00:00Z");

  private final PostgresInstallation stores = Embedded.installation();

  private int update(String sql, Object... parameters) {
    return stores
        .transactions()
        .forAllTenants(() -> stores.jdbc().sql(sql).params(parameters).update());
  }

  private String content(String table, UUID id) {
    return stores
        .transactions()
        .forAllTenants(() ->
            stores
                .jdbc()
                .sql("SELECT content FROM " + table + " WHERE id = ?")
                .param(id)
                .query(String.class)
                .single());
  }

  /** Fails when open transfers are unreadable after an upgrade or a roll-back. */
  @Test
  void transferRetainsItsStoredForm() {
    UUID id = stores.ids().next();
    UUID job = stores.ids().next();
    int _ =
        update(
            """
            INSERT INTO volume_transfer (id, tenant, project, target, version, content)
            SELECT CAST(? AS uuid), tenant, id, gen_random_uuid(), 3, CAST(? AS jsonb)
            FROM project WHERE id = '01900000-0000-7000-8000-000000000004'
            """,
            id.toString(),
            """
            {"id": {"value": "%s"}, "tenant": {"value": "01900000-0000-7000-8000-000000000001"},
             "project": {"value": "01900000-0000-7000-8000-000000000004"},
             "source": {"volume": "%s", "name": "from"}, "uri": null, "target": {"volume": "%s", "name": "to"},
             "cluster": null, "queue": "", "phase": "UPLOADING", "job": {"value": "%s"}, "done": 5, "total": 9,
             "message": "slow", "movedAt": "2026-11-29T10:00:00Z", "uploadedAfter": "2026-11-29T09:00:00Z",
             "uploaded": false, "verified": false, "writtenBy": null, "round": 1, "createdAt": "2026-11-29T08:00:00Z",
             "createdBy": "ada", "endedAt": null, "version": 3}
            """
                .formatted(id, id, id, job));

    Transfer found =
        stores.transfers().open().stream()
            .filter(each -> each.id().value().equals(id))
            .findFirst()
            .orElseThrow();
    stores.transfers().update(found.at(6, 9, AT));

    assertThat(found.phase()).isEqualTo(TransferPhase.UPLOADING);
    assertThat(found.status().round()).isEqualTo(1);
    assertThat(Json.object(content("volume_transfer", id)))
        .containsEntry("phase", "UPLOADING")
        .containsEntry("done", 6)
        .containsEntry("version", 4)
        .doesNotContainKey("status");
    assertThat(stores.transfers().open()).contains(found.at(6, 9, AT));
  }

  /** Fails when a machine that is off counts as on, because its task is unreadable. */
  @Test
  void repairTaskRetainsItsStoredForm() {
    Repair repair =
        Repairs.of(
            new RepairId(stores.ids().next()),
            new NodeId(stores.ids().next()),
            RepairStep.POWER_CYCLE,
            AT);
    stores.repairs().insert(repair);
    UUID id = stores.ids().next();
    int _ =
        update(
            """
            INSERT INTO repair_task (id, repair, cluster, node, version, content)
            VALUES (CAST(? AS uuid), CAST(? AS uuid), CAST(? AS uuid), CAST(? AS uuid), 2, CAST(? AS jsonb))
            """,
            id.toString(),
            repair.id().value().toString(),
            repair.cluster().value().toString(),
            repair.node().value().toString(),
            """
            {"id": {"value": "%s"}, "repair": {"value": "%s"}, "cluster": {"value": "%s"}, "node": {"value": "%s"},
             "nodeName": "n-1", "step": "POWER_CYCLE", "nonce": "n", "bootId": "boot-1", "tests": false, "testedSince": null,
             "orderedAt": "2026-11-29T09:00:00Z", "deadline": "2026-11-29T11:00:00Z", "state": "ORDERED",
             "talk": {"next": "2026-11-29T09:00:10Z", "unanswered": 0, "reference": "INC-7", "message": ""},
             "poweredOffAt": "2026-11-29T09:30:00Z", "contradictedAt": null, "endedAt": null, "version": 2}
            """
                .formatted(
                    id, repair.id().value(), repair.cluster().value(), repair.node().value()));

    RepairTask found = stores.repairs().poweredOff(repair.cluster()).getFirst();
    stores.repairs().update(found.contradicted(AT));

    assertThat(found.state()).isEqualTo(RepairTaskState.ORDERED);
    assertThat(Json.object(content("repair_task", id)))
        .containsEntry("state", "ORDERED")
        .containsEntry("contradictedAt", AT.toString())
        .doesNotContainKey("status");
  }

  /** Fails when the scheduler cannot read a reservation after an upgrade or a roll-back. */
  @Test
  void reservationRetainsTheStoredFormOfItsMembers() {
    TestWorld world = TestWorld.in(stores);
    Job job = world.submit(Specs.job("waits").gpus(2));
    List<Member> members =
        Members.of(job.spec(), List.of(world.node("node-1")), CapacityType.RESERVED);
    Instant now = world.now().truncatedTo(ChronoUnit.MICROS);
    Reservation reservation =
        new Reservation(
            job.id(),
            0,
            Reservation.Kind.DRAIN,
            world.cluster().id(),
            members,
            List.of(),
            now,
            null,
            now.plusSeconds(600));
    stores.reservations().put(List.of(reservation));

    assertThat(member(job))
        .containsEntry("role", "worker")
        .containsEntry("state", "PENDING")
        .containsEntry("uid", null)
        .doesNotContainKey("status");

    int _ =
        update(
            "UPDATE reservation SET members = jsonb_set(members, '{0,uid}', '\"u-1\"') WHERE job = ?",
            job.id().value());

    assertThat(stores.reservations().all())
        .filteredOn(each -> each.job().equals(job.id()))
        .flatExtracting(Reservation::members)
        .extracting(Member::uid)
        .containsExactly("u-1");
  }

  private SortedMap<String, Object> member(Job job) {
    return stores
        .transactions()
        .forAllTenants(() ->
            stores
                .jdbc()
                .sql("SELECT members -> 0 FROM reservation WHERE job = ?")
                .param(job.id().value())
                .query((row, n) -> Json.object(row.getString(1)))
                .single());
  }

  /** Fails when a cluster of an earlier version has no scheduler. */
  @Test
  void settingsWithoutABackendUseTheFairleadBackend() {
    ClusterSettings stored =
        Json.read(
            """
            {"topologyLabels": [], "pinning": "DIRECT", "rdmaResource": null, "scoring": null, "window": null,
             "consolidation": null, "callback": null, "prometheus": null, "nodeLabelsAndTaints": "NEVER", "gateway": null}
            """,
            ClusterSettings.class);

    assertThat(stored.backend()).isEqualTo(PlacementBackend.FAIRLEAD);
  }
}
