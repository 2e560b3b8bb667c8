package dev.fairlead.data.transfer.service;

import dev.fairlead.data.transfer.Transfer;
import dev.fairlead.data.transfer.TransferEvent;
import dev.fairlead.data.transfer.TransferPhase;
import dev.fairlead.data.transfer.TransferPlan;
import dev.fairlead.data.transfer.TransferStore;
import dev.fairlead.data.volume.Volume;
import dev.fairlead.data.volume.VolumeState;
import dev.fairlead.data.volume.VolumeStore;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.Project;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Exchanges the names of a volume and its copy, in the transaction of its caller. */
final class CutOver {
  private static final int MOST_NAMED = 5;

  private final TransferStore transfers;
  private final VolumeStore volumes;

  CutOver(TransferStore transfers, VolumeStore volumes) {
    this.transfers = transfers;
    this.volumes = volumes;
  }

  /**
   * Writes the volumes.
   *
   * @return the transfer after the exchange, not stored
   * @throws Refusal ILLEGAL_STATE, IN_USE
   */
  Transfer of(Project project, Transfer transfer, Instant now) {
    Transfer.Side from = transfer.source();
    if (from == null || transfer.phase() != TransferPhase.READY) {
      throw new Refusal(
          ProblemCode.ILLEGAL_STATE,
          "Transfer %s is %s: only a READY copy can be cut over."
              .formatted(transfer.id().text(), transfer.phase()));
    }
    notUnderWay(project, transfer);
    List<Volume> locked =
        volumes.lock(
            List.of(
                new VolumeStore.Key(project.id(), from.name()),
                new VolumeStore.Key(project.id(), transfer.target().name())));
    Volume target = Transfers.of(locked, transfer.target());
    Volume source = Transfers.of(locked, from);
    TransferPlan.gone(transfer, source, target).ifPresent(CutOver::refuse);
    exchange(project, transfer, source, Objects.requireNonNull(target, "it is not gone"));
    return transfer.after(TransferEvent.CUT_OVER, transfer.status().message(), now);
  }

  /**
   * Refuses while another transfer uses a volume, because that transfer's queued job mounts the
   * volume by name.
   */
  private void notUnderWay(Project project, Transfer transfer) {
    UUID from = Objects.requireNonNull(transfer.source()).volume();
    UUID to = transfer.target().volume();
    for (Transfer each : transfers.of(project.tenant(), project.id(), Transfers.MOST_SHOWN)) {
      if (each.phase().works() && (each.has(from) || each.has(to))) {
        throw new Refusal(
            ProblemCode.IN_USE,
            ("Transfer %s to volume \"%s\" is %s and mounts one of them. Wait until it ends, or"
                    + " abort it.")
                .formatted(each.id().text(), each.target().name(), each.phase()));
      }
    }
  }

  private void exchange(
      Project project, Transfer transfer, @Nullable Volume source, Volume target) {
    String name = Objects.requireNonNull(transfer.source()).name();
    unused(target);
    if (source == null) {
      free(project, transfer, name);
      volumes.update(target.renamed(name));
      return;
    }
    unused(source);
    if (source.state() != VolumeState.LOST) {
      unchanged(transfer, source);
    }
    Volume away = source.renamed("cut-over-" + transfer.id().bare());
    volumes.update(away);
    volumes.update(target.renamed(name));
    volumes.update(away.renamed(target.name()));
  }

  private void free(Project project, Transfer transfer, String name) {
    List<Volume> all = volumes.all(project.tenant(), project.id());
    Volume source = Transfers.of(all, transfer.source());
    if (source != null) {
      refuse(
          "volume %s has been named %s since another copy was cut over"
              .formatted(name, source.name()));
    }
    if (all.stream().anyMatch(volume -> volume.name().equals(name))) {
      refuse("another volume now has the name %s".formatted(name));
    }
  }

  private static void refuse(String why) {
    throw new Refusal(ProblemCode.ILLEGAL_STATE, "It cannot be cut over: " + why + ".");
  }

  private void unused(Volume volume) {
    List<String> users = volumes.mounting(volume, null, MOST_NAMED);
    if (!users.isEmpty()) {
      throw new Refusal(
          ProblemCode.IN_USE,
          "Running jobs mount volume \"%s\": %s. Suspend them, or wait until they end."
              .formatted(volume.name(), String.join(", ", users)));
    }
  }

  private void unchanged(Transfer transfer, Volume source) {
    Instant since = Objects.requireNonNull(transfer.status().uploadedAfter(), "it was uploaded");
    String seen = transfer.status().writtenBy();
    List<String> writers =
        seen == null ? volumes.mounting(source, since, MOST_NAMED) : List.of(seen);
    if (!writers.isEmpty()) {
      refuse(
          ("jobs have mounted volume %s for writing since its copy began (%s), and their writes"
                  + " are not in the copy. Drop it and copy again.")
              .formatted(source.name(), String.join(", ", writers)));
    }
  }
}
