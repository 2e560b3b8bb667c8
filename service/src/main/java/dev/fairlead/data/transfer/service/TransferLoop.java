package dev.fairlead.data.transfer.service;

import dev.fairlead.data.transfer.ObjectStorePlace;
import dev.fairlead.data.transfer.Transfer;
import dev.fairlead.data.transfer.TransferEvent;
import dev.fairlead.data.transfer.TransferId;
import dev.fairlead.data.transfer.TransferPhase;
import dev.fairlead.data.transfer.TransferPlan;
import dev.fairlead.data.transfer.TransferStore;
import dev.fairlead.data.transfer.service.spi.TransferReports;
import dev.fairlead.data.volume.Volume;
import dev.fairlead.data.volume.VolumeStay;
import dev.fairlead.data.volume.VolumeStore;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.cluster.OwnClusters;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.loop.LeasedLoop;
import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.kernel.loop.Recurring;
import dev.fairlead.kernel.meter.GaugeRows;
import dev.fairlead.kernel.metric.Metric;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.OwnActor;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.people.tenant.TenantStore;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.service.spi.JobSubmits;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.job.store.NamedJob;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/** Advances transfers: each phase is one job. {@link TransferPlan} decides the next step. */
@Component
public class TransferLoop extends LeasedLoop {
  /** Actor that submits their jobs. */
  public static final String ACTOR = OwnActor.TRANSFERS.text();

  private static final Logger LOG = LoggerFactory.getLogger(TransferLoop.class);
  private static final Duration IDLE = Duration.ofSeconds(5);
  private static final Duration READ_EVERY = Duration.ofSeconds(10);
  private static final Duration LOOK_EVERY = Duration.ofMinutes(1);
  private static final Duration FORGET_EVERY = Duration.ofMinutes(10);
  private static final Duration KEPT_FOR = Duration.ofDays(366);

  private static final int MOST_FORGOTTEN = 1000;

  private final TransferStore transfers;
  private final VolumeStore volumes;
  private final TenantStore tenants;
  private final InventoryStore inventory;
  private final JobStore jobs;
  private final JobSubmits submits;
  private final TransferReports reports;
  private final TransferSettings settings;
  private final TransferWriters writers;
  private final Transactions transactions;
  private final InstantSource clock;
  private final GaugeRows stalled;
  private final Set<TransferId> held = new HashSet<>();
  private final OwnClusters own = new OwnClusters();
  private Set<ClusterId> acting = Set.of();
  private final Recurring read;
  private final Recurring look;
  private final Recurring forget;

  public TransferLoop(
      Leases leases,
      TransferStore transfers,
      VolumeStore volumes,
      TenantStore tenants,
      InventoryStore inventory,
      JobStore jobs,
      JobSubmits submits,
      TransferReports reports,
      TransferSettings settings,
      Transactions transactions,
      InstantSource clock,
      MeterRegistry metrics) {
    super("transfers", "supervisor", IDLE, leases);
    this.transfers = transfers;
    this.volumes = volumes;
    this.tenants = tenants;
    this.inventory = inventory;
    this.jobs = jobs;
    this.submits = submits;
    this.reports = reports;
    this.settings = settings;
    this.writers = new TransferWriters(transfers, volumes);
    this.transactions = transactions;
    this.clock = clock;
    this.stalled = new GaugeRows(metrics, Metric.TRANSFERS_STALLED);
    this.read = Recurring.fromNowOn(leases.clock(), READ_EVERY);
    this.look = Recurring.fromNowOn(leases.clock(), LOOK_EVERY);
    this.forget = Recurring.fromNowOn(leases.clock(), FORGET_EVERY);
  }

  @Override
  protected boolean turn(HeldLease lease) {
    List<Transfer> open = transfers.open();
    boolean reads = read.due();
    held.clear();
    acting = own.among(inventory.clusters());
    Map<JobId, Job> known = jobs(open);
    open.forEach(transfer ->
        guarded("transfer " + transfer.id().text(), () -> follow(lease, transfer, known, reads)));
    show(open);
    if (reads) {
      read.done();
    }
    if (look.due()) {
      transfers
          .open()
          .forEach(transfer ->
              guarded("transfer " + transfer.id().text(), () -> looked(lease, transfer)));
      look.done();
    }
    if (forget.due()) {
      Instant now = jobs.now(); // a wrong clock of this machine removes nothing
      Instant before = now.minus(KEPT_FOR);
      Instant stays = now.minus(VolumeStay.KEPT_FOR);
      transactions.runFenced(
          lease,
          () -> {
            int _ = transfers.forget(before, MOST_FORGOTTEN);
            int _ = volumes.forgetStays(stays, MOST_FORGOTTEN);
          });
      forget.done();
    }
    return false;
  }

