package dev.fairlead.kernel.doctor.service;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.fleet.cluster.AccountTokens;
import dev.fairlead.fleet.cluster.Capabilities;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterKind;
import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.cluster.GpuComponent;
import dev.fairlead.fleet.cluster.IsolationFeature;
import dev.fairlead.fleet.cluster.connection.ClusterRight;
import dev.fairlead.fleet.cluster.connection.Connection;
import dev.fairlead.fleet.cluster.connection.PlacementBackend;
import dev.fairlead.fleet.cluster.connection.PodGroupApi;
import dev.fairlead.fleet.cluster.service.ClusterDiagnosis;
import dev.fairlead.fleet.cluster.service.GpuStackDiagnosis;
import dev.fairlead.fleet.node.gpu.GpuIdentity;
import dev.fairlead.kernel.doctor.Diagnosis;
import dev.fairlead.kernel.doctor.DoctorCheck;
import dev.fairlead.kernel.doctor.DoctorCheck.Verdict;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.loop.LeaseDiagnosis;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.retention.Ages;
import dev.fairlead.kernel.retention.RetentionStore;
import dev.fairlead.kernel.retention.service.RetentionDiagnosis;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobTransitions;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.workload.service.ClearingDiagnosis;
import dev.fairlead.work.workload.service.LeasesOfDisabledClusters;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Planted faults, each named with the step that repairs it. */
class DoctorTest {
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final Rows rows = new Rows();
  private final Doctor doctor =
      new Doctor(
          List.of(
              new LeaseDiagnosis(stores.leases(), new LeasesOfDisabledClusters(stores.inventory())),
              new ClusterDiagnosis(stores.inventory(), stores.jobs()::now),
              new GpuStackDiagnosis(stores.inventory()),
              new ClearingDiagnosis(stores.inventory(), stores.jobs()),
              new RetentionDiagnosis(rows)));

  private static Actor as(Role role) {
    return new Actor(new TenantId(new UUID(1, 1)), "ops", role);
  }

  private DoctorCheck check(String area, String subject) {
    return doctor.examine(as(Role.OPERATOR)).stream()
        .filter(check -> check.area().equals(area) && check.subject().equals(subject))
        .findFirst()
        .orElseThrow();
  }

  private void assertProblem(String area, String subject, String found, String next) {
    DoctorCheck check = check(area, subject);
    assertThat(check.verdict()).isEqualTo(Verdict.PROBLEM);
    assertThat(check.found()).contains(found);
    assertThat(check.next()).contains(next);
  }

  @Test
  void healthyChecksAreReportedHealthyWithoutAStep() {
    assertThat(doctor.examine(as(Role.OPERATOR)))
        .isNotEmpty()
        .allSatisfy(check -> {
          assertThat(check.verdict()).isEqualTo(Verdict.OK);
          assertThat(check.next()).isNull();
        });
  }

  @Test
  void unheldLeaseIsReportedWithTheMissingRole() {
    HeldLease lease = stores.leases().create("scheduler", "one").orElseThrow();
    assertThat(check("leases", "scheduler").verdict()).isEqualTo(Verdict.OK);

    stores.leases().release(lease);

    assertProblem("leases", "scheduler", "was released", "FAIRLEAD_ROLES");
  }

  /** Fails when only an event names the obstacle of an ended attempt. */
  @Test
  void blockerOfAnEndedAttemptIsReportedUntilTheCleanup() {
    Job job = world.submit(Specs.job("one"));
    Attempt ended = world.succeed(world.run(world.place(job)));
    String why = "pod a/b is blocked by the finalizer x/y";
    world.append(JobTransitions.notCleared(world.job(job), ended, why, TestWorld.ACTOR));

    DoctorCheck check = check("clearing", world.cluster().name());
    assertThat(check.verdict()).isEqualTo(Verdict.WARNING);
    assertThat(check.found()).contains("1 ended attempt ", job.id().text(), why);
    assertThat(check.next()).contains("Remove the named blockers");

    world.append(JobTransitions.retire(world.job(job), ended, world.now(), TestWorld.ACTOR));
    assertThat(doctor.examine(as(Role.OPERATOR))).noneMatch(c -> c.area().equals("clearing"));
  }

  /** Fails when a cluster that an operator disabled is a problem until it is removed. */
  @Test
  void leaseOfADisabledClusterNeedsNoHolder() {
    Cluster cluster = world.cluster();
    String lease = "cluster/" + cluster.id().bare();
    stores.leases().release(stores.leases().create(lease, "one").orElseThrow());
    assertThat(check("leases", lease).verdict()).isEqualTo(Verdict.PROBLEM);

    stores
        .inventory()
        .update(cluster.moved(ClusterState.DISABLED, null, null, Capabilities.UNOBSERVED));

    assertThat(doctor.examine(as(Role.OPERATOR))).noneMatch(c -> c.subject().equals(lease));
  }

