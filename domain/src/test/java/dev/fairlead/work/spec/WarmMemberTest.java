package dev.fairlead.work.spec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.work.job.Specs;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class WarmMemberTest {
  private static Specs session() {
    return Specs.job("eda").gpus(1).launcher("jupyter").run("jupyter lab");
  }

  private final JobSpec member = WarmMember.of(session().build(), "h100", 1);

  /** Fails when a session takes a member whose processes differ from its spec. */
  @Test
  void fieldsThatProcessesDependOnMustBeEqual() {
    assertThat(WarmMember.differences(member, session().build())).isEmpty();
    assertThat(WarmMember.differences(member, session().env("A", "b").build()))
        .containsExactly("env");
    assertThat(WarmMember.differences(member, session().gpus(2).build())).containsExactly("gpu");
    assertThat(WarmMember.differences(member, session().claim("files").build()))
        .containsExactly("volumes");
    assertThat(WarmMember.differences(member, session().secretEnv("A", "s", "k").build()))
        .containsExactly("secretEnv");
    assertThat(WarmMember.differences(member, session().idleAfter(Duration.ofHours(1)).build()))
        .containsExactly("progress");
    assertThat(WarmMember.differences(member, session().gracePeriod(Duration.ofHours(1)).build()))
        .containsExactly("another field");
    assertThat(WarmMember.differences(member, session().priority(PriorityClass.HIGH).build()))
        .containsExactly("preemption");
  }

  @Test
  void fieldsThatProcessesIgnoreMayDiffer() {
    JobSpec wanted =
        session()
            .label("team", "nlp")
            .maxRuntime(Duration.ofHours(8))
            .minRuntime(Duration.ofHours(1))
            .priority(PriorityClass.LOW)
            .build();
    assertThat(WarmMember.differences(member, wanted)).isEmpty();
  }

  @Test
  void memberHasTheLowestPriorityAndNoDeadline() {
    assertThat(WarmMember.priority(member)).isLessThan(PriorityClass.LOW.value());
    assertThat(WarmMember.priority(session().build())).isEqualTo(PriorityClass.NORMAL.value());
    assertThat(member.preemption().allowed()).isTrue();
    JobSpec bounded = session().maxRuntime(Duration.ofHours(8)).build();
    assertThat(WarmMember.of(bounded, "h100", 1).maxRuntime()).isNull();
  }

  /** Fails when a pool accepts a session with data or rights of one user. */
  @Test
  void sessionOfOneUserCannotBeAMember() {
    assertThat(WarmMember.objection(session().build())).isEmpty();
    assertThat(WarmMember.objection(session().claim("files").build())).isPresent();
    assertThat(WarmMember.objection(session().secretEnv("A", "s", "k").build())).isPresent();
    assertThat(WarmMember.objection(session().cloudIdentity("ci").build())).isPresent();
    assertThat(WarmMember.objection(session().workers(2).build())).isPresent();
    assertThat(
            WarmMember.objection(
                session().onUnreachable(JobSpec.OnUnreachable.AFTER_DEADLINE).build()))
        .isPresent();
  }
}
