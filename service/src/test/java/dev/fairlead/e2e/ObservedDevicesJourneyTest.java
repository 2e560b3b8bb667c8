package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.care.health.HealthEvent;
import dev.fairlead.care.health.NodeAllocations;
import dev.fairlead.care.health.NodeAllocations.PodDevices;
import dev.fairlead.care.health.dcgm.PodGpus;
import dev.fairlead.care.health.quarantine.Quarantine;
import dev.fairlead.care.health.quarantine.UnknownHolder;
import dev.fairlead.care.health.service.AllocationIntake;
import dev.fairlead.care.health.service.HealthIntake;
import dev.fairlead.care.health.service.Incidents;
import dev.fairlead.care.health.service.spi.DeviceHolders;
import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.fleet.node.gpu.GpuIdentity;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.attempt.member.HeldDevice;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.event.EventPosition;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.store.JobWriter;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.InventoryView;
import dev.fairlead.work.workload.WorkloadView;
import dev.fairlead.work.workload.judgement.ObservedMember;
import dev.fairlead.work.workload.judgement.ObservedWorkload;
import dev.fairlead.work.workload.service.attempt.ExportedDevices;
import dev.fairlead.work.workload.service.attempt.ReportedDevices;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A cluster whose nodes choose the devices, and whose ledger has slots that are not devices. */
class ObservedDevicesJourneyTest {
  private static final int EACH = 8;
  private final InMemoryFairlead fairlead = InMemoryFairlead.empty(19);
  private final MemoryStores stores = fairlead.stores();
  private final HealthIntake faults = ServiceParts.intake(stores);
  private final ReportedDevices holders =
      new ReportedDevices(
          stores.jobs(), new JobWriter(stores.jobs(), stores.explanations(), t -> {}));
  private final AllocationIntake agent =
      new AllocationIntake(stores.transactions(), stores.inventory(), holders, stores.clock());
  private final ExportedDevices exporter =
      new ExportedDevices(
          stores.jobs(),
          new JobWriter(stores.jobs(), stores.explanations(), t -> {}),
          stores.tenants());
  private boolean podsShow = true;
  private boolean unhealthy;

  @BeforeEach
  void register() {
    fairlead.reachThrough(this::withDevicePlugin);
    var _ = fairlead.register("eu", new FleetPool(3, EACH, "H100", 1, 1));
  }

  private ClusterGateway withDevicePlugin(ClusterGateway real) {
    return Between.on(
        real,
        (method, arguments, call) ->
            switch (method.getName()) {
              case "inventory" -> withoutDevices((InventoryView) call.now());
              case "nodeNow" ->
                  ((Optional<?>) call.now()).map(node -> withoutDevices((NodeReport) node));
              case "workloadsSince" -> podsShow ? shown((WorkloadView) call.now()) : call.now();
              default -> call.now();
            });
  }

  private static InventoryView withoutDevices(InventoryView own) {
    return new InventoryView(
        own.revision(),
        own.nodes().stream().map(ObservedDevicesJourneyTest::withoutDevices).toList());
  }

  private static NodeReport withoutDevices(NodeReport n) {
    List<Gpu> slots = new ArrayList<>();
    n.gpus().forEach(g -> slots.add(new Gpu(g.index(), n.name() + "/" + g.index(), g.state(), 0)));
    return n.withGpus(slots);
  }

  private WorkloadView shown(WorkloadView view) {
    SortedMap<AttemptId, ObservedWorkload> workloads = new TreeMap<>();
    view.workloads()
        .forEach((id, workload) -> {
          SortedMap<MemberKey, ObservedMember> members = new TreeMap<>(workload.members());
          members.replaceAll((key, pod) -> onDevice(pod, key));
          workloads.put(id, new ObservedWorkload(id, members, workload.others()));
        });
    return new WorkloadView(view.revision(), view.complete(), workloads);
  }

