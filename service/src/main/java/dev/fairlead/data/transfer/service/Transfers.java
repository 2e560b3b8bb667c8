package dev.fairlead.data.transfer.service;

import dev.fairlead.data.transfer.ObjectStorePlace;
import dev.fairlead.data.transfer.Transfer;
import dev.fairlead.data.transfer.TransferBuilder;
import dev.fairlead.data.transfer.TransferEvent;
import dev.fairlead.data.transfer.TransferId;
import dev.fairlead.data.transfer.TransferPhase;
import dev.fairlead.data.transfer.TransferPlan;
import dev.fairlead.data.transfer.TransferStatus;
import dev.fairlead.data.transfer.TransferStore;
import dev.fairlead.data.volume.Volume;
import dev.fairlead.data.volume.VolumeState;
import dev.fairlead.data.volume.VolumeStore;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.kernel.identity.IdSource;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Permissions;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.TenantStore;
import dev.fairlead.work.job.service.spi.JobSubmits;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Begins, lists, cuts over and drops transfers of volumes. */
@Service
public class Transfers {
  static final int MOST_SHOWN = 200;
  private static final int MOST_NAMED = 20;

  private final Transactions transactions;
  private final TransferStore transfers;
  private final VolumeStore volumes;
  private final TenantStore tenants;
  private final InventoryStore inventory;
  private final JobSubmits submits;
  private final TransferSettings settings;
  private final AuditLog audit;
  private final IdSource ids;
  private final InstantSource clock;
  private final CutOver cutOver;

  public Transfers(
      Transactions transactions,
      TransferStore transfers,
      VolumeStore volumes,
      TenantStore tenants,
      InventoryStore inventory,
      JobSubmits submits,
      TransferSettings settings,
      AuditLog audit,
      IdSource ids,
      InstantSource clock) {
    this.transactions = transactions;
    this.transfers = transfers;
    this.volumes = volumes;
    this.tenants = tenants;
    this.inventory = inventory;
    this.submits = submits;
    this.settings = settings;
    this.audit = audit;
    this.ids = ids;
    this.clock = clock;
    this.cutOver = new CutOver(transfers, volumes);
  }

  /**
   * A requested transfer.
   *
   * @param from prefix of a bucket to import into the volume, null for a copy of the volume
   * @param to name of the new volume of a copy, null for an import
   * @param cluster destination of the data, null for any, for an import
   * @param storageClass storage class of the copy, null for the cluster's default
   * @param queue queue of its jobs, empty for the default of the project
   */
  public record Request(
      @Nullable String from,
      @Nullable String to,
      @Nullable String cluster,
      @Nullable String storageClass,
      String queue) {}

  /**
   * Lists transfers with the volume as present or former source or target, newest first, among the
   * 200 newest of the project.
   *
   * @throws Refusal FORBIDDEN, NOT_FOUND
   */
  public List<Transfer> all(Actor actor, String project, String volume) {
    Permissions.require(actor, "listVolumeTransfers");
    return transactions.read(() -> {
      Project of = tenants.project(actor, project);
      Volume found = found(actor, of, volume);
      return transfers.of(actor.tenant(), of.id(), MOST_SHOWN).stream()
          .filter(each -> is(each.source(), found) || is(each.target(), found))
          .toList();
    });
  }

  static @Nullable Volume of(List<Volume> all, Transfer.@Nullable Side side) {
    return all.stream().filter(volume -> is(side, volume)).findFirst().orElse(null);
  }

  private static boolean is(Transfer.@Nullable Side side, Volume volume) {
    return side != null && side.volume().equals(volume.id());
  }