  @ParameterizedTest
  @CsvSource({
    "UNREACHABLE, no usable answer, does not answer: no usable answer, FairleadClusterSilent",
    "DEGRADED, HTTP 403, gets nothing new: HTTP 403, Repair the named cause",
    "DEGRADED, '" + Cluster.ONLY_REPORTED + "epoch 7', epoch 7, docs/how-to/restore.md",
  })
  void clusterIsReportedWithItsProblemAndStep(
      ClusterState state, String trouble, String found, String next) {
    Cluster cluster = world.cluster();
    stores.inventory().update(cluster.moved(state, null, trouble, Capabilities.UNOBSERVED));

    assertProblem("clusters", cluster.name(), found, next);
  }

  /** Fails when a verb is not named, or the granting line does not have the manifest's form. */
  @Test
  void missingRightsAreNamedVerbByVerbWithTheLinesThatGrantThem() {
    lacks(
        ClusterRight.lacking(
            List.of(
                new ClusterRight("", "pods", "delete"),
                new ClusterRight("", "pods", "patch"),
                new ClusterRight("storage.k8s.io", "storageclasses", "list"),
                ClusterRight.RAISE_EPOCHS)));

    DoctorCheck check = check("rights", "real-1");
    assertThat(check.verdict()).isEqualTo(Verdict.PROBLEM);
    assertThat(check.found())
        .satisfies(reason("doctor.identity-may-delete-pods", "storageclasses.storage.k8s.io"));
    assertThat(check.next())
        .satisfies(
            reason(
                "doctor.add-rules-clusterrole-fairlead",
                "ClusterRole",
                "{apiGroups",
                "{apiGroups",
                "storage.k8s.io",
                "{apiGroups",
                "resourceNames"));
  }

  @Test
  void rightsThatAreNotKnownAreAWarning() {
    lacks("not known: HTTP 403");

    DoctorCheck check = check("rights", "real-1");
    assertThat(check.verdict()).isEqualTo(Verdict.WARNING);
    assertThat(check.found()).contains("HTTP 403");
  }

  @Test
  void aClusterWithoutAFenceIsAWarningWithTheFileToApply() {
    real(Capabilities.Fence.ABSENT, new TreeMap<>());

    DoctorCheck check = check("fences", "real-1");
    assertThat(check.verdict()).isEqualTo(Verdict.WARNING);
    assertThat(check.found()).satisfies(reason("doctor.deposed-supervisor-could-still"));
    assertThat(check.next()).contains("Apply deploy/cluster.yaml");
    assertThat(check("rights", "real-1").verdict()).isEqualTo(Verdict.OK);
  }

  /** Fails when rights count as complete by an outdated list. */
  @Test
  void rightsCheckedByTheListOfAnotherVersionAreAWarning() {
    real(Capabilities.Fence.ENFORCED, new TreeMap<>(), "of an older version");

    DoctorCheck check = check("rights", "real-1");
    assertThat(check.verdict()).isEqualTo(Verdict.WARNING);
    assertThat(check.found()).satisfies(reason("doctor.list-another-version"));
    assertThat(check.next()).contains("check is repeated", "deploy/cluster.yaml of this version");
  }

  /** Fails when a missing isolation feature is not reported, or an unknown one is a fault. */
  @Test
  void missingIsolationLayerIsReportedWithItsReason() {
    IsolationFeature unproven = IsolationFeature.unknown(IsolationFeature.NETWORK, "not proven");
    real(
        Capabilities.UNOBSERVED.behind(
            List.of(IsolationFeature.enforced(IsolationFeature.POD_SECURITY), unproven)));
    assertThat(check("isolation", "real-1").verdict()).isEqualTo(Verdict.OK);
    assertThat(check("isolation", "real-1").found())
        .isEqualTo("not known: networkPolicy, not proven");
  }

  @Test
  void unenforcedIsolationLayerIsAWarning() {
    real(
        Capabilities.UNOBSERVED.behind(
            List.of(
                IsolationFeature.notEnforced(IsolationFeature.SCOPE, "it may write anywhere"))));
    DoctorCheck check = check("isolation", "real-1");
    assertThat(check.verdict()).isEqualTo(Verdict.WARNING);
    assertThat(check.found()).satisfies(reason("doctor.enforced-scope-may-write"));
    assertThat(check.next()).contains("deploy/cluster.yaml");
  }

