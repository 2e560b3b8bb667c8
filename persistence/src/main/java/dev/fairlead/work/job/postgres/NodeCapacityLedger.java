package dev.fairlead.work.job.postgres;

import dev.fairlead.care.reservation.AdvanceReservationStore;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.fleet.node.pool.PoolStore;
import dev.fairlead.fleet.quota.QuotaStore;
import dev.fairlead.kernel.postgres.BelievedTime;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.Json;
import dev.fairlead.kernel.postgres.RowBatch;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.kernel.transaction.Conflict.Guard;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Transition;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Takes capacity on nodes and releases it. The rows are locked by id, the ledger finds the job that
 * does not fit, and the update that writes the sum checks the node again in its WHERE clause.
 */
@Component
class NodeCapacityLedger {
  private static final SqlFile LOCK = SqlFile.named("job/lock-rooms");
  private static final SqlFile UPDATE = SqlFile.named("job/update-rooms");

  private final JdbcClient jdbc;
  private final PoolStore pools;
  private final QuotaStore quotas;
  private final AdvanceReservationStore advanceReservations;
  private final BelievedTime time;

  NodeCapacityLedger(
      JdbcClient jdbc,
      PoolStore pools,
      QuotaStore quotas,
      AdvanceReservationStore advanceReservations,
      BelievedTime time) {
    this.jdbc = jdbc;
    this.pools = pools;
    this.quotas = quotas;
    this.advanceReservations = advanceReservations;
    this.time = time;
  }

  /** A locked node and the change of its capacity by this batch. */
  private static final class Room {
    private final boolean open;
    private final @Nullable String pool;
    private final @Nullable UUID poolTenant;
    private final boolean windowed;
    private final SortedMap<String, Long> extendedBefore;
    private ResourceVector free;
    private ResourceVector moved = ResourceVector.ZERO;
    private boolean takes;

    private Room(ResultSet row) throws SQLException {
      this.open = Columns.value(row, "state", NodeState.class) == NodeState.ACTIVE;
      this.pool = row.getString("pool");
      this.poolTenant = row.getObject("pool_tenant", UUID.class);
      this.windowed = row.getBoolean("windowed");
      this.extendedBefore = Json.amounts(Columns.text(row, "allocated_extended"));
      ResourceVector used = amounts(row, "allocated").plus(amounts(row, "foreign"));
      this.free = amounts(row, "allocatable").minus(used);
    }

    /** Returns whether the pool of the node accepts the job now, and is named by the job. */
    private boolean serves(Transition transition, OpenPools open) {
      Job job = transition.job();
      List<String> wanted = job.spec().placement().pools();
      return (poolTenant == null || poolTenant.equals(job.tenant().value()))
          && (wanted.isEmpty() || pool != null && wanted.contains(pool))
          && (!windowed || pool == null || open.take(pool, transition));
    }

    private boolean take(ResourceVector request) {
      if (!open || !request.fitsIn(free)) {
        return false;
      }
      takes = true;
      move(request);
      return true;
    }

    private void move(ResourceVector request) {
      free = free.minus(request);
      moved = moved.plus(request);
    }

    private SortedMap<String, Long> extended() {
      SortedMap<String, Long> now = new TreeMap<>(extendedBefore);
      moved.extended().forEach((name, amount) -> now.merge(name, amount, Long::sum));
      now.values().removeIf(amount -> amount == 0);
      return now;
    }
  }

  /** {@code ended} as in {@link Holdings}. */
  void apply(List<Transition> all, SortedMap<AttemptId, Attempt> ended) {
    List<Transition> transitions = all.stream().filter(t -> !Holdings.transfers(t)).toList();
    SortedMap<UUID, Room> rooms = lock(Holdings.members(transitions, ended));
    OpenPools open = new OpenPools(pools, quotas);
    OpenAdvanceReservations booked =
        OpenAdvanceReservations.of(
            taken(transitions, ended), jdbc, time, advanceReservations, quotas);
    for (Transition transition : transitions) {
      for (Member member : Holdings.members(transition, ended)) {
        Room room = rooms.get(member.node().value());
        if (Holdings.givesBack(transition) && room != null) {
          room.move(ResourceVector.ZERO.minus(member.request()));
        } else if (transition.moves() && room != null) {
          room.move(member.request());
        } else if (room == null || !room.serves(transition, open) || !room.take(member.request())) {
          throw JobWrites.refused(Guard.NODE_ROOM, transition.job());
        } else if (!booked.admit(member.node().value(), transition.job())) {
          throw JobWrites.refused(Guard.BOOKED, transition.job());
        }
      }
    }
    if (!rooms.isEmpty()) {
      write(transitions, rooms);
    }
  }

  /** Nodes on which an attempt starts. */
  private static SortedSet<UUID> taken(
      List<Transition> transitions, SortedMap<AttemptId, Attempt> ended) {
    SortedSet<UUID> nodes = new TreeSet<>();
    for (Transition transition : transitions) {
      if (!Holdings.givesBack(transition) && !transition.moves()) {
        Holdings.members(transition, ended).forEach(m -> nodes.add(m.node().value()));
      }
    }
    return nodes;
  }

  private SortedMap<UUID, Room> lock(List<Member> members) {
    SortedMap<UUID, Room> rooms = new TreeMap<>();
    SortedSet<UUID> nodes = new TreeSet<>();
    members.forEach(m -> nodes.add(m.node().value()));
    if (!nodes.isEmpty()) {
      jdbc.sql(LOCK.text())
          .param("ids", Json.ids(nodes))
          .query(row -> {
            rooms.put(Columns.uuid(row, "id"), new Room(row));
          });
    }
    return rooms;
  }

  private void write(List<Transition> transitions, SortedMap<UUID, Room> rooms) {
    RowBatch rows = new RowBatch();
    rooms.forEach((id, room) ->
        rows.row()
            .set("id", id)
            .set("takes", room.takes)
            .set("cpu", room.moved.cpuMilli())
            .set("memory_mib", room.moved.memoryMiB())
            .set("gpu", room.moved.gpuMilli())
            .set("pods", room.moved.pods())
            .set("extended", room.extended()));
    int written = jdbc.sql(UPDATE.text()).param("rows", rows.json()).update();
    if (written != rooms.size()) {
      throw JobWrites.refused(Guard.NODE_ROOM, Holdings.firstTaker(transitions));
    }
  }

  private static ResourceVector amounts(ResultSet row, String kind) throws SQLException {
    return new ResourceVector(
        row.getLong(kind + "_cpu"),
        row.getLong(kind + "_memory_mib"),
        row.getLong(kind + "_gpu"),
        row.getLong(kind + "_pods"),
        Json.amounts(Columns.text(row, kind + "_extended")));
  }
}