  @Override
  protected void forget() {
    own.forget();
    stalled.show(Map.of());
  }

  private void show(List<Transfer> open) {
    Instant oldest =
        open.stream()
            .filter(transfer -> transfer.phase().works() && !held.contains(transfer.id()))
            .map(each -> each.status().movedAt())
            .min(Instant::compareTo)
            .orElse(Instant.MAX);
    stalled.show(
        Map.of(
            List.<String>of(),
            () ->
                oldest.equals(Instant.MAX)
                    ? 0
                    : Duration.between(oldest, clock.instant()).toSeconds()));
  }

  private Map<JobId, Job> jobs(List<Transfer> open) {
    List<JobId> ids = open.stream().map(Transfer::job).filter(Objects::nonNull).toList();
    return ids.isEmpty()
        ? Map.of()
        : transactions.readForAllTenants(() -> jobs.findAll(ids)).stream()
            .collect(Collectors.toMap(Job::id, job -> job));
  }

  private void follow(HeldLease lease, Transfer transfer, Map<JobId, Job> known, boolean reads) {
    JobId id = transfer.job();
    if (id == null) {
      begin(lease, transfer);
      return;
    }
    Job job = known.get(id);
    if (job == null) {
      end(lease, transfer, TransferPlan.failed(transfer, "its job is archived"));
      return;
    }
    boolean ended = job.run().ended();
    TransferReports.Report told = ended || reads ? reports.of(job) : TransferReports.Report.NONE;
    TransferPlan.end(transfer, job.run(), told.reason())
        .ifPresentOrElse(
            end -> end(lease, transfer, end),
            () -> {
              if (told.done() != transfer.status().done() && told.total() > 0) {
                write(lease, transfer.at(told.done(), told.total(), clock.instant()));
              }
            });
  }

  /** Stores the current state of its volumes. A job that wrote is known until it is archived. */
  private void looked(HeldLease lease, Transfer transfer) {
    Volume source = volume(transfer, transfer.source());
    Transfer written = writers.written(transfer, source).orElse(null);
    if (written != null) {
      write(lease, written);
    } else if (transfer.phase() == TransferPhase.READY) {
      TransferPlan.gone(transfer, source, volume(transfer, transfer.target()))
          .ifPresent(why -> write(lease, failed(transfer, why)));
    }
  }

  /** Begins a phase without a job, or advances a phase that needs none. */
  private void begin(HeldLease lease, Transfer transfer) {
    if (!transfer.phase().works()) {
      return;
    }
    ObjectStorePlace place = settings.place().orElse(null);
    Project project = tenants.project(transfer.tenant(), transfer.project()).orElse(null);
    if (place == null || project == null || earlier(transfer)) {
      String why = place == null ? "no bucket is configured" : "its earlier job ends";
      waits(lease, transfer, why);
      return;
    }
    Volume source = volume(transfer, transfer.source());
    if (!mayRemove(transfer, source)) {
      waits(
          lease,
          transfer,
          "this database has no proof that it acts on a cluster of its volumes: nothing is removed"
              + " from the bucket");
      return;
    }
    boolean mounted = source != null && !volumes.mounting(source, null, 1).isEmpty();
    switch (TransferPlan.due(transfer, source, volume(transfer, transfer.target()), mounted)) {
      case TransferPlan.Wait(String why) -> {
        held.add(transfer.id());
        waits(lease, transfer, why);
      }
      case TransferPlan.Fail(String why) -> write(lease, failed(transfer, why));
      case TransferPlan.Submit submit -> submit(lease, begun(lease, transfer), project, place);
    }
  }

  /**
   * Returns whether staged data may be removed. A copy of the live database must not remove data
   * that the live one has staged.
   */
  private boolean mayRemove(Transfer transfer, @Nullable Volume source) {
    boolean removes =
        transfer.phase() == TransferPhase.CLEANING || transfer.phase() == TransferPhase.DROPPING;
    List<ClusterId> clusters =
        Stream.of(
                Optional.ofNullable(source),
                Optional.ofNullable(volume(transfer, transfer.target())))
            .flatMap(each -> each.map(Volume::cluster).stream())
            .toList();
    return !removes
        || (clusters.isEmpty() ? !acting.isEmpty() : clusters.stream().anyMatch(acting::contains));
  }

