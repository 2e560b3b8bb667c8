package dev.fairlead.verify.simulation.data;

import dev.fairlead.data.transfer.Transfer;
import dev.fairlead.data.transfer.TransferPhase;
import dev.fairlead.data.volume.Volume;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.verify.simulation.world.DurableState;
import dev.fairlead.verify.simulation.world.Invariant;
import dev.fairlead.verify.simulation.world.InvariantBroken;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.world.memory.MemoryStores;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The data of volumes and of the bucket of transfers, by the known progress of their jobs: an
 * upload reads at the start of its first attempt, and a writer writes at its end.
 */
public final class TransferRecord {
  /** Name of the volume that is copied. */
  static final String NAME = "sets";

  private static final String TRANSFER = "FAIRLEAD_TRANSFER_ID";
  private static final int MOST = 200;

  private final DurableState durable;
  private final MemoryStores stores;
  private final Project project;
  private final Map<AttemptId, Work> live = new HashMap<>();
  private final Set<AttemptId> others = new HashSet<>();

  /** Jobs with writes on each volume. A volume that is absent has no data, or a part. */
  private final Map<UUID, Set<String>> data = new HashMap<>();

  private final Map<JobId, Set<String>> read = new HashMap<>();
  private final Map<String, Set<String>> staged = new HashMap<>();
  private final Map<UUID, String> claims = new HashMap<>();
  private final Set<String> touched = new HashSet<>();
  private final Set<String> written = new HashSet<>();
  private boolean follows;
  private @Nullable InvariantBroken broken;

  /**
   * An attempt that handles the data.
   *
   * @param volume that it mounts, null if none
   * @param transfer text of the transfer of a copier, null for a writer
   */
  private record Work(Job job, @Nullable UUID volume, @Nullable String transfer) {
    boolean is(String mode) {
      return job.name().startsWith(mode + "-");
    }
  }

  TransferRecord(DurableState durable) {
    this.durable = durable;
    this.stores = durable.stores();
    this.project = durable.world().project();
  }

  void begins(Volume volume) {
    data.put(volume.id(), Set.of());
  }

  void follow() {
    follows = true;
    durable.afterAttempts(this::commit);
  }

  /** Transfers of the project, open ones first. */
  List<Transfer> transfers() {
    return stores.transfers().of(project.tenant(), project.id(), MOST);
  }

  private void commit() {
    Set<AttemptId> now = new HashSet<>();
    List<Attempt> attempts = stores.jobs().live();
    attempts.forEach(attempt -> now.add(attempt.id()));
    others.retainAll(now);
    List<AttemptId> ended = live.keySet().stream().filter(id -> !now.contains(id)).toList();
    for (Attempt attempt : stores.jobs().attempts(ended)) {
      Work work = Objects.requireNonNull(live.remove(attempt.id()));
      if (attempt.state() == AttemptState.SUCCEEDED) {
        succeeded(work);
      }
    }
    for (Attempt attempt : attempts) {
      if (!others.contains(attempt.id()) && !live.containsKey(attempt.id())) {
        Job job = stores.jobs().findAll(List.of(attempt.job())).getFirst();
        String transfer = job.spec().roles().getFirst().env().get(TRANSFER);
        if (transfer == null && !job.spec().volumeNames().contains(NAME)) {
          others.add(attempt.id());
        } else {
          started(attempt.id(), job, transfer);
        }
      }
    }
  }

  private @Nullable UUID mounted(Job job) {
    List<Volume> all =
        stores.volumes().named(project.tenant(), project.id(), job.spec().volumeNames());
    all.forEach(volume -> claims.put(volume.id(), volume.claimName()));
    return all.isEmpty() ? null : all.getFirst().id();
  }

  private void started(AttemptId attempt, Job job, @Nullable String transfer) {
    Work work = new Work(job, mounted(job), transfer);
    if (transfer == null) {
      Set<String> there = data.get(work.volume);
      if (there == null || !there.containsAll(written)) {
        broken(Invariant.COPY_HAS_ALL_DATA, "%s mounts %s of %s", job.name(), there, written);
      }
    } else {
      alone(work, transfer);
      touched.add(transfer);
    }
    if (work.is("upload")) {
      read.putIfAbsent(job.id(), Set.copyOf(data.getOrDefault(work.volume, Set.of())));
    }
    live.put(attempt, work);
  }

