package dev.fairlead.care.health.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.care.health.service.NoticeIntake.Outcome;
import dev.fairlead.care.health.service.NoticeIntake.Report;
import dev.fairlead.care.health.service.NoticeIntake.Result;
import dev.fairlead.fleet.node.AnnouncedNotice;
import dev.fairlead.fleet.node.NodeNotice.Kind;
import dev.fairlead.fleet.node.NodeReports;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The stored fields of reported notices, and the causes of refusals. */
class NoticeIntakeTest {
  private final MemoryStores stores = MemoryStores.empty(31);
  private final TestWorld world = TestWorld.in(stores);
  private final Instant now = world.now();
  private final Actor olga = new Actor(world.tenant().id(), "olga", Role.OPERATOR);
  private final NoticeIntake intake =
      new NoticeIntake(
          stores.transactions(),
          stores.inventory(),
          stores.health(),
          stores.audit(),
          stores.clock());

  @BeforeEach
  void oneNode() {
    world.report(NodeReports.node("n1").bootId("boot-1").build());
  }

  private static Report spot(String id, @Nullable Instant deadline) {
    return new Report(id, "n1", Kind.SPOT, deadline, "taken back");
  }

  private Result announce(Report report) {
    return intake.announce(olga, world.cluster().name(), report, false);
  }

  private List<AnnouncedNotice> open() {
    return stores.health().announced(world.cluster().id(), now);
  }

  private long audited() {
    return stores.auditEntries().stream()
        .filter(entry -> entry.operation().equals("reportNotice"))
        .count();
  }

  /** Fails when a repeat moves the deadline, or is refused after the machine has gone. */
  @Test
  void noticeIsStoredOncePerId() {
    Result first = announce(spot("one", null));
    assertThat(first.outcome()).isEqualTo(Outcome.STORED);
    assertThat(first.deadline()).isEqualTo(now.plus(Kind.SPOT.within()));
    List<AnnouncedNotice> stored = open();
    assertThat(stored).extracting(AnnouncedNotice::boot).containsExactly("boot-1");
    world.report(NodeReports.node("another").build());
    stores.advance(Duration.ofMinutes(5));

    Result again = announce(spot("one", null));
    assertThat(again.outcome()).isEqualTo(Outcome.DUPLICATE);
    assertThat(again.deadline()).isEqualTo(first.deadline());
    assertThat(open()).isEqualTo(stored);
    assertThat(audited()).isOne();
  }

  @Test
  void newDeadlineWithTheSameIdReplacesTheNotice() {
    announce(spot("one", now.plusSeconds(120)));
    assertThat(announce(spot("one", now.plusSeconds(90))).outcome()).isEqualTo(Outcome.STORED);
    assertThat(open()).extracting(AnnouncedNotice::deadline).containsExactly(now.plusSeconds(90));
  }

  /** Fails when a late repeat of the announcement moves jobs after the withdrawal. */
  @Test
  void aWithdrawnNoticeRemainsWithdrawn() {
    announce(spot("one", now.plusSeconds(120)));
    String cluster = world.cluster().name();
    assertThat(intake.withdraw(olga, cluster, "one", true).outcome()).isEqualTo(Outcome.WITHDRAWN);
    assertThat(open()).as("only validated").hasSize(1);
    for (int i = 0; i < 2; i++) {
      assertThat(intake.withdraw(olga, cluster, "one", false).outcome())
          .isEqualTo(Outcome.WITHDRAWN);
    }
    assertThat(open()).isEmpty();
    assertThat(announce(spot("one", now.plusSeconds(60))).outcome()).isEqualTo(Outcome.WITHDRAWN);
    assertThat(open()).isEmpty();
    assertThat(audited()).isEqualTo(2);
  }

  @Test
  void invalidReportIsRejectedWithItsReason() {
    String cluster = world.cluster().name();
    refused(
        () -> announce(new Report("one", "n2", Kind.SPOT, null, null)),
        ProblemCode.INVALID_FIELD,
        "cluster " + cluster + " has no node n2");
    refused(
        () -> announce(spot("one", now)),
        ProblemCode.INVALID_FIELD,
        now + " is in the past: it is now " + now);
    refused(
        () -> announce(spot("one", now.plus(Duration.ofDays(367)))),
        ProblemCode.INVALID_FIELD,
        "is more than 366 days away");
    refused(
        () -> intake.announce(olga, "none-such", spot("one", null), false),
        ProblemCode.NOT_FOUND,
        "none-such");
    refused(
        () -> intake.withdraw(olga, cluster, "one", false),
        ProblemCode.INVALID_FIELD,
        "has no notice one");
    Actor stranger = new Actor(world.tenant().id(), "mallory", Role.MONITOR);
    refused(
        () -> intake.announce(stranger, cluster, spot("one", null), false),
        ProblemCode.FORBIDDEN,
        "cluster of its token");
    assertThat(open()).isEmpty();
    assertThat(audited()).isZero();
  }

  /** Fails when a sender with ids of its time fills the table. */
  @Test
  void numberOfNoticesOfAMachineIsBounded() {
    for (int i = 0; i < NoticeIntake.MOST; i++) {
      announce(spot("many-" + i, null));
    }
    refused(() -> announce(spot("one", null)), ProblemCode.LIMIT_EXCEEDED, "n1 has 16 notices");
    assertThat(announce(spot("many-0", now.plusSeconds(9))).outcome()).isEqualTo(Outcome.STORED);
  }

  private static void refused(ThrowingCallable call, ProblemCode code, String detail) {
    assertThatThrownBy(call)
        .hasMessageContaining(detail)
        .isInstanceOfSatisfying(
            Refusal.class, refusal -> assertThat(refusal.code()).isEqualTo(code));
  }
}
