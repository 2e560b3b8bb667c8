package dev.fairlead.work.workload;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.care.health.FaultScope;
import dev.fairlead.fleet.node.NodeReports;
import dev.fairlead.fleet.node.gpu.DeviceUuid;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.fleet.node.gpu.GpuIdentity;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.SharedDevices;
import dev.fairlead.work.attempt.member.DeviceReporter;
import dev.fairlead.work.attempt.member.GpuShare;
import dev.fairlead.work.attempt.member.HeldDevice;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberDevices;
import dev.fairlead.work.event.Fact;
import dev.fairlead.work.job.DeviceTransitions;
import dev.fairlead.work.workload.judgement.Verdict;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Fails when a fault of one GPU stops a member that a source shows on another one. */
class ObservedDevicesTest {
  private static final String SICK = "GPU-5ca9e8b1-0000-4000-8000-000000000001";
  private static final String WELL = "GPU-5ca9e8b1-0000-4000-8000-000000000002";

  /** One member on a node with eight GPUs, whose ledger slot is not a device. */
  private static Watched onePod() {
    return Watched.running(1).holdsGpu(0).node(0, NodeReports.node("n0").gpus(8));
  }

  private static HeldDevice whole(String gpu) {
    return new HeldDevice(gpu, false);
  }

  private static Watched shows(String gpu) {
    Watched one = onePod().shows(0, whole(gpu));
    one.judge();
    return one;
  }

  @Test
  void faultOfOneGpuStopsItsHolderAndNoOtherMemberOfTheNode() {
    Watched holder = shows(SICK);
    Watched neighbour = shows(WELL);
    holder.sick(0, FaultScope.GPU, SICK).judge();
    neighbour.sick(0, FaultScope.GPU, SICK).judge();

    assertThat(holder.state()).isEqualTo(AttemptState.STOPPING);
    assertThat(holder.attempt().failure().message())
        .satisfies(reason("observed-devices.xid-gpu-fallen-off", 79, 1653922, "n0", "worker-0"));
    assertThat(neighbour.state()).isEqualTo(AttemptState.RUNNING);
  }

