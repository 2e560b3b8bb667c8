package dev.fairlead.verify.simulation;

import dev.fairlead.verify.Program;
import dev.fairlead.verify.simulation.world.Guard;
import dev.fairlead.verify.simulation.world.Invariant;
import dev.fairlead.verify.simulation.world.InvariantBroken;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;

/** Finds the seeds that catch a missing guard, the first of which belongs in the test. */
public final class NegativeControls {
  private static final int MOST_SEEDS = 1_000_000;

  private NegativeControls() {}

  public static void main(String[] args) {
    List<String> names = Arrays.stream(Control.values()).map(Control::name).toList();
    Program.of("negative-controls", "prints the seeds that catch each control")
        .option("seeds", "tried seeds, by default 30")
        .option("controls", "some of the controls, with commas, by default all")
        .run(
            args,
            (arguments, report) -> {
              Program.quiet();
              int most = arguments.number("seeds", 30, 1, MOST_SEEDS);
              for (String name : arguments.some("controls", names)) {
                List<Long> seeds =
                    LongStream.rangeClosed(1, most)
                        .filter(seed -> catches(Control.valueOf(name), seed))
                        .boxed()
                        .toList();
                report.line(name + " caught by " + seeds.size() + " of " + most + ": " + seeds);
              }
            });
  }

  /** The first of this number of seeds that breaks the control's invariant, 0 for none. */
  static long caughtBy(Control control, long from, int most) {
    for (long seed = from; seed < from + most; seed++) {
      if (catches(control, seed)) {
        return seed;
      }
    }
    return 0;
  }

  private static boolean catches(Control control, long seed) {
    Simulation.Result result = Simulation.run(seed, control.missing(), false);
    return result.failure() instanceof InvariantBroken broken
        && broken.invariant() == control.invariant();
  }

