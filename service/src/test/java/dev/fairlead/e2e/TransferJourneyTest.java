package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.cluster.FleetPool;
import dev.fairlead.identity.JobId;
import dev.fairlead.job.Job;
import dev.fairlead.job.JobState;
import dev.fairlead.job.JobSubmits;
import dev.fairlead.job.Specs;
import dev.fairlead.problem.Refusal;
import dev.fairlead.projectsecret.ProjectSecret;
import dev.fairlead.secret.Secret;
import dev.fairlead.spec.JobSpec;
import dev.fairlead.spec.PlacementSpec;
import dev.fairlead.tenant.Actor;
import dev.fairlead.tenant.Role;
import dev.fairlead.transfer.Transfer;
import dev.fairlead.transfer.TransferPhase;
import dev.fairlead.transfer.TransferPlan;
import dev.fairlead.transfer.TransferReports;
import dev.fairlead.transfer.service.TransferLoop;
import dev.fairlead.transfer.service.TransferSettings;
import dev.fairlead.transfer.service.Transfers;
import dev.fairlead.volume.Volume;
import dev.fairlead.volume.VolumeState;
import dev.fairlead.volume.Volumes;
import dev.fairlead.workload.simulation.SimulatedCluster;
import dev.fairlead.world.memory.MemoryStores;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A volume goes to another cluster while its consumers run, and takes over when it is asked to. */
class TransferJourneyTest {
  private static final TransferSettings SETTINGS =
      new TransferSettings("acme", "transfers", "http://s3:9000", "", true, "object-store", "py");
  private final InMemoryFairlead fairlead = InMemoryFairlead.empty(1);
  private final MemoryStores stores = fairlead.stores();
  private final JobSubmits submits = new Simulated(FairleadSubmits.of(fairlead));
  private final Map<String, SimulatedCluster> clusters = new LinkedHashMap<>();
  private final List<String> submitted = new ArrayList<>();
  private TransferReports.Report report = TransferReports.Report.NONE;
  private String outcome = "success";
  private boolean dies;
  private final Transfers transfers =
      new Transfers(
          stores.transactions(),
          stores.transfers(),
          stores.volumes(),
          stores.tenants(),
          stores.inventory(),
          submits,
          SETTINGS,
          stores.audit(),
          stores.ids(),
          stores.clock());
  private TransferLoop loop = loop();

  private TransferLoop loop() {
    return new TransferLoop(
        fairlead.leases(),
        stores.transfers(),
        stores.volumes(),
        stores.tenants(),
        stores.jobs(),
        submits,
        job -> report,
        SETTINGS,
        stores.transactions(),
        stores.clock(),
        new SimpleMeterRegistry());
  }

  /** Simulated nodes run no program: how its job ends is said here. */
  private final class Simulated implements JobSubmits {
    private final JobSubmits real;

    Simulated(JobSubmits real) {
      this.real = real;
    }

    private JobSpec simulated(JobSpec spec) {
      return spec.annotated("sim.fairlead.dev/run-for", "3s")
          .annotated("sim.fairlead.dev/outcome", outcome);
    }

    @Override
    public void check(Actor actor, String project, JobSpec spec) {
      real.check(actor, project, simulated(spec));
    }

    @Override
    public JobId submit(Actor actor, String project, JobSpec spec, String key) {
      JobId job = real.submit(actor, project, simulated(spec), key);
      if (dies) {
        dies = false;
        throw new IllegalStateException("the process died");
      }
      submitted.add(spec.name());
      return job;
    }

    @Override
    public void cancel(Actor actor, JobId job) {
      real.cancel(actor, job);
    }

    @Override
    public void suspend(Actor actor, JobId job, boolean back) {
      real.suspend(actor, job, back);
    }
  }

  @BeforeEach
  void twoClustersAndAVolumeWithData() {
    for (String name : List.of("us-1", "eu-1")) {
      clusters.put(name, fairlead.register(name, new FleetPool(2, 8, "H100", 1, 1)));
    }
    pass(3);
    stores.secrets().insert(keys(), values());
    Volumes.kept(stores, fairlead.project(), "training");
    fairlead.until(fairlead.submit(on("us-1", "first", "1s")), JobState.SUCCEEDED);
    pass(10);
    assertThat(volume("training").state()).isEqualTo(VolumeState.BOUND);
  }

  private ProjectSecret keys() {
    SortedMap<String, Integer> sizes = new TreeMap<>();
    TransferPlan.KEYS.forEach(key -> sizes.put(key, 3));
    return new ProjectSecret(
        stores.ids().next(),
        fairlead.project().tenant(),
        fairlead.project().id(),
        "object-store",
        sizes,
        Instant.EPOCH,
        new ProjectSecret.Change(Instant.EPOCH, "olga"),
        1);
  }