  /** Stores the start of the search for writers, before the upload can read. */
  private Transfer begun(HeldLease lease, Transfer transfer) {
    if (transfer.phase() != TransferPhase.UPLOADING || transfer.status().uploadedAfter() != null) {
      return transfer;
    }
    Transfer begun = transfer.uploadBegins(clock.instant());
    write(lease, begun);
    return begun;
  }

  private @Nullable Volume volume(Transfer transfer, Transfer.@Nullable Side side) {
    return side == null
        ? null
        : volumes.all(transfer.tenant(), transfer.project()).stream()
            .filter(volume -> volume.id().equals(side.volume()))
            .findFirst()
            .orElse(null);
  }

  /** Returns whether a job of an abandoned phase still exists. It is cancelled. */
  private boolean earlier(Transfer transfer) {
    if (transfer.phase() != TransferPhase.DROPPING) {
      return false;
    }
    List<JobId> active =
        jobs
            .activeNamed(transfer.tenant(), transfer.project(), TransferPlan.workers(transfer))
            .stream()
            .map(NamedJob::id)
            .toList();
    active.forEach(job -> {
      try {
        submits.cancel(actor(transfer.tenant()), job);
      } catch (Refusal ended) {
        LOG.debug("job {} has ended", job.text(), ended);
      }
    });
    return !active.isEmpty();
  }

  /**
   * Submits the job in the transaction that stores it with its transfer, so that a transfer that
   * changed in the meantime gets no copier.
   */
  private void submit(HeldLease lease, Transfer transfer, Project project, ObjectStorePlace place) {
    try {
      JobSubmits.Prepared job =
          submits.prepared(
              actor(transfer.tenant()),
              project.name(),
              TransferPlan.job(transfer, place, Copier.TEXT));
      transactions.runFenced(
          lease, () -> transfers.update(transfer.running(job.submit(), clock.instant())));
    } catch (Refusal refused) {
      if (refused.code() == ProblemCode.UNAVAILABLE || refused.code() == ProblemCode.RATE_LIMITED) {
        return; // in a separate pass later, as after a lost database
      }
      if (refused.code() == ProblemCode.LIMIT_EXCEEDED) {
        waits(lease, transfer, "its job is refused for now: " + refused.getMessage());
        return;
      }
      end(
          lease,
          transfer,
          TransferPlan.failed(transfer, "its job was refused: " + refused.getMessage()));
    }
  }

  private void end(HeldLease lease, Transfer transfer, TransferPlan.End end) {
    Transfer next = transfer.after(end.event(), end.message(), clock.instant());
    LOG.info("transfer={} phase={} {}", transfer.id().text(), next.phase(), end.message());
    write(lease, next);
  }

  private Transfer withoutTarget(Transfer dropped) {
    String told =
        Stream.of(deleteTarget(dropped), dropped.status().message())
            .filter(text -> !text.isEmpty())
            .collect(Collectors.joining("; "));
    return dropped.told(told);
  }

  /**
   * Deletes the volume that was created for the copy, like its owner. Returns the reason if it
   * remains.
   */
  private String deleteTarget(Transfer transfer) {
    Volume target = volume(transfer, transfer.target());
    if (!transfer.copies() || target == null) {
      return "";
    }
    String stays = "volume " + target.name() + " stays: ";
    String made = transfer.target().name();
    if (!target.name().equals(made)) {
      return stays + "it was named " + made + " until another copy was cut over";
    }
    if (TransferPlan.keepsTarget(transfer, volume(transfer, transfer.source()))) {
      return stays + "it may be the only copy";
    }
    if (!volumes.users(transfer.tenant(), transfer.project(), made, 1).isEmpty()) {
      String part = transfer.status().verified() ? "" : ", and it may contain part of the data";
      return stays + "a job mounts it" + part;
    }
    if (target.usable() && target.hasClaim()) {
      volumes.update(target.ended());
    } else if (!target.hasClaim()) {
      volumes.delete(target);
    }
    return "";
  }

  private Transfer failed(Transfer transfer, String why) {
    return transfer.after(TransferEvent.FAILED, why, clock.instant());
  }

  private void waits(HeldLease lease, Transfer transfer, String why) {
    if (!transfer.status().message().equals(why)) {
      write(lease, transfer.saying(why));
    }
  }

  /**
   * Writes every change of a transfer, so that each transition to DROPPED handles the target of a
   * copy.
   */
  private void write(HeldLease lease, Transfer next) {
    transactions.runFenced(
        lease,
        () -> transfers.update(next.phase() == TransferPhase.DROPPED ? withoutTarget(next) : next));
  }

  static Actor actor(TenantId tenant) {
    return new Actor(tenant, ACTOR, Role.TENANT_MEMBER);
  }
}