  /**
   * Fails when a pool that applies only inside Fairlead is not reported, or is reported on a
   * cluster without labels.
   */
  @Test
  void labelsThatNodesCannotShowAreAWarning() {
    String why = ClusterRight.lacking(ClusterRight.LABEL_NODES);
    real(Capabilities.Fence.ENFORCED, new TreeMap<>(Map.of("nodeLabelsAndTaints", why)));
    assertThat(doctor.examine(as(Role.OPERATOR)))
        .noneMatch(c -> c.area().equals("nodeLabelsAndTaints"));

    Cluster real = stores.inventory().clusterNamed("real-1").orElseThrow();
    ClusterSettings shows =
        real.settings().withNodeLabelsAndTaints(ClusterSettings.NodeLabelPolicy.POOL);
    stores
        .inventory()
        .configure(real.configured(real.capacity(), real.pricePerGpuHour(), shows), null);

    DoctorCheck check = check("nodeLabelsAndTaints", "real-1");
    assertThat(check.verdict()).isEqualTo(Verdict.WARNING);
    assertThat(check.found()).satisfies(reason("doctor.pools-quarantines-nodes-hold"));
    assertThat(check.next()).contains("Apply deploy/cluster-nodes.yaml");
  }

  /** Fails when a missing kind of a backend first appears in the wait of a job. */
  @Test
  void backendWithoutItsPodGroupsIsAProblem() {
    PodGroupApi volcano = PodGroupApi.named("scheduling.volcano.sh/v1beta1").orElseThrow();
    String key = Capabilities.podGroups(volcano.name());
    real(Capabilities.Fence.ENFORCED, new TreeMap<>(Map.of(key, volcano.absent())));
    assertThat(doctor.examine(as(Role.OPERATOR))).noneMatch(c -> c.area().equals("podGroups"));

    backend(volcano);

    DoctorCheck check = check("podGroups", "real-1");
    assertThat(check.verdict()).isEqualTo(Verdict.PROBLEM);
    assertThat(check.found()).contains("helm install volcano");
    assertThat(check.next()).contains("deploy/cluster-pod-group.yaml");

    backend(PodGroupApi.all().getFirst());
    assertThat(doctor.examine(as(Role.OPERATOR)))
        .as("it has not reported about its new backend")
        .noneMatch(c -> c.area().equals("podGroups"));
  }

  private void backend(PodGroupApi api) {
    Cluster real = stores.inventory().clusterNamed("real-1").orElseThrow();
    ClusterSettings grouped =
        real.settings()
            .withBackend(
                new PlacementBackend(PlacementBackend.Kind.POD_GROUP, api.name(), null, null));
    stores
        .inventory()
        .configure(real.configured(real.capacity(), real.pricePerGpuHour(), grouped), null);
  }

  /** Fails when only the owners of volumes see a right that an operator has to grant. */
  @Test
  void missingVolumeRightIsAWarning() {
    String why = ClusterRight.lacking(List.of(ClusterRight.READ_DISKS));
    real(Capabilities.Fence.ENFORCED, new TreeMap<>(Map.of("volumes", why)));

    DoctorCheck check = check("volumes", "real-1");
    assertThat(check.verdict()).isEqualTo(Verdict.WARNING);
    assertThat(check.found()).satisfies(reason("doctor.identity-may-get-persistentvolumes"));
    assertThat(check.next()).contains("deploy/cluster-volumes.yaml");
  }

  private void lacks(String reason) {
    real(Capabilities.Fence.ENFORCED, new TreeMap<>(Map.of("rights", reason)));
  }

  private void real(Capabilities.Fence fence, TreeMap<String, String> reasons) {
    real(fence, reasons, ClusterRight.LIST);
  }

  private void real(Capabilities.Fence fence, TreeMap<String, String> reasons, String asked) {
    Capabilities known =
        new Capabilities(
            "v1.36",
            fence,
            GpuIdentity.UNKNOWN,
            false,
            false,
            false,
            false,
            List.of(),
            "cluster.local",
            true,
            List.of(),
            reasons,
            asked,
            List.of(),
            List.of(),
            Capabilities.Presence.UNKNOWN,
            List.of());
    real(known);
  }

  private void has(GpuComponent... stack) {
    Cluster now = world.cluster();
    stores
        .inventory()
        .update(
            now.moved(
                now.state(),
                stores.jobs().now(),
                null,
                Capabilities.UNOBSERVED.with(List.of(stack))));
  }