  /** The removed guard, and the invariant that must break. */
  enum Control {
    FENCE(Invariant.NO_DEPOSED_WRITER, Guard.FENCE),
    QUOTA(Invariant.QUOTA_NOT_EXCEEDED, Guard.QUOTA_KNOWN, Guard.QUOTA),
    VERSION(Invariant.EVENTS_WITHOUT_GAP, Guard.FENCE_CHECK, Guard.VERSION),
    LIVE_ATTEMPT(Invariant.ONE_LIVE_ATTEMPT, Guard.FENCE_CHECK, Guard.VERSION, Guard.LIVE_ATTEMPT),
    ROOM(Invariant.NODE_NOT_OVER_ALLOCATED, Guard.FENCE_CHECK, Guard.ROOM),
    UID(Invariant.DEAD_IS_DEAD, Guard.UID),
    EVIDENCE(Invariant.DEAD_IS_DEAD, Guard.EVIDENCE),
    WAITING(Invariant.DEAD_IS_DEAD, Guard.WAITING),
    NODE_NOW(Invariant.DEAD_IS_DEAD, Guard.NODE_NOW),
    ABSENT(Invariant.DEAD_IS_DEAD, Guard.ABSENT),
    TOMBSTONE(Invariant.DEAD_IS_DEAD, Guard.TOMBSTONE),
    FINISHED(Invariant.SUCCESS_STANDS, Guard.FINISHED),
    LEAVING(Invariant.DEAD_IS_DEAD, Guard.LEAVING),
    ACK(Invariant.ACCEPTED_JOB_EXISTS, Guard.ACK),
    KEY(Invariant.ONE_KEY_ONE_JOB, Guard.KEY, Guard.NAME),
    RELEASE(Invariant.COUNTERS_EQUAL_ROWS, Guard.RELEASE),
    TERMINAL(Invariant.TERMINAL_IS_FINAL, Guard.FENCE_CHECK, Guard.VERSION, Guard.TERMINAL),
    FINALIZER(Invariant.EVERY_JOB_ENDS, Guard.FINALIZER),
    RETIRE(Invariant.NOTHING_IS_LEFT, Guard.RETIRE),
    QUARANTINE(Invariant.QUARANTINE_HOLDS, Guard.QUARANTINE),
    QUARANTINE_GPU(Invariant.QUARANTINED_GPU_IS_IDLE, Guard.QUARANTINE_GPU),
    KEPT_END(Invariant.FAULT_RESERVATION_ENDS, Guard.KEPT_END),
    RESERVATION(Invariant.RESERVED_PLACE_IS_KEPT, Guard.RESERVATION),
    BELIEVED(Invariant.USAGE_EQUALS_HELD, Guard.BELIEVED),
    STAMP(Invariant.USAGE_EQUALS_HELD, Guard.STAMP),
    CLOSED_HOUR(Invariant.USAGE_EQUALS_HELD, Guard.CLOSED_HOUR),
    CONFIRMED_LOSS(Invariant.FORGOTTEN_JOB_RUNS, Guard.CONFIRMED_LOSS),
    EARLIER_SUBMIT(Invariant.DELETED_JOB_ENDS, Guard.EARLIER_SUBMIT),
    NAMESPACE(Invariant.JOB_OF_ITS_NAMESPACE, Guard.NAMESPACE),
    LOST_AFTER(Invariant.VOLUME_IS_NOT_LOST, Guard.LOST_AFTER),
    FOUND(Invariant.VOLUME_IS_NOT_LOST, Guard.FOUND),
    CLAIMS_CONFIRMED(Invariant.VOLUME_IS_NOT_LOST, Guard.CLAIMS_CONFIRMED),
    BREAKER_STORED(Invariant.VOLUME_IS_NOT_LOST, Guard.BREAKER_STORED),
    NONCE(Invariant.REMOVED_WITH_PROOF, Guard.NONCE),
    LATER_WATERMARK(Invariant.COPY_SENDS_NO_ORDER, Guard.LATER_WATERMARK),
    BUDGET(Invariant.BUDGET_IS_NOT_PASSED, Guard.BUDGET_KNOWN, Guard.BUDGET),
    RENEWAL(Invariant.BUDGET_IS_NOT_PASSED, Guard.RENEWAL),
    BUDGET_CLOCK(Invariant.BUDGET_IS_NOT_PASSED, Guard.BUDGET_CLOCK),
    LICENCE(Invariant.LICENCES_SUFFICE, Guard.LICENCE_KNOWN, Guard.LICENCE),
    WINDOW(Invariant.WINDOW_IS_LEFT, Guard.WINDOW),
    WINDOW_LEAVE(Invariant.WINDOW_IS_LEFT, Guard.WINDOW_LEAVE),
    CHECK(Invariant.STARTS_ARE_CHECKED, Guard.CHECK_KNOWN, Guard.CHECK),
    EXIT_CODE(Invariant.RELEASED_MEMBER_FINISHED, Guard.EXIT_CODE),
    EARLY_RELEASE(Invariant.FINISHED_MEMBER_RELEASES, Guard.EARLY_RELEASE),
    BOOKED(Invariant.RESERVED_NODE_TAKES_NOTHING, Guard.BOOKED_KNOWN, Guard.BOOKED),
    BOOKED_LEAVE(Invariant.RESERVED_NODE_TAKES_NOTHING, Guard.BOOKED_LEAVE),
    OWN_CHECKPOINT(Invariant.CHECKPOINT_IS_ITS_OWN, Guard.OWN_CHECKPOINT),
    ASKED(Invariant.CHECKPOINT_IS_AWAITED, Guard.ASKED),
    COPY_WRITERS(Invariant.COPY_HAS_ALL_DATA, Guard.COPY_WRITERS),
    EARLIER_COPIER(Invariant.ONE_COPIER, Guard.EARLIER_COPIER),
    COPIER_STORED(Invariant.ONE_COPIER, Guard.COPIER_STORED),
    MOVE_KEPT(Invariant.MOVE_BACK_IS_RESERVED, Guard.MOVE_KEPT),
    MOVES_KNOWN(Invariant.MOVES_ARE_LIMITED, Guard.MOVES_KNOWN),
    RETRY_KEY(Invariant.RETRY_SUBMITS_ONCE, Guard.RETRY_KEY),
    ELEMENT_EDGE(Invariant.ELEMENT_FOLLOWS_ITS_OWN, Guard.ELEMENT_EDGE),
    NOTICE_CLOSES(Invariant.NOTICED_NODE_TAKES_NOTHING, Guard.NOTICE_CLOSES),
    NOTICE_KNOWN(Invariant.NOTICE_IS_HEEDED, Guard.NOTICE_KNOWN),
    NOTICE_WITHDRAWN(Invariant.NOTICE_ENDS, Guard.NOTICE_WITHDRAWN),
    SERVICE_READY(Invariant.SERVICE_WEIGHTS, Guard.SERVICE_READY),
    SERVICE_READY_EACH(Invariant.SERVICE_FLOOR, Guard.SERVICE_READY_EACH),
    SERVICE_REASON(Invariant.SERVICE_ROLLOUT_MOVES, Guard.SERVICE_REASON),
    SERVICE_PLACE(Invariant.SERVICE_SHARES, Guard.SERVICE_PLACE),
    SERVICE_PAUSED(Invariant.SERVICE_PAUSE_HOLDS, Guard.SERVICE_PAUSED),
    SLEEP_COUNTED(Invariant.SLEEP_HAS_EVIDENCE, Guard.SLEEP_COUNTED),
    SLEEP_KNOWN(Invariant.SERVICE_FLOOR, Guard.SLEEP_KNOWN),
    SLEEP_ENDED(Invariant.REPLICA_ENDS_FIRST, Guard.SLEEP_ENDED),
    SLEEP_WOKEN(Invariant.WAITING_REQUEST_WAKES, Guard.SLEEP_WOKEN),
    KIND_REPORT(Invariant.OBJECT_HAS_RESERVATION, Guard.KIND_REPORT),
    KIND_PODS(Invariant.OBJECT_HAS_RESERVATION, Guard.KIND_PODS),
    KIND_STOP(Invariant.STOP_REACHES_OBJECT, Guard.KIND_STOP),
    KIND_GONE(Invariant.RESERVATION_HAS_OBJECT, Guard.KIND_GONE),
    SERIES_STORED(Invariant.FAULT_IS_REPORTED, Guard.SERIES_STORED),
    SERIES_FRESH(Invariant.FAULT_IS_REPORTED_ONCE, Guard.SERIES_FRESH),
    SERIES_CLAIMED(Invariant.FOREIGN_GPU_IS_IGNORED, Guard.SERIES_CLAIMED),
    DEVICE_ELSEWHERE(Invariant.GPU_HELD_ONCE, Guard.DEVICE_ELSEWHERE),
    DEVICE_GENERATION(Invariant.PUBLISHED_GPU_REMAINS, Guard.DEVICE_GENERATION),
    DEVICE_ALLOCATION(Invariant.IDENTITY_IS_PROVEN, Guard.DEVICE_ALLOCATION),
    DEVICE_FAULT(Invariant.FAULTY_GPU_MOVES, Guard.DEVICE_FAULT),
    DEVICE_RULES(Invariant.QUARANTINED_GPU_IS_TAINTED, Guard.DEVICE_RULES),
    BACKEND_FOLLOWED(Invariant.LEDGER_FOLLOWS_POD, Guard.BACKEND_FOLLOWED),
    BACKEND_WAITS(Invariant.DEAD_IS_DEAD, Guard.BACKEND_WAITS),
    OBJECT_GENERATION(Invariant.OBJECT_IS_SERVED, Guard.OBJECT_GENERATION),
    OBJECT_DELETED(Invariant.FORGOTTEN_SERVICE_RUNS, Guard.OBJECT_DELETED),
    WARM_TAKEN(Invariant.SESSION_HAS_ONE_USER, Guard.WARM_TAKEN),
    WARM_CANCELLED(Invariant.SESSION_OUTLIVES_POOL, Guard.WARM_CANCELLED),
    TRANSFER(Invariant.USE_HAS_ITS_USER, Guard.TRANSFER);

    private final Invariant invariant;
    private final Set<Guard> missing;

    Control(Invariant invariant, Guard... missing) {
      this.invariant = invariant;
      this.missing = Set.of(missing);
    }

    Invariant invariant() {
      return invariant;
    }

    Set<Guard> missing() {
      return missing;
    }
  }
}
