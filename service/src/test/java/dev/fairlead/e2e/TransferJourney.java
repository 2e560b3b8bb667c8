package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.data.transfer.Transfer;
import dev.fairlead.data.transfer.TransferPhase;
import dev.fairlead.data.transfer.TransferPlan;
import dev.fairlead.data.transfer.service.TransferLoop;
import dev.fairlead.data.transfer.service.TransferSettings;
import dev.fairlead.data.transfer.service.Transfers;
import dev.fairlead.data.transfer.service.spi.TransferReports;
import dev.fairlead.data.volume.Volume;
import dev.fairlead.data.volume.VolumeState;
import dev.fairlead.data.volume.Volumes;
import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.keyring.Secret;
import dev.fairlead.people.secret.ProjectSecret;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.service.spi.JobSubmits;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.PlacementSpec;
import dev.fairlead.work.workload.simulation.SimulatedCluster;
import dev.fairlead.work.world.memory.MemoryStores;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;

/** Two clusters, one with a volume that has data, and transfers in virtual time. */
abstract class TransferJourney {
  private static final TransferSettings SETTINGS =
      new TransferSettings("acme", "transfers", "http://s3:9000", "", true, "object-store", "py");
  final InMemoryFairlead fairlead = InMemoryFairlead.empty(1);
  final MemoryStores stores = fairlead.stores();
  private final JobSubmits submits = new Simulated(FairleadSubmits.of(fairlead));
  final Map<String, SimulatedCluster> clusters = new LinkedHashMap<>();
  final List<String> submitted = new ArrayList<>();
  TransferReports.Report report = TransferReports.Report.NONE;
  String outcome = "success";
  boolean dies;

  /** Occurs once, between the decision for a copier and its submit. */
  Runnable before = () -> {};

  final Transfers transfers =
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
  TransferLoop loop = loop();

  TransferLoop loop() {
    return new TransferLoop(
        fairlead.leases(),
        stores.transfers(),
        stores.volumes(),
        stores.tenants(),
        stores.inventory(),
        stores.jobs(),
        submits,
        job -> report,
        SETTINGS,
        stores.transactions(),
        stores.clock(),
        new SimpleMeterRegistry());
  }

  /** Simulated nodes run no program, so this sets how its job ends. */
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
      return real.submit(actor, project, simulated(spec), key);
    }

    @Override
    public Optional<JobId> submitted(Actor actor, String key) {
      return real.submitted(actor, key);
    }

    @Override
    public Prepared prepared(Actor actor, String project, JobSpec spec) {
      Runnable happens = before;
      before = () -> {};
      happens.run();
      Prepared job = real.prepared(actor, project, simulated(spec));
      return () -> submitted(spec.name(), job);
    }

    private JobId submitted(String name, Prepared job) {
      JobId id = job.submit();
      if (dies) {
        dies = false;
        throw new IllegalStateException("the process died");
      }
      submitted.add(name);
      return id;
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

  static Specs on(String cluster, String name, String runs) {
    return job(name, runs)
        .placement(PlacementSpec.ANYWHERE.with().clusters(List.of(cluster)).build());
  }

  static Specs job(String name, String runs) {
    return Specs.job(name).gpus(1).volume("training").annotation("sim.fairlead.dev/run-for", runs);
  }

  void pass(int seconds) {
    for (int i = 0; i < seconds; i++) {
      fairlead.pass(Duration.ofSeconds(1));
      loop.tick();
    }
  }

  Actor owner() {
    return new Actor(fairlead.project().tenant(), "olga", Role.TENANT_OWNER);
  }

  Volume volume(String name) {
    return stores
        .volumes()
        .find(fairlead.project().tenant(), fairlead.project().id(), name)
        .orElseThrow();
  }

  String clusterOf(String volume) {
    return stores
        .inventory()
        .cluster(Objects.requireNonNull(volume(volume).cluster()))
        .orElseThrow()
        .name();
  }

  Transfer copy() {
    return copy("training", "training-eu", "eu-1");
  }

  Transfer copy(String from, String to, String cluster) {
    Transfers.Request request = new Transfers.Request(null, to, cluster, null, "");
    return transfers.begin(owner(), fairlead.project().name(), from, request, false);
  }

  Transfer now(Transfer transfer) {
    return stores
        .transfers()
        .find(transfer.tenant(), transfer.project(), transfer.id())
        .orElseThrow();
  }

  Transfer until(Transfer transfer, TransferPhase phase) {
    for (int i = 0; i < 600 && now(transfer).phase() != phase; i++) {
      pass(1);
    }
    assertThat(now(transfer).phase()).as(now(transfer).status().message()).isEqualTo(phase);
    return now(transfer);
  }

  Transfer cutOver(Transfer transfer) {
    return cutOver("training", transfer);
  }

  Transfer cutOver(String volume, Transfer transfer) {
    return transfers.cutOver(owner(), fairlead.project().name(), volume, transfer.id(), false);
  }

  Transfer drop(Transfer transfer) {
    return drop("training", transfer, false);
  }

  Transfer drop(String volume, Transfer transfer, boolean force) {
    return transfers.drop(owner(), fairlead.project().name(), volume, transfer.id(), force, false);
  }

  Transfer resume(Transfer transfer) {
    return transfers.resume(owner(), fairlead.project().name(), "training", transfer.id(), false);
  }

  void lose(String volume, String cluster) {
    Objects.requireNonNull(clusters.get(cluster))
        .claims()
        .delete(fairlead.project().namespace(), volume(volume).claimName());
    pass(370);
    assertThat(volume(volume).state()).isEqualTo(VolumeState.LOST);
  }
}