  @Test
  void memberOnAllSlotsKeepsRunningWhenObservedOnOtherDevices() {
    Watched other = Watched.running(1).holdsGpu(0).node(0, NodeReports.node("n0").gpus(1));
    other.shows(0, whole(WELL)).sick(0, FaultScope.GPU, SICK).judge();
    assertThat(other.state()).isEqualTo(AttemptState.RUNNING);
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(strings = {"MIG-5ca9e8b1-0000-4000-8000-000000000001", "0"})
  void aFaultWithoutTheUuidOfAGpuIsJudgedByTheSlots(String gpu) {
    Watched whole = Watched.running(1).holdsGpu(0).node(0, NodeReports.node("n0").gpus(1));
    whole.shows(0, whole(WELL)).sick(0, FaultScope.GPU, gpu).judge();
    assertThat(whole.state()).as("it holds all there are").isEqualTo(AttemptState.STOPPING);
  }

  @Test
  void aFaultOfTheNodeStopsEveryMemberOnIt() {
    Watched other = shows(WELL);
    other.sick(0, FaultScope.NODE, SICK).judge();
    assertThat(other.state()).isEqualTo(AttemptState.STOPPING);
  }

  @Test
  void unknownHolderStaysUnknown() {
    Watched unreachable = onePod();
    unreachable.sick(0, FaultScope.GPU, SICK).judge();
    assertThat(unreachable.member("worker-0").gpuIdentity()).isEqualTo(GpuIdentity.UNKNOWN);
    assertThat(unreachable.state()).isEqualTo(AttemptState.RUNNING);
  }

  /** Fails when a guess stops a member whose devices a source reported. */
  @Test
  void possibleHoldersOfTheGpuStopAfterTheDecisionDeadline() {
    Watched unreachable = onePod();
    unreachable.undecided(0, SICK).judge();
    Watched other = shows(WELL);
    other.undecided(0, SICK).judge();

    assertThat(unreachable.state()).isEqualTo(AttemptState.STOPPING);
    assertThat(unreachable.attempt().failure().message())
        .satisfies(reason("observed-devices.may-hold-operator-decided", "worker-0"));
    assertThat(other.state()).isEqualTo(AttemptState.RUNNING);
  }

  @Test
  void holderReportedAfterTheFaultIsStopped() {
    Watched late = onePod().sick(0, FaultScope.GPU, SICK);
    late.judge();
    assertThat(late.state()).isEqualTo(AttemptState.RUNNING);
    late.shows(0, whole(SICK)).judge();
    assertThat(late.state()).isEqualTo(AttemptState.STOPPING);
  }

  @Test
  void unknownHolderIsRetriedUntilTheReportTimeoutOfTheAgent() {
    Watched unreachable = onePod().sick(0, FaultScope.GPU, SICK);
    assertThat(unreachable.judge().lookAgainAt()).isNotNull();
    assertThat(unreachable.after(Duration.ofMinutes(11)).judge().lookAgainAt()).isNull();
    assertThat(shows(WELL).sick(0, FaultScope.GPU, SICK).judge().lookAgainAt()).isNull();
    assertThat(onePod().sick(0, FaultScope.GPU, "0").judge().lookAgainAt()).isNull();
  }

  @Test
  void newlyKnownDevicesAreStoredWithAFact() {
    Watched one = onePod().shows(0, whole(WELL));
    Verdict verdict = one.judge();
    assertThat(verdict.facts()).extracting(Fact::type).containsExactly("MemberDevicesReported");
    assertThat(one.member("worker-0").gpuIdentity()).isEqualTo(GpuIdentity.OBSERVED);
    assertThat(one.judge().changed()).as("told once").isFalse();
  }

  @Test
  void conflictingSourcesLeaveTheDeviceUnknownAndReportIt() {
    Watched one = onePod().agentShows(0, whole(WELL)).shows(0, whole(SICK));
    Verdict verdict = one.judge();

    assertThat(verdict.facts()).extracting(Fact::type).containsExactly("MemberDevicesDisputed");
    assertThat(verdict.facts().getFirst().data().get("devices"))
        .isEqualTo(WELL + " according to the node agent; " + SICK + " according to its pod status");
    assertThat(one.member("worker-0").gpuIdentity()).isEqualTo(GpuIdentity.UNKNOWN);
    one.sick(0, FaultScope.GPU, SICK).judge();
    assertThat(one.state()).as("a wrong source stops nothing").isEqualTo(AttemptState.RUNNING);
  }

  @Test
  void agreeingSourcesDoNotConflict() {
    Watched one = onePod().agentShows(0, whole(SICK)).shows(0, whole(SICK));
    one.judge();
    assertThat(one.member("worker-0").gpuIdentity()).isEqualTo(GpuIdentity.OBSERVED);
    assertThat(one.member("worker-0").devices().trusted().orElseThrow().source())
        .isEqualTo(DeviceReporter.POD_STATUS);
  }

  @Test
  void timeSlicedReplicaIsNotAWholeGpuOfTheLedger() {
    Watched one = onePod().shows(0, new HeldDevice(SICK, true));
    one.judge();
    assertThat(one.member("worker-0").gpuIdentity()).isEqualTo(GpuIdentity.UNKNOWN);
  }

  @Test
  void moreOrFewerDevicesThanSlotsAreUnknown() {
    Watched one = onePod().shows(0, whole(SICK), whole(WELL));
    one.judge();
    assertThat(one.member("worker-0").gpuIdentity()).isEqualTo(GpuIdentity.UNKNOWN);
  }

  @Test
  void idsOfAPluginAreDevicesOnlyWithTheUuidOfAGpu() {
    assertThat(HeldDevice.ofPlugin(SICK)).contains(whole(SICK));
    assertThat(HeldDevice.ofPlugin(SICK + "::3")).contains(new HeldDevice(SICK, true));
    List<String> others =
        List.of(
            "MIG-5ca9e8b1-0000-4000-8000-000000000001",
            "MIG-5ca9e8b1-0000-4000-8000-000000000001::3",
            "GPU-5ca9e8b1",
            SICK + "::",
            SICK + "::x",
            SICK + "::3::4",
            " " + SICK,
            "0",
            "vgpu-1",
            "");
    assertThat(others).allSatisfy(id -> assertThat(HeldDevice.ofPlugin(id)).isEmpty());
    assertThat(HeldDevice.ofPlugin(List.of(SICK, others.getFirst())))
        .as("the rest of a list with an unknown id")
        .isEmpty();
  }

  /** Fails when an event about an unknown part changes, or counts for another GPU. */
  @Test
  void partsThatNameTheirGpuAreThatGpu() {
    for (String part : List.of(SICK, SICK + "::3", "MIG-" + SICK + "/7/0")) {
      assertThat(DeviceUuid.physical(part)).isEqualTo(SICK);
    }
    for (String other :
        List.of(
            "MIG-5ca9e8b1-0000-4000-8000-000000000001",
            "MIG-" + SICK,
            "MIG-" + SICK + "::3",
            SICK + "/7/0",
            SICK + "::",
            SICK + "::123456",
            "GPU-1::3",
            "")) {
      assertThat(DeviceUuid.physical(other)).isEqualTo(other);
    }
  }

  @Test
  void agentReportsOnlyMembersOnItsNode() {
    Watched gang = Watched.running(2).holdsGpu(0).holdsGpu(1);
    Member away = gang.member("worker-1");
    assertThat(
            DeviceTransitions.reported(
                gang.job(),
                gang.attempt(),
                DeviceReporter.NODE_AGENT,
                gang.member("worker-0").node(),
                Map.of(away.uid(), List.of(whole(SICK))),
                "agent"))
        .isEmpty();
  }

  /** Fails when a member shows its planned GPUs as proven before the cluster reports them. */
  @Test
  void plannedDevicesAreEnforcedOnlyOnceASourceReportsThem() {
    List<GpuShare> planned = List.of(new GpuShare(0, SICK, Gpu.WHOLE_MILLI));
    MemberDevices none = MemberDevices.NONE;
    assertThat(none.identity(planned)).isEqualTo(GpuIdentity.ALLOCATING);
    assertThat(none.with(DeviceReporter.RESOURCE_CLAIM, List.of(whole(SICK))).identity(planned))
        .isEqualTo(GpuIdentity.ENFORCED);
    assertThat(none.with(DeviceReporter.RESOURCE_CLAIM, List.of(whole(WELL))).identity(planned))
        .isEqualTo(GpuIdentity.UNKNOWN);
  }

  private static Member on(Member like, int index, String gpu) {
    return Member.planned(
            "worker",
            index,
            like.node(),
            like.nodeName(),
            like.flavor(),
            like.request(),
            like.gpus())
        .holding(MemberDevices.NONE.with(DeviceReporter.POD_STATUS, List.of(whole(gpu))));
  }

  @Test
  void deviceHeldByTwoMembersOfANodeIsShared() {
    Watched gang = Watched.running(2).holdsGpu(0).holdsGpu(1);
    Member first = on(gang.member("worker-0"), 0, SICK);
    Attempt twice = gang.attempt().with(List.of(first, on(first, 1, SICK)));
    assertThat(SharedDevices.of(List.of(twice)))
        .containsExactly(
            Map.entry(
                twice.id(),
                SICK
                    + " of worker-0 on node n0 is also reported for another pod; "
                    + SICK
                    + " of worker-1 on node n0 is also reported for another pod"));

    Member away = on(gang.member("worker-1"), 1, SICK);
    for (Member other : List.of(on(first, 1, WELL), away)) {
      assertThat(SharedDevices.of(List.of(gang.attempt().with(List.of(first, other))))).isEmpty();
    }
  }

  @Test
  void reportWithoutDevicesChangesNothing() {
    MemberDevices known = MemberDevices.NONE.with(DeviceReporter.POD_STATUS, List.of(whole(SICK)));
    assertThat(known.with(DeviceReporter.POD_STATUS, List.of())).isSameAs(known);
  }
}