  private static SortedMap<String, Secret> values() {
    SortedMap<String, Secret> values = new TreeMap<>();
    TransferPlan.KEYS.forEach(key -> values.put(key, new Secret("key")));
    return values;
  }

  private static Specs on(String cluster, String name, String runs) {
    return job(name, runs)
        .placement(PlacementSpec.ANYWHERE.preferences().clusters(List.of(cluster)).spec());
  }

  private static Specs job(String name, String runs) {
    return Specs.job(name).gpus(1).volume("training").annotation("sim.fairlead.dev/run-for", runs);
  }

  private void pass(int seconds) {
    for (int i = 0; i < seconds; i++) {
      fairlead.pass(Duration.ofSeconds(1));
      loop.tick();
    }
  }

  private Actor owner() {
    return new Actor(fairlead.project().tenant(), "olga", Role.TENANT_OWNER);
  }

  private Volume volume(String name) {
    return stores
        .volumes()
        .find(fairlead.project().tenant(), fairlead.project().id(), name)
        .orElseThrow();
  }

  private String clusterOf(String volume) {
    return stores
        .inventory()
        .cluster(Objects.requireNonNull(volume(volume).cluster()))
        .orElseThrow()
        .name();
  }

  private Transfer copy() {
    return transfers.begin(
        owner(),
        fairlead.project().name(),
        "training",
        new Transfers.Request(null, "training-eu", "eu-1", null, ""),
        false);
  }

  private Transfer now(Transfer transfer) {
    return stores
        .transfers()
        .find(transfer.tenant(), transfer.project(), transfer.id())
        .orElseThrow();
  }

  private Transfer until(Transfer transfer, TransferPhase phase) {
    for (int i = 0; i < 120 && now(transfer).phase() != phase; i++) {
      pass(1);
    }
    assertThat(now(transfer).phase()).as(now(transfer).message()).isEqualTo(phase);
    return now(transfer);
  }

  private Transfer cutOver(Transfer transfer) {
    return transfers.cutOver(owner(), fairlead.project().name(), "training", transfer.id(), false);
  }

  private Transfer drop(Transfer transfer) {
    return transfers.drop(owner(), fairlead.project().name(), "training", transfer.id(), false);
  }

  /** Fails when a phase has two jobs, or consumers leave the source before the cut-over. */
  @Test
  void aCopyBecomesTheVolumeOnTheOtherCluster() {
    Transfer copy = copy();
    report = new TransferReports.Report(512, 1024, "");
    until(copy, TransferPhase.READY);

    assertThat(submitted).hasSize(4);
    assertThat(clusterOf("training-eu")).isEqualTo("eu-1");
    Job before = fairlead.until(fairlead.submit(readOnly("before")), JobState.SUCCEEDED);
    assertThat(ranOn(before)).isEqualTo("us-1");
    String claim = volume("training-eu").claimName();

    cutOver(copy);

    assertThat(now(copy).phase()).isEqualTo(TransferPhase.CUT_OVER);
    assertThat(clusterOf("training")).isEqualTo("eu-1");
    assertThat(volume("training").claimName()).isEqualTo(claim);
    assertThat(clusterOf("training-eu")).isEqualTo("us-1");
    Job after = fairlead.until(fairlead.submit(job("after", "1s")), JobState.SUCCEEDED);
    assertThat(ranOn(after)).isEqualTo("eu-1");
    pass(70);
    assertThat(volume("training-eu").state()).as("its claim is found").isEqualTo(VolumeState.BOUND);
    assertThatThrownBy(() -> cutOver(copy)).hasMessageContaining("CUT_OVER");
    assertThat(stores.audit().entries())
        .extracting(entry -> entry.operation())
        .contains("createVolumeTransfer", "cutOverVolumeTransfer");
  }

  private Specs readOnly(String name) {
    return Specs.job(name).gpus(1).reads("training").annotation("sim.fairlead.dev/run-for", "1s");
  }

  private String ranOn(Job job) {
    return stores
        .inventory()
        .cluster(fairlead.attempts(job).getFirst().cluster())
        .orElseThrow()
        .name();
  }

  @Test
  void progressIsShownWhileItsJobRuns() {
    Transfer copy = copy();
    report = new TransferReports.Report(512, 1024, "");
    for (int i = 0; i < 60 && now(copy).done() == 0; i++) {
      pass(1);
    }

    assertThat(now(copy).done()).isEqualTo(512);
    assertThat(now(copy).total()).isEqualTo(1024);
  }