  /**
   * Begins a copy of the volume to another cluster, or an import into it.
   *
   * @throws Refusal FORBIDDEN, NOT_FOUND, INVALID_FIELD, NAME_IN_USE, ILLEGAL_STATE for an
   *     unsuitable volume or without a bucket, LIMIT_EXCEEDED
   */
  public Transfer begin(
      Actor actor, String project, String volume, Request request, boolean validateOnly) {
    Permissions.require(actor, "createVolumeTransfer");
    AtomicReference<Transfer> result = new AtomicReference<>();
    Transfer tried =
        transactions.read(() -> {
          Project of = tenants.project(actor, project);
          return transfer(actor, of, found(actor, of, volume), request).transfer();
        });
    checked(actor, project, tried);
    try {
      transactions.runOrTry(
          validateOnly,
          () -> {
            Project of = tenants.project(actor, project);
            Begun begun = transfer(actor, of, found(actor, of, volume), request);
            if (begun.made() != null) {
              volumes.insert(begun.made());
            }
            transfers.insert(begun.transfer());
            audit(actor, "createVolumeTransfer", of, begun.transfer());
            result.set(begun.transfer());
          });
    } catch (Conflict taken) {
      throw new Refusal(
          ProblemCode.NAME_IN_USE,
          request.to() == null
              ? "Another transfer fills volume \"%s\".".formatted(volume)
              : "Project %s already has a volume \"%s\".".formatted(project, request.to()));
    }
    return Objects.requireNonNull(result.get(), "it was begun");
  }

  /** Refuses the transfer now if the submit of its first job would be refused. */
  private void checked(Actor actor, String project, Transfer tried) {
    ObjectStorePlace place =
        settings
            .place()
            .orElseThrow(() ->
                new Refusal(
                    ProblemCode.ILLEGAL_STATE,
                    "This installation has no bucket for transfers. An operator sets"
                        + " fairlead.transfers.bucket."));
    try {
      submits.check(
          TransferLoop.actor(actor.tenant()), project, TransferPlan.job(tried, place, Copier.TEXT));
    } catch (Refusal refused) {
      throw new Refusal(
          ProblemCode.ILLEGAL_STATE,
          "Its job would be refused: %s The project needs the secret \"%s\" with the keys %s."
              .formatted(
                  refused.getMessage(), place.secret(), String.join(" and ", TransferPlan.KEYS)));
    }
  }

  /** A new transfer and its new volume. */
  private record Begun(Transfer transfer, @Nullable Volume made) {}

  private Begun transfer(Actor actor, Project project, Volume volume, Request request) {
    long open =
        transfers.of(actor.tenant(), project.id(), MOST_SHOWN).stream()
            .filter(each -> !each.over())
            .count();
    if (open >= Transfer.MOST) {
      throw new Refusal(
          ProblemCode.LIMIT_EXCEEDED,
          "Project %s has %d transfers that have not ended. Cut them over or abort them first."
              .formatted(project.name(), open));
    }
    String name = request.cluster();
    if (name != null) {
      Cluster cluster =
          inventory
              .clusterNamed(name)
              .orElseThrow(
                  () -> Refusal.field("/cluster", "There is no cluster \"" + name + "\"."));
      refuseClass(
          cluster,
          request.from() == null ? request.storageClass() : volume.request().storageClass());
    }
    return request.from() == null
        ? copy(actor, project, volume, request)
        : new Begun(imported(actor, project, volume, request), null);
  }

  /**
   * Refuses an unknown storage class, because the claim would wait forever. A class that the
   * cluster has not reported yet may exist.
   */
  private static void refuseClass(Cluster cluster, @Nullable String storageClass) {
    List<String> there = cluster.capabilities().storageClasses();
    if (storageClass != null && !there.isEmpty() && !there.contains(storageClass)) {
      int more = there.size() - MOST_NAMED;
      throw Refusal.field(
          "/storageClass",
          "Cluster %s has no storage class \"%s\". It has %s%s. A new class is known within five minutes."
              .formatted(
                  cluster.name(),
                  storageClass,
                  String.join(", ", there.subList(0, Math.min(there.size(), MOST_NAMED))),
                  more > 0 ? " and " + more + " more" : ""));
    }
  }

  private Transfer imported(Actor actor, Project project, Volume volume, Request request) {
    if (volume.state() != VolumeState.CLAIMED) {
      throw new Refusal(
          ProblemCode.ILLEGAL_STATE,
          "Volume \"%s\" is %s: imports need a CLAIMED volume, which has no data yet."
              .formatted(volume.name(), volume.state()));
    }
    return made(actor, project, null, side(volume), TransferPhase.DOWNLOADING, request);
  }

