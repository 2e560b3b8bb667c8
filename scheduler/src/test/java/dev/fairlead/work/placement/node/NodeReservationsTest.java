package dev.fairlead.work.placement.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberKey;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Each leaving job releases ten cores. */
class NodeReservationsTest {
  private static final int SEVEN = 7;
  private static final int EIGHT = 8;

  private final NodeReservations reservations = new NodeReservations();

  @Test
  void capacityFreedForAJobIsNotReservedTwice() {
    keep(1, 25, SEVEN, EIGHT);

    assertThat(coresLacking()).isEqualTo(5);
  }

  @Test
  void departedMemberIsNotCountedAndAReturnedOneIs() {
    keep(1, 25, SEVEN, EIGHT);
    NodeReservation.LeavingMember seven =
        new NodeReservation.LeavingMember(attempt(SEVEN), MemberKey.of(worker(10)));

    reservations.gone(seven, true);
    assertThat(coresLacking()).isEqualTo(15);

    reservations.gone(seven, false);
    assertThat(coresLacking()).isEqualTo(5);
  }

  @Test
  void leavingMemberCountsOnceForAllWaitingJobs() {
    keep(1, 10, SEVEN);
    keep(2, 10, SEVEN);

    assertThat(coresLacking()).isEqualTo(10);
  }

  /** Fails when reservations are granted in the order of arrival. */
  @Test
  void soleWaiterGetsItHoweverLateItArrived() {
    keep(1, 10, SEVEN, EIGHT);
    keep(2, 10, SEVEN);
    keep(3, 0, EIGHT);
    keep(4, 0, EIGHT);

    assertThat(coresLacking()).isZero();
  }

  /** Fails when it uses the capacity of the first leaving job by id. */
  @Test
  void victimWithTheFewestWaitersIsCountedFirst() {
    keep(1, 10, SEVEN, EIGHT);
    keep(2, 10, SEVEN, 9);
    keep(3, 10, SEVEN, 9);

    assertThat(coresLacking()).isZero();
  }

  @Test
  void noJobGetsCapacityFreedForOthers() {
    keep(1, 2, SEVEN);
    keep(2, 10);

    assertThat(coresLacking()).isEqualTo(10);
  }

  private void keep(int job, int cores, int... units) {
    NodeReservation kept = new NodeReservation(reservation(job));
    kept.add(worker(cores));
    for (int unit : units) {
      kept.leaving(attempt(unit), worker(10));
    }
    reservations.add(kept);
  }

  private long coresLacking() {
    return reservations.lacking().values().stream().mapToLong(Amounts::cpuMilli).sum() / 1000;
  }

  private static Reservation reservation(int job) {
    return new Reservation(
        new JobId(new UUID(0, job)),
        0,
        Reservation.Kind.PREEMPTION,
        new ClusterId(new UUID(0, 1)),
        List.of(),
        List.of(),
        Instant.EPOCH,
        null,
        Instant.EPOCH);
  }

  private static AttemptId attempt(int number) {
    return new AttemptId(new UUID(0, number));
  }

  private static Member worker(int cores) {
    NodeId node = new NodeId(new UUID(0, 1));
    Flavor flavor = new Flavor(Flavor.CPU, CapacityType.RESERVED);
    ResourceVector request = ResourceVector.of(cores * 1000L, 0, 0, 1);
    return Member.planned("worker", 0, node, "n1", flavor, request, List.of());
  }
}