  /** No other copier of the transfer has processes, and the transfer has not ended. */
  private void alone(Work work, String transfer) {
    for (Work other : live.values()) {
      if (transfer.equals(other.transfer) && !other.job.id().equals(work.job.id())) {
        broken(Invariant.ONE_COPIER, "%s and %s", work.job.name(), other.job.name());
      }
    }
    Transfer row =
        transfers().stream()
            .filter(each -> each.id().bare().equals(transfer))
            .findFirst()
            .orElseThrow();
    boolean removes =
        row.phase() == TransferPhase.CLEANING || row.phase() == TransferPhase.DROPPING;
    if (work.is("remove") && (!removes || !work.job.id().equals(row.job()))) {
      broken(Invariant.ONE_COPIER, "%s empties the bucket of %s", work.job.name(), row);
    }
    if (!row.phase().works()) {
      broken(Invariant.ONE_COPIER, "%s of %s", work.job.name(), row);
    }
  }

  private void succeeded(Work work) {
    String transfer = work.transfer;
    UUID volume = work.volume;
    if (transfer == null) {
      written.add(work.job.name());
      Set<String> more = new HashSet<>(data.getOrDefault(volume, Set.of()));
      more.add(work.job.name());
      data.put(volume, more);
    } else if (work.is("upload")) {
      staged.put(transfer, Objects.requireNonNull(read.get(work.job.id())));
    } else if (work.is("download")) {
      Set<String> all = staged.get(transfer);
      if (all == null) {
        broken(Invariant.COPY_HAS_ALL_DATA, "%s without an upload", work.job.name());
      } else {
        data.put(volume, all);
      }
    } else if (work.is("remove")) {
      staged.remove(transfer);
      touched.remove(transfer);
    }
  }

  /** A transfer that reports complete data in its target is right. */
  private void complete(Transfer transfer) {
    boolean done =
        transfer.phase() == TransferPhase.CLEANING
            || transfer.phase() == TransferPhase.READY
            || transfer.phase() == TransferPhase.CUT_OVER;
    if (done && !data.containsKey(transfer.target().volume())) {
      broken(Invariant.COPY_HAS_ALL_DATA, "%s without its data", transfer);
    }
  }

  private void broken(Invariant invariant, String text, Object... arguments) {
    broken = broken == null ? new InvariantBroken(invariant, text.formatted(arguments)) : broken;
  }

  void check() {
    if (follows) {
      transfers().forEach(this::complete);
    }
    if (broken != null) {
      throw broken;
    }
  }

  /**
   * Each transfer has ended. It leaves nothing in the bucket unless it reports that, and a dropped
   * copy leaves no volume.
   */
  void end() {
    List<String> left = new ArrayList<>();
    for (Transfer each : transfers()) {
      boolean told = each.status().message().contains("staged objects were not deleted");
      if (!each.over() || touched.contains(each.id().bare()) && !told) {
        left.add(each + " with " + copier(each));
      }
      if (each.phase() == TransferPhase.DROPPED && !each.status().message().contains(" stays: ")) {
        left.addAll(ofCopy(each.target().volume()));
      }
    }
    if (!left.isEmpty()) {
      throw new InvariantBroken(Invariant.NOTHING_IS_LEFT, "of transfers: " + left);
    }
  }

  private String copier(Transfer transfer) {
    JobId id = transfer.job();
    return id == null
        ? "no copier"
        : stores.jobs().findAll(List.of(id)).stream().map(job -> job.state()).toList()
            + ", "
            + stores.explanations().of(id);
  }

  /** A row that a job can mount, or a claim without a row. */
  private List<String> ofCopy(UUID id) {
    List<Volume> rows =
        stores.volumes().all(project.tenant(), project.id()).stream()
            .filter(volume -> volume.id().equals(id))
            .toList();
    String claim = claims.get(id);
    if (!rows.isEmpty() || claim == null) {
      return rows.stream().filter(Volume::usable).map(Volume::toString).toList();
    }
    return durable.clusters().values().stream()
        .filter(cluster -> cluster.claims().delete(project.namespace(), claim))
        .map(cluster -> "claim " + claim)
        .toList();
  }
}