  private Begun copy(Actor actor, Project project, Volume volume, Request request) {
    if (volume.state() != VolumeState.BOUND) {
      throw new Refusal(
          ProblemCode.ILLEGAL_STATE,
          "Volume \"%s\" is %s: only a BOUND volume can be copied."
              .formatted(volume.name(), volume.state()));
    }
    String there =
        inventory
            .cluster(Objects.requireNonNull(volume.cluster()))
            .map(cluster -> cluster.name())
            .orElse("");
    if (there.equals(request.cluster())) {
      throw Refusal.field(
          "/cluster", "Volume \"" + volume.name() + "\" is on " + there + " already.");
    }
    filled(project, volume);
    String to = Objects.requireNonNull(request.to());
    boolean taken = volumes.find(actor.tenant(), project.id(), to).isPresent();
    if (taken) {
      throw new Refusal(
          ProblemCode.NAME_IN_USE,
          "Project %s already has a volume \"%s\".".formatted(project.name(), to));
    }
    Volume made =
        Volume.claimed(
            ids.next(),
            actor.tenant(),
            project.id(),
            to,
            new Volume.Request(
                volume.request().sizeGib(), request.storageClass(), volume.request().access()),
            volume.retain(),
            new Volume.Made(now(), actor.name()));
    Transfer transfer =
        made(actor, project, side(volume), side(made), TransferPhase.UPLOADING, request);
    return new Begun(transfer, made);
  }

  /**
   * Refuses a volume with a running import or copy, because partial data would count as complete.
   */
  private void filled(Project project, Volume volume) {
    for (Transfer each : transfers.of(project.tenant(), project.id(), MOST_SHOWN)) {
      if (each.fills() && each.target().volume().equals(volume.id())) {
        throw new Refusal(
            ProblemCode.ILLEGAL_STATE,
            "Volume \"%s\" does not have all of its data yet: transfer %s is %s."
                .formatted(volume.name(), each.id().text(), each.phase()));
      }
    }
  }

  private static Transfer.Side side(Volume volume) {
    return new Transfer.Side(volume.id(), volume.name());
  }

  private Instant now() {
    return clock.instant().truncatedTo(ChronoUnit.MILLIS);
  }

  private Transfer made(
      Actor actor,
      Project project,
      Transfer.@Nullable Side source,
      Transfer.Side target,
      TransferPhase phase,
      Request request) {
    Instant now = now();
    return TransferBuilder.builder()
        .id(new TransferId(ids.next()))
        .tenant(actor.tenant())
        .project(project.id())
        .source(source)
        .uri(request.from())
        .target(target)
        .cluster(request.cluster())
        .queue(request.queue())
        .createdAt(now)
        .createdBy(actor.name())
        .status(TransferStatus.first(phase, now))
        .version(1)
        .build();
  }

  /**
   * Exchanges the names of the copy and its source. Later jobs that mount the name run on the
   * cluster of the copy.
   *
   * @throws Refusal FORBIDDEN, NOT_FOUND, ILLEGAL_STATE unless the copy is ready and the source is
   *     unchanged since, IN_USE while a live attempt mounts one of them
   */
  public Transfer cutOver(
      Actor actor, String project, String volume, TransferId id, boolean validateOnly) {
    return change(
        actor, "cutOverVolumeTransfer", project, volume, id, validateOnly, this::exchanged);
  }

  private Transfer exchanged(Project project, Transfer transfer) {
    return cutOver.of(project, transfer, now());
  }

  /**
   * Drops a transfer: cancels its job, removes staged data from the bucket, and deletes its new
   * volume like any other. A copy with all data of a missing source is retained.
   *
   * @param force also when the bucket may have the only copy
   * @throws Refusal FORBIDDEN, NOT_FOUND, ILLEGAL_STATE when it is over, or may have the only copy
   */
  public Transfer drop(
      Actor actor,
      String project,
      String volume,
      TransferId id,
      boolean force,
      boolean validateOnly) {
    return change(
        actor,
        "dropVolumeTransfer",
        project,
        volume,
        id,
        validateOnly,
        (of, transfer) -> dropped(of, transfer, force));
  }

