package dev.fairlead.work.job.postgres;

import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.fleet.node.gpu.GpuState;
import dev.fairlead.kernel.postgres.BelievedTime;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.RowBatch;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.transaction.Conflict.Guard;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.member.GpuShare;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.Transition;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Allocates and releases parts of GPUs, as {@link NodeCapacityLedger} does for nodes, and records
 * the start of each member's use. Its times are the database's, in milliseconds since 1970, no
 * later than {@link BelievedTime}, and never decrease on a GPU: a new interval begins at or after
 * the end of all earlier ones.
 */
@Component
class GpuLedger {
  private static final SqlFile LOCK = SqlFile.named("job/lock-gpus");
  private static final SqlFile UPDATE = SqlFile.named("job/update-gpus");
  private static final SqlFile HOLD = SqlFile.named("job/insert-allocations");
  private static final SqlFile LET_GO = SqlFile.named("job/release-to-usage-intervals");

  private final JdbcClient jdbc;
  private final BelievedTime time;

  GpuLedger(JdbcClient jdbc, BelievedTime time) {
    this.jdbc = jdbc;
    this.time = time;
  }

  private record Place(UUID node, int gpu) implements Comparable<Place> {
    @Override
    public int compareTo(Place other) {
      int byNode = node.toString().compareTo(other.node.toString());
      return byNode != 0 ? byNode : Integer.compare(gpu, other.gpu);
    }
  }

  /** The allocation of one member, taken or released at a time. */
  private record Move(Transition transition, Member member, long atMillis) {}

  /** A locked slot and its change by this batch. */
  private static final class Slot {
    private final Gpu before;
    private Gpu now;
    private long bookedMillis;
    private boolean takes;

    private Slot(Gpu stored, long nowMillis) {
      before = stored;
      now = stored;
      bookedMillis = nowMillis;
    }

    private boolean take(GpuShare share) {
      if (!now.takes(share.milli(), share.slices())) {
        return false;
      }
      takes = true;
      move(share.milli(), now.slices() | share.slices());
      return true;
    }

    private void release(GpuShare share) {
      move(-share.milli(), now.slices() & ~share.slices());
    }

    private void move(int milli, int slices) {
      now = new Gpu(now.index(), now.serial(), now.state(), now.allocatedMilli() + milli, slices);
    }
  }

  /** {@code ended} as in {@link Holdings}. */
  void apply(List<Transition> transitions, SortedMap<AttemptId, Attempt> ended) {
    List<Member> members = Holdings.members(transitions, ended);
    if (members.stream().allMatch(member -> member.gpus().isEmpty())) {
      return;
    }
    SortedMap<Place, Slot> slots = lock(members);
    List<Move> moves = new ArrayList<>();
    for (Transition transition : transitions) {
      for (Member member : Holdings.members(transition, ended)) {
        for (GpuShare share : member.gpus()) {
          if (!Holdings.transfers(transition)) {
            move(transition, slots.get(place(member, share)), share);
          }
        }
        moves.add(new Move(transition, member, book(member, slots)));
      }
    }
    rows(transitions, moves);
    write(transitions, slots);
  }

  private static Place place(Member member, GpuShare share) {
    return new Place(member.node().value(), share.index());
  }

  private static void move(Transition transition, @Nullable Slot slot, GpuShare share) {
    if (Holdings.givesBack(transition) && slot != null) {
      slot.release(share);
    } else if (slot == null || !slot.take(share)) {
      throw JobWrites.refused(Guard.GPU_SLOT, transition.job());
    }
  }

  /** The latest time of a member's GPUs, used for all of them. */
  private static long book(Member member, SortedMap<Place, Slot> slots) {
    List<Slot> its =
        member.gpus().stream()
            .map(s -> Objects.requireNonNull(slots.get(place(member, s))))
            .toList();
    long at = its.stream().mapToLong(slot -> slot.bookedMillis).max().orElse(0);
    its.forEach(slot -> slot.bookedMillis = at);
    return at;
  }

  private SortedMap<Place, Slot> lock(List<Member> members) {
    RowBatch places = new RowBatch();
    for (Member member : members) {
      for (GpuShare share : member.gpus()) {
        places.row().set("node", member.node().value()).set("gpu", share.index());
      }
    }
    SortedMap<Place, Slot> slots = new TreeMap<>();
    jdbc.sql(LOCK.text())
        .param("rows", places.json())
        .param("host", time.hostMillis())
        .query(row -> {
          Gpu stored =
              new Gpu(
                  row.getInt("idx"),
                  "",
                  Columns.value(row, "state", GpuState.class),
                  row.getInt("allocated_milli"),
                  row.getInt("slices"));
          slots.put(
              new Place(Columns.uuid(row, "node"), stored.index()),
              new Slot(stored, row.getLong("now_ms")));
        });
    return slots;
  }

  /** Rows of ending allocations come first, so that a slot may change its holder in one batch. */
  private void rows(List<Transition> transitions, List<Move> moves) {
    RowBatch gone = new RowBatch();
    RowBatch rows = new RowBatch();
    for (Move move : moves) {
      if (!Holdings.takes(move.transition())) {
        letGo(gone, move);
      }
      if (!Holdings.givesBack(move.transition())) {
        hold(rows, move);
      }
    }
    if (!gone.isEmpty()) {
      jdbc.sql(LET_GO.text()).param("rows", gone.json()).update();
    }
    if (!rows.isEmpty()
        && jdbc.sql(HOLD.text()).param("rows", rows.json()).update() != rows.size()) {
      throw JobWrites.refused(Guard.GPU_SLOT, Holdings.firstTaker(transitions));
    }
  }

  private static void hold(RowBatch rows, Move move) {
    Member member = move.member();
    for (GpuShare share : member.gpus()) {
      rows.row()
          .set("attempt", Holdings.attempt(move.transition()).id().value())
          .set("role", member.role())
          .set("idx", member.index())
          .set("node", member.node().value())
          .set("gpu", share.index())
          .set("milli", share.milli())
          .set("slices", share.slices())
          .set("since_ms", move.atMillis());
    }
  }

  private static void letGo(RowBatch rows, Move move) {
    Holdings.used(rows.row(), move.transition(), move.member())
        .set("held", move.member().gpus())
        .set("reports", move.member().devices().reports())
        .set("ended_ms", move.atMillis());
  }

  private void write(List<Transition> transitions, SortedMap<Place, Slot> slots) {
    RowBatch rows = new RowBatch();
    slots.forEach((place, slot) ->
        rows.row()
            .set("node", place.node())
            .set("gpu", place.gpu())
            .set("takes", slot.takes)
            .set("milli", slot.now.allocatedMilli() - slot.before.allocatedMilli())
            .set("before", slot.before.slices())
            .set("slices", slot.now.slices())
            .set("booked_ms", slot.bookedMillis));
    if (jdbc.sql(UPDATE.text()).param("rows", rows.json()).update() != slots.size()) {
      throw JobWrites.refused(Guard.GPU_SLOT, Holdings.firstTaker(transitions));
    }
  }
}