  private ObservedMember onDevice(ObservedMember m, MemberKey key) {
    return m.with()
        .key(key)
        .reason(
            unhealthy && m.state() == MemberState.RUNNING
                ? "UnhealthyGpu " + device(m.uid())
                : m.reason())
        .devices(List.of(new HeldDevice(device(m.uid()), false)))
        .build();
  }

  /** The node assigns each pod a separate device. */
  private static String device(String uid) {
    return "GPU-" + uid;
  }

  private Job running(String name) {
    Specs spec = Specs.job(name).gpus(1).annotation("sim.fairlead.dev/run-for", "30m");
    return fairlead.until(fairlead.submit(spec), JobState.RUNNING);
  }

  private Member member(Job job) {
    return fairlead.attempts(job).getFirst().members().getFirst();
  }

  private void xid48(Member on, String gpu) {
    Instant now = stores.clock().instant();
    HealthEvent event = new HealthEvent("e", now, on.nodeName(), gpu, null, 48, "");
    assertThat(faults.take(fairlead.operator(), "eu", List.of(event))).hasSize(1);
    fairlead.pass(Duration.ofSeconds(60));
  }

  private List<String> says(String node, Instant at, PodDevices... pods) {
    return agent.take(
        fairlead.operator(), "eu", List.of(new NodeAllocations(node, at, List.of(pods))));
  }

  private void says(Member of, String... ids) {
    PodDevices pod = new PodDevices(of.uid(), List.of(ids));
    assertThat(says(of.nodeName(), stores.clock().instant(), pod)).isEmpty();
  }

  private void assertRunsOn(Job job) {
    assertThat(fairlead.attempts(job))
        .singleElement()
        .extracting(Attempt::state)
        .isEqualTo(AttemptState.RUNNING);
  }

  private void assertFault(Job job, String source) {
    Attempt first = fairlead.attempts(job).getFirst();
    assertThat(first.state()).isEqualTo(AttemptState.FAILED);
    assertThat(first.failure().cause()).isEqualTo(FailureCause.GPU_FAULT);
    assertThat(first.failure().message())
        .contains("XID 48")
        .contains(device(first.members().getFirst().uid()))
        .contains("held by worker-0 according to " + source);
    assertThat(fairlead.attempts(job)).as("it runs elsewhere").hasSize(2);
  }

  /** Fails when the fault of a replica or MIG slice counts as the fault of an unknown device. */
  @ParameterizedTest
  @ValueSource(strings = {"%s", "%s::3", "MIG-%s/1/0"})
  void faultOfOneGpuStopsOnlyItsHolder(String id) {
    Job held = running("held");
    Job other = running("other");
    assertThat(member(other).nodeName()).isEqualTo(member(held).nodeName());
    assertThat(member(held).gpus().getFirst().serial()).isEqualTo(member(held).nodeName() + "/0");
    assertThat(member(held).gpuIdentity()).isEqualTo(GpuIdentity.OBSERVED);

    xid48(member(held), id.formatted(device(member(held).uid())));

    assertFault(held, "its pod status");
    assertRunsOn(other);
    assertThat(fault().incident().gpu()).isEqualTo(device(member(held).uid()));
  }

  /** Fails when a node that assigns its GPUs itself stays in use, or the reason is not given. */
  @Test
  void nodeIsExcludedAndTheIncidentIsTheReason() {
    Job held = running("held");
    xid48(member(held), device(member(held).uid()));

    Incidents.View.Fault fault = fault();
    assertThat(fault.quarantine()).isNotNull().matches(Quarantine::ofNode);
    assertThat(fault.incident().isolation())
        .isEqualTo(
            "the node's device plugin assigns its GPUs and cannot exclude one, so node "
                + fault.incident().nodeName()
                + " takes nothing new");
    assertThat(fault.question()).as("its holder is known").isNull();
  }