  /** Fails when a missing part is not named, or an unknown one is reported as missing. */
  @Test
  void missingGpuStackPartsAreReportedAndUnknownOnesAreNot() {
    GpuComponent.Part exporter = GpuComponent.Part.DCGM_EXPORTER;
    String name = world.cluster().name();
    has(GpuComponent.unknown(exporter, "may not list daemonsets.apps"));
    assertThat(check("gpu-stack", name).verdict()).isEqualTo(Verdict.OK);
    assertThat(check("gpu-stack", name).found()).contains("may not list daemonsets.apps");

    has(
        GpuComponent.absent(exporter, "no DaemonSet was found"),
        GpuComponent.absent(
            GpuComponent.Part.CONTAINER_TOOLKIT, "it may be part of the machine image"));
    assertThat(check("gpu-stack", name).verdict()).isEqualTo(Verdict.WARNING);
    assertThat(check("gpu-stack", name).found())
        .satisfies(reason("doctor.lacks-daemonset-there", "DCGM_EXPORTER", "DaemonSet"));

    has(
        GpuComponent.present(
            GpuComponent.Part.DRIVER,
            new TreeMap<>(Map.of("550.90.07", 2, "570.124.06", 6)),
            null));
    assertThat(check("gpu-stack", name).found())
        .satisfies(reason("doctor.nodes-different-drivers-nodes", "570.124.06", 6, "550.90.07", 2));
  }

  /** Fails when a token without a renewal expires without a finding. */
  @Test
  void unrenewedTokenIsReportedWithItsRemainingTime() {
    Instant now = stores.jobs().now().truncatedTo(ChronoUnit.SECONDS);
    real(token(now.minus(Duration.ofHours(1)), now.plus(Duration.ofDays(6))));
    assertThat(check("keys", "real-1").found()).contains("its token expires in");

    has(token(now.minus(Duration.ofDays(6)), now.plus(Duration.ofHours(12))));
    DoctorCheck late = check("keys", "real-1");
    assertThat(late.verdict()).isEqualTo(Verdict.WARNING);
    assertThat(late.found()).contains("its token expires in", "not be renewed");
    assertThat(late.next()).contains("PATCH");
  }

  private static Connection token(Instant issued, Instant expires) {
    return AccountTokens.connection(AccountTokens.token(issued, expires));
  }

  private void has(Connection connection) {
    Cluster now = stores.inventory().clusterNamed("real-1").orElseThrow();
    stores
        .inventory()
        .configure(
            now.configured(now.capacity(), now.pricePerGpuHour(), now.settings()), connection);
  }

  private void real(Capabilities known) {
    real(known, new Connection.Kubernetes("https://one.example", "", null, null, null));
  }

  private void real(Connection connection) {
    real(Capabilities.UNOBSERVED, connection);
  }

  private void real(Capabilities known, Connection connection) {
    Cluster cluster =
        new Cluster(
            new ClusterId(stores.ids().next()),
            "real-1",
            ClusterKind.KUBERNETES,
            ClusterState.ACTIVE,
            CapacityType.RESERVED,
            new TreeMap<>(),
            ClusterSettings.DEFAULT,
            known,
            stores.jobs().now(),
            null,
            null,
            1);
    stores.inventory().insert(cluster, connection);
  }

  @Test
  void missingEventPartitionsAreAProblemBeforeTheyAreNeeded() {
    rows.horizon = Duration.ofHours(30);

    assertProblem("partitions", "event", "30 h", "FairleadNoRoomForEvents");
  }

  @Test
  void expiredRowsThatAreNotDeletedAreAWarning() {
    rows.oldest.put(RetentionStore.Kind.JOBS, Ages.DEFAULT.finishedJobs().plusHours(40));

    DoctorCheck late = check("retention", "JOBS");
    assertThat(late.verdict()).isEqualTo(Verdict.WARNING);
    assertThat(late.found()).contains("40 h over its age");
    assertThat(late.next()).contains("FairleadRetentionLate");
  }

  /** Fails when one failing diagnosis hides the others. */
  @Test
  void uncheckablePartIsAProblemByItself() {
    Diagnosis broken =
        new Diagnosis() {
          @Override
          public String area() {
            return "database";
          }

          @Override
          public List<DoctorCheck> look() {
            throw new IllegalStateException("no route");
          }
        };
    List<DoctorCheck> checks =
        new Doctor(List.of(broken, new RetentionDiagnosis(rows))).examine(as(Role.OPERATOR));

    assertThat(checks.getFirst().area()).isEqualTo("database");
    assertThat(checks.getFirst().found()).contains("no route");
    assertThat(checks).extracting(DoctorCheck::area).contains("partitions");
  }

  /**
   * Fails without the check of the caller's right: it would reveal clusters and leases to any
   * caller.
   */
  @Test
  void tenantMemberIsRejected() {
    assertThatThrownBy(() -> doctor.examine(as(Role.TENANT_OWNER))).isInstanceOf(Refusal.class);
  }

  private static final class Rows implements RetentionStore {
    private final Map<Kind, Duration> oldest = new EnumMap<>(Kind.class);
    private Duration horizon = Duration.ofDays(7);

    @Override
    public void prepare() {}

    @Override
    public int clear(Kind kind, Ages ages, int limit) {
      return 0;
    }

    @Override
    public Map<Kind, Duration> oldest() {
      return oldest;
    }

    @Override
    public Duration horizon() {
      return horizon;
    }

    @Override
    public void fold() {}
  }
}
