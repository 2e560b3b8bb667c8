package dev.fairlead.work.job.postgres;

import dev.fairlead.care.reservation.AdvanceReservation;
import dev.fairlead.care.reservation.AdvanceReservationId;
import dev.fairlead.care.reservation.AdvanceReservationStore;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaStore;
import dev.fairlead.kernel.postgres.BelievedTime;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.Json;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.estimate.Runtimes;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Whether advance reservations permit the jobs of one batch to start now on locked nodes. */
final class OpenAdvanceReservations {
  private static final SqlFile OF_NODES = SqlFile.named("advance-reservation/of-nodes");

  private final AdvanceReservationStore advanceReservations;
  private final QuotaStore quotas;
  private final Map<UUID, List<AdvanceReservation>> byNode = new TreeMap<>();

  private OpenAdvanceReservations(AdvanceReservationStore advanceReservations, QuotaStore quotas) {
    this.advanceReservations = advanceReservations;
    this.quotas = quotas;
  }

  /**
   * Runs after the nodes are locked, so that a concurrent new advance reservation waits.
   *
   * @param nodes may be empty
   */
  static OpenAdvanceReservations of(
      Collection<UUID> nodes,
      JdbcClient jdbc,
      BelievedTime time,
      AdvanceReservationStore advanceReservations,
      QuotaStore quotas) {
    OpenAdvanceReservations open = new OpenAdvanceReservations(advanceReservations, quotas);
    if (!nodes.isEmpty()) {
      Map<UUID, List<UUID>> found = new TreeMap<>();
      jdbc.sql(OF_NODES.text())
          .param("nodes", Json.ids(nodes))
          .param("host", time.hostMillis())
          .query(row -> {
            found
                .computeIfAbsent(
                    Columns.uuid(row, "advance_reservation"), none -> new ArrayList<>())
                .add(Columns.uuid(row, "node"));
          });
      found.forEach(open::add);
    }
    return open;
  }

  private void add(UUID advanceReservation, List<UUID> nodes) {
    advanceReservations
        .advanceReservation(new AdvanceReservationId(advanceReservation))
        .ifPresent(one ->
            nodes.forEach(
                node -> byNode.computeIfAbsent(node, none -> new ArrayList<>()).add(one)));
  }

  boolean admit(UUID node, Job job) {
    List<AdvanceReservation> its = byNode.get(node);
    if (its == null) {
      return true;
    }
    QuotaNode queue = quotas.node(job.tenant(), job.queue()).orElse(null);
    Instant start = advanceReservations.now();
    return its.stream().allMatch(one -> Runtimes.admit(one, job, queue, start));
  }
}