  @Test
  void holderIsUnknownWithoutASource() {
    podsShow = false;
    Job held = running("held");
    Job other = running("other");
    says(member(other), device(member(other).uid()));
    assertThat(member(held).gpuIdentity()).isEqualTo(GpuIdentity.UNKNOWN);
    xid48(member(held), device(member(held).uid()));
    assertRunsOn(held);

    Incidents.Question asked = fault().question();
    assertThat(asked.candidates())
        .as("and not the one that a source shows on another GPU")
        .containsExactly(new DeviceHolders.Candidate(held.id(), "held", "worker-0"));
    assertThat(asked.until()).isEqualTo(fault().quarantine().since().plus(Duration.ofMinutes(30)));
    assertThat(asked.then()).isEqualTo(UnknownHolder.Then.CONTINUE);
    fairlead.pass(Duration.ofMinutes(2));
    assertRunsOn(held);
  }

  private Incidents.View.Fault fault() {
    Incidents incidents =
        new Incidents(stores.health(), stores.inventory(), holders, UnknownHolder.DEFAULT);
    return (Incidents.View.Fault) incidents.list(null, true, null, 9).getFirst();
  }

  @Test
  void nodeAgentIdentifiesTheHolderWithoutPodReports() {
    podsShow = false;
    Job held = running("held");
    Job other = running("other");
    says(member(held), device(member(held).uid()));
    says(member(other), device(member(other).uid()));
    says(member(other), device(member(other).uid()));

    xid48(member(held), device(member(held).uid()));

    assertFault(held, "the node agent");
    assertRunsOn(other);
    assertThat(facts("MemberDevicesReported")).as("each once").hasSize(2);
  }

  private void exported(String node, String namespace, Job job, String gpu) {
    Attempt attempt = fairlead.attempts(job).getLast();
    String pod = ObjectNames.pod(attempt.id(), MemberKey.of(attempt.members().getFirst()));
    exporter.exported(
        attempt.cluster(), List.of(new PodGpus(node, namespace, pod, List.of(gpu))), "exporter/eu");
  }

  private String namespace(Job job) {
    return stores.tenants().project(job.tenant(), job.project()).orElseThrow().namespace();
  }

  @Test
  void exporterLabelsIdentifyTheHolderWithoutOtherSources() {
    podsShow = false;
    Job held = running("held");
    Job other = running("other");
    String sick = device(member(held).uid());
    exported(member(held).nodeName(), namespace(held), held, sick);
    exported(member(other).nodeName(), namespace(other), other, device(member(other).uid()));
    exported(member(other).nodeName(), namespace(other), other, device(member(other).uid()));

    xid48(member(held), sick);

    assertFault(held, "the DCGM exporter");
    assertRunsOn(other);
    assertThat(facts("MemberDevicesReported")).as("each once").hasSize(2);
  }

  /**
   * Fails when a pod of the same name in another namespace, or on another node, is mistaken for the
   * member.
   */
  @Test
  void labelsOfAnotherNamespaceOrNodeAreIgnored() {
    podsShow = false;
    Job held = running("held");
    String gpu = device(member(held).uid());
    exported(member(held).nodeName(), "another", held, gpu);
    exported("another", namespace(held), held, gpu);
    exported(member(held).nodeName(), namespace(held), held, "MIG-" + member(held).uid());
    assertThat(member(held).devices().reports()).isEmpty();
  }

  @Test
  void exporterThatContradictsThePodStatusIsReported() {
    Job held = running("held");
    String wrong = "GPU-5ca9e8b1-0000-4000-8000-000000000001";
    exported(member(held).nodeName(), namespace(held), held, wrong);

    assertThat(member(held).gpuIdentity()).isEqualTo(GpuIdentity.UNKNOWN);
    assertThat(facts("MemberDevicesDisputed"))
        .singleElement()
        .asString()
        .startsWith(wrong + " according to the DCGM exporter; ");
  }

  /** Fails when the supervisor judges the members of a faulty node only in its next full pass. */
  @Test
  void holderReportedByTheAgentAfterTheFaultIsStopped() {
    podsShow = false;
    Job held = running("held");
    String sick = device(member(held).uid());
    xid48(member(held), sick);
    assertRunsOn(held);

    says(member(held), sick);
    fairlead.pass(Duration.ofSeconds(30));

    assertFault(held, "the node agent");
  }