  private Transfer dropped(Project project, Transfer transfer, boolean force) {
    if (Transfer.TABLE.next(transfer.phase(), TransferEvent.DROPPED).isEmpty()) {
      throw new Refusal(
          ProblemCode.ILLEGAL_STATE,
          "Transfer %s is %s, and can no longer be aborted."
              .formatted(transfer.id().text(), transfer.phase()));
    }
    if (!force) {
      List<Volume> all = volumes.all(project.tenant(), project.id());
      TransferPlan.onlyCopy(transfer, of(all, transfer.source()))
          .ifPresent(why -> {
            throw new Refusal(
                ProblemCode.ILLEGAL_STATE,
                "It was not aborted: %s. Resume it (fairlead volume resume), or abort it with force."
                    .formatted(why));
          });
    }
    return transfer.after(TransferEvent.DROPPED, "", now());
  }

  /**
   * Resumes a failed transfer with another job: with its upload until the bucket has the whole
   * source, else with its download. Data in the bucket or in the target are not transferred again.
   *
   * @throws Refusal FORBIDDEN, NOT_FOUND, ILLEGAL_STATE unless it is FAILED and its volumes exist
   */
  public Transfer resume(
      Actor actor, String project, String volume, TransferId id, boolean validateOnly) {
    return change(actor, "resumeVolumeTransfer", project, volume, id, validateOnly, this::resumed);
  }

  private Transfer resumed(Project project, Transfer transfer) {
    List<Volume> all = volumes.all(project.tenant(), project.id());
    TransferPlan.notResumed(transfer, of(all, transfer.source()), of(all, transfer.target()))
        .ifPresent(why -> {
          throw new Refusal(
              ProblemCode.ILLEGAL_STATE,
              "Transfer %s is not resumed: %s.".formatted(transfer.id().text(), why));
        });
    return transfer.resumed(now());
  }

  private Transfer change(
      Actor actor,
      String operation,
      String project,
      String volume,
      TransferId id,
      boolean validateOnly,
      BiFunction<Project, Transfer, Transfer> work) {
    Permissions.require(actor, operation);
    AtomicReference<Transfer> result = new AtomicReference<>();
    try {
      transactions.runOrTry(
          validateOnly,
          () -> {
            Project of = tenants.project(actor, project);
            Volume mounted = found(actor, of, volume);
            Transfer old =
                transfers
                    .find(actor.tenant(), of.id(), id)
                    .filter(each -> is(each.source(), mounted) || is(each.target(), mounted))
                    .orElseThrow(() ->
                        new Refusal(
                            ProblemCode.NOT_FOUND,
                            "Volume \"%s\" has no transfer %s.".formatted(volume, id.text())));
            Transfer next = work.apply(of, old);
            transfers.update(next);
            audit(actor, operation, of, next);
            result.set(next);
          });
    } catch (Conflict raced) {
      throw new Refusal(
          ProblemCode.ILLEGAL_STATE,
          "Transfer %s made progress concurrently. Read it again and repeat.".formatted(id.text()));
    }
    return Objects.requireNonNull(result.get(), "it was changed");
  }

  private Volume found(Actor actor, Project project, String name) {
    return volumes
        .find(actor.tenant(), project.id(), name)
        .orElseThrow(() ->
            new Refusal(
                ProblemCode.NOT_FOUND,
                "Project " + project.name() + " has no volume \"" + name + "\"."));
  }

  private void audit(Actor actor, String operation, Project project, Transfer transfer) {
    TreeMap<String, Object> detail = new TreeMap<>();
    detail.put("transfer", transfer.id().text());
    detail.put("target", transfer.target().name());
    String uri = transfer.uri();
    Transfer.Side source = transfer.source();
    detail.put("source", source == null ? String.valueOf(uri) : source.name());
    audit.append(new AuditRecord(actor, operation, project.name(), true, detail));
  }
}
