package dev.fairlead.work.job.postgres;

import dev.fairlead.care.booking.Booking;
import dev.fairlead.care.booking.BookingId;
import dev.fairlead.care.booking.BookingStore;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaStore;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.Json;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Runtimes;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Whether bookings permit the jobs of one batch to start now on locked nodes. */
final class OpenBookings {
  private static final SqlFile OF_NODES = SqlFile.named("booking/of-nodes");

  private final BookingStore bookings;
  private final QuotaStore quotas;
  private final Map<UUID, List<Booking>> byNode = new TreeMap<>();

  private OpenBookings(BookingStore bookings, QuotaStore quotas) {
    this.bookings = bookings;
    this.quotas = quotas;
  }

  /**
   * Runs after the nodes are locked, so that a concurrent new booking waits.
   *
   * @param nodes may be empty
   */
  static OpenBookings of(
      Collection<UUID> nodes, JdbcClient jdbc, BookingStore bookings, QuotaStore quotas) {
    OpenBookings open = new OpenBookings(bookings, quotas);
    if (!nodes.isEmpty()) {
      Map<UUID, List<UUID>> found = new TreeMap<>();
      jdbc.sql(OF_NODES.text())
          .param("nodes", Json.ids(nodes))
          .query(row -> {
            found
                .computeIfAbsent(Columns.uuid(row, "booking"), none -> new ArrayList<>())
                .add(Columns.uuid(row, "node"));
          });
      found.forEach(open::add);
    }
    return open;
  }

  private void add(UUID booking, List<UUID> nodes) {
    bookings
        .booking(new BookingId(booking))
        .ifPresent(one ->
            nodes.forEach(
                node -> byNode.computeIfAbsent(node, none -> new ArrayList<>()).add(one)));
  }

  boolean admit(UUID node, Job job) {
    List<Booking> its = byNode.get(node);
    if (its == null) {
      return true;
    }
    QuotaNode queue = quotas.node(job.tenant(), job.queue()).orElse(null);
    Instant start = bookings.now();
    return its.stream().allMatch(one -> Runtimes.admit(one, job, queue, start));
  }
}