  @Test
  void foreignAgentAndNonGpuIdsIdentifyNothing() {
    podsShow = false;
    Job held = running("held");
    Member member = member(held);
    String away =
        stores.inventory().nodes(null).stream()
            .map(node -> node.name())
            .filter(name -> !name.equals(member.nodeName()))
            .findFirst()
            .orElseThrow();
    PodDevices pod = new PodDevices(member.uid(), List.of(device(member.uid())));
    Instant now = stores.clock().instant();
    assertThat(says(away, now, pod)).isEmpty();
    assertThat(says("unknown", now, pod)).containsExactly("unknown");
    assertThat(says(member.nodeName(), now.plusSeconds(600), pod))
        .containsExactly(member.nodeName());
    says(member, "MIG-" + member.uid());
    says(member, device(member.uid()), "MIG-" + member.uid());
    assertThat(member(held).devices().reports()).isEmpty();

    says(member, device(member.uid()) + "::3");
    assertThat(member(held).devices().reports()).hasSize(1);
    assertThat(member(held).gpuIdentity()).isEqualTo(GpuIdentity.UNKNOWN);
  }

  @Test
  void conflictingSourcesAreReportedAndStopNoJob() {
    Job held = running("held");
    Member member = member(held);
    String wrong = "GPU-5ca9e8b1-0000-4000-8000-000000000001";
    says(member, wrong);

    assertThat(member(held).gpuIdentity()).isEqualTo(GpuIdentity.UNKNOWN);
    assertThat(facts("MemberDevicesDisputed"))
        .singleElement()
        .asString()
        .contains(wrong + " according to the node agent")
        .contains(device(member.uid()) + " according to its pod status");
    xid48(member, wrong);
    assertRunsOn(held);
  }

  /** Fails when a device plugin that reports all devices as unhealthy moves a job forever. */
  @Test
  void aDevicePluginMovesAJobThreeTimesAndThenAfterAnHour() {
    unhealthy = true;
    Job job =
        fairlead.submit(Specs.job("moved").gpus(1).annotation("sim.fairlead.dev/run-for", "10h"));
    fairlead.pass(Duration.ofMinutes(50));
    assertThat(fairlead.attempts(job))
        .extracting(Attempt::state)
        .containsExactly(
            AttemptState.PREEMPTED,
            AttemptState.PREEMPTED,
            AttemptState.PREEMPTED,
            AttemptState.RUNNING);
    assertThat(fairlead.job(job).run().failures()).as("spent retries").isZero();

    fairlead.pass(Duration.ofMinutes(30));

    assertThat(fairlead.attempts(job).get(3).state()).isEqualTo(AttemptState.PREEMPTED);
  }

  /** Fails when a node that gave a device to two pods is not detected. */
  @Test
  void deviceOfTwoPodsIsReportedToBothJobsOnce() {
    podsShow = false;
    Job one = running("one");
    Job other = running("other");
    String twice = device(member(one).uid());
    says(member(one), twice);
    says(member(other), twice);

    fairlead.pass(Duration.ofMinutes(11));

    List<String> disputed =
        stores.events().after(EventPosition.START, 1000).stream()
            .filter(event -> event.fact().type().equals("MemberDevicesDisputed"))
            .map(event -> event.subjectId() + " " + event.fact().data().get("message"))
            .toList();
    String text = twice + " of worker-0 on node " + member(one).nodeName();
    assertThat(disputed)
        .containsExactlyInAnyOrder(
            one.id().value() + " " + text + " is also reported for another pod",
            other.id().value() + " " + text + " is also reported for another pod");
  }

  private List<Object> facts(String type) {
    List<Object> found = new ArrayList<>();
    stores.events().after(EventPosition.START, 1000).stream()
        .map(event -> event.fact())
        .filter(fact -> fact.type().equals(type))
        .forEach(fact -> found.add(fact.data().get("devices")));
    return found;
  }
}
