package dev.fairlead.verify.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.verify.Program;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Without its guard the invariant breaks, so the simulation can detect the failures that it
 * excludes. The first number is the seed that caught the fault. A change of the simulation may move
 * it, so the test also tries a few later seeds. {@link NegativeControls} finds the new first one.
 */
class NegativeControlTest {
  private static final int TRIED = 30;

  @BeforeAll
  static void quiet() {
    Program.quiet();
  }

  @ParameterizedTest
  @CsvSource({
    "FENCE,1",
    "UID,1",
    "EVIDENCE,1",
    "TOMBSTONE,2",
    "ABSENT,1",
    "ROOM,3",
    "QUOTA,1",
    "VERSION,1",
    "LIVE_ATTEMPT,1",
    "RESERVATION,6",
    "WAITING,1",
    "NODE_NOW,6",
    "LEAVING,1",
    "ACK,2",
    "KEY,1",
    "RELEASE,1",
    "TERMINAL,2",
    "FINALIZER,4",
    "FINISHED,10",
    "RETIRE,1",
    "QUARANTINE,2",
    "QUARANTINE_GPU,1",
    "KEPT_END,1",
    "BELIEVED,1",
    "STAMP,1",
    "CONFIRMED_LOSS,1",
    "EARLIER_SUBMIT,6",
    "NAMESPACE,1",
    "LOST_AFTER,1",
    "FOUND,2",
    "CLAIMS_CONFIRMED,1",
    "BREAKER_STORED,6",
    "NONCE,2",
    "LATER_WATERMARK,1",
    "BUDGET,2",
    "RENEWAL,1",
    "BUDGET_CLOCK,1",
    "LICENCE,2",
    "CHECK,1",
    "EARLY_RELEASE,1",
    "BOOKED,1",
    "OWN_CHECKPOINT,2",
    "ASKED,2",
    "COPY_WRITERS,1",
    "EARLIER_COPIER,2",
    "COPIER_STORED,1",
    "MOVE_KEPT,5",
    "MOVES_KNOWN,5",
    "RETRY_KEY,6",
    "ELEMENT_EDGE,1",
    "NOTICE_CLOSES,1",
    "NOTICE_KNOWN,1",
    "NOTICE_WITHDRAWN,1",
    "SERVICE_READY,2",
    "SERVICE_PLACE,1",
    "SERVICE_PAUSED,5",
    "SLEEP_COUNTED,1",
    "SLEEP_KNOWN,1",
    "SLEEP_ENDED,1",
    "KIND_REPORT,2",
    "KIND_PODS,2",
    "SERIES_STORED,1",
    "SERIES_FRESH,1",
    "SERIES_CLAIMED,1",
    "DEVICE_GENERATION,1",
    "DEVICE_FAULT,5",
    "BACKEND_FOLLOWED,1",
    "OBJECT_GENERATION,2",
    "OBJECT_DELETED,1",
    "WARM_TAKEN,1",
    "WARM_CANCELLED,1",
    "TRANSFER,1"
  })
  void aMissingGuardIsCaught(NegativeControls.Control control, long seed) {
    check(control, seed);
  }

  /**
   * Guards whose seeds are late or cost more than four CPU seconds, except controls of the list of
   * guarantees.
   */
  @Tag("long")
  @ParameterizedTest
  @CsvSource({
    "CLOSED_HOUR,15",
    "WINDOW,10",
    "WINDOW_LEAVE,34",
    "EXIT_CODE,7",
    "BOOKED_LEAVE,46",
    "SERVICE_READY_EACH,33",
    "SERVICE_REASON,2",
    "SLEEP_WOKEN,1",
    "KIND_STOP,2",
    "KIND_GONE,25",
    "DEVICE_ELSEWHERE,1",
    "DEVICE_ALLOCATION,1",
    "DEVICE_RULES,1",
    "BACKEND_WAITS,14"
  })
  void aMissingGuardIsCaughtByALaterSeed(NegativeControls.Control control, long seed) {
    check(control, seed);
  }

  /**
   * A seed with all guards breaks nothing, and without one it breaks the control's invariant.
   * {@link SimulationTest} runs the first seeds with all guards.
   */
  private static void check(NegativeControls.Control control, long seed) {
    long caught = NegativeControls.caughtBy(control, seed, TRIED);
    assertThat(caught).isPositive();
    if (caught > SimulationTest.SEEDS) {
      assertThat(Simulation.run(caught).failure()).isNull();
    }
  }
}