  /** Fails when consumers lose the volume under them, or what they wrote since is lost. */
  @Test
  void aCutOverIsRefusedWhileConsumersRunAndAfterTheyWrote() {
    Transfer copy = copy();
    until(copy, TransferPhase.READY);
    fairlead.until(fairlead.submit(job("writes", "20s")), JobState.RUNNING);

    assertThatThrownBy(() -> cutOver(copy))
        .isInstanceOf(Refusal.class)
        .hasMessageContaining("Jobs that run mount volume \"training\": writes");
    pass(30);
    assertThatThrownBy(() -> cutOver(copy))
        .isInstanceOf(Refusal.class)
        .hasMessageContaining("what they wrote is not in the copy");
    assertThat(clusterOf("training")).isEqualTo("us-1");

    drop(copy);
    until(copy, TransferPhase.DROPPED);
    assertThat(volume("training-eu").state()).isEqualTo(VolumeState.RETAINED);
    assertThat(volume("training").state()).isEqualTo(VolumeState.BOUND);
  }

  /** Fails when a copier that fails harms the source, or its words are not told. */
  @Test
  void aFailedCopyLeavesTheSourceAsItWas() {
    outcome = "fail";
    report = new TransferReports.Report(0, 0, "pipe is a socket, a pipe or a device");
    Volume before = volume("training");
    Transfer copy = copy();
    for (int i = 0; i < 600 && now(copy).phase() == TransferPhase.UPLOADING; i++) {
      pass(1);
    }

    assertThat(now(copy).phase()).isEqualTo(TransferPhase.FAILED);
    assertThat(now(copy).message()).contains("pipe is a socket");
    assertThat(volume("training")).isEqualTo(before);
    outcome = "success";
    drop(copy);
    until(copy, TransferPhase.DROPPED);
    assertThatThrownBy(() -> volume("training-eu")).isInstanceOf(RuntimeException.class);
  }

  /** Fails when the copy is given up that has the only data. */
  @Test
  void aCopyOfALostVolumeIsKeptAndTakesItsPlace() {
    Transfer copy = copy();
    until(copy, TransferPhase.READY);
    Objects.requireNonNull(clusters.get("us-1"))
        .claims()
        .delete(fairlead.project().namespace(), volume("training").claimName());
    pass(70);
    assertThat(volume("training").state()).isEqualTo(VolumeState.LOST);

    assertThatThrownBy(() -> drop(copy)).hasMessageContaining("may be the only copy");
    cutOver(copy);

    assertThat(clusterOf("training")).isEqualTo("eu-1");
  }

  @Test
  void aSourceThatIsLostBeforeItIsUploadedIsTold() {
    Objects.requireNonNull(clusters.get("us-1"))
        .claims()
        .delete(fairlead.project().namespace(), volume("training").claimName());
    Transfer copy = copy();

    until(copy, TransferPhase.FAILED);

    assertThat(now(copy).message()).containsAnyOf("is LOST", "is lost");
  }

  /** Fails when a process that dies after a submit makes a second job. */
  @Test
  void aSubmitThatIsForgottenIsNotRepeated() {
    dies = true;
    Transfer copy = copy();

    until(copy, TransferPhase.READY);

    assertThat(stores.jobs().all()).filteredOn(job -> job.name().startsWith("upload-")).hasSize(1);
  }

  @Test
  void aPrefixIsImportedIntoAVolumeThatHasNoData() {
    Volumes.kept(stores, fairlead.project(), "images");
    Transfers.Request request = new Transfers.Request("s3://public/images", null, "eu-1", null, "");
    Transfer imported =
        transfers.begin(owner(), fairlead.project().name(), "images", request, false);

    until(imported, TransferPhase.IMPORTED);

    assertThat(clusterOf("images")).isEqualTo("eu-1");
    assertThatThrownBy(
            () -> transfers.begin(owner(), fairlead.project().name(), "training", request, false))
        .hasMessageContaining("one that is CLAIMED");
  }

  @Test
  void withoutTheSecretOfTheBucketNothingBegins() {
    stores
        .secrets()
        .all(fairlead.project().tenant(), fairlead.project().id())
        .forEach(stores.secrets()::delete);

    assertThatThrownBy(this::copy)
        .hasMessageContaining("object-store", "AWS_ACCESS_KEY_ID")
        .hasMessageContaining("The project needs the secret");
    assertThatThrownBy(() -> volume("training-eu")).isInstanceOf(RuntimeException.class);
  }
}
