package dev.fairlead.work.workload.service;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.work.attempt.ActionRequest;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.workload.EpochClaim;
import dev.fairlead.work.workload.service.attempt.AttemptCase;
import dev.fairlead.work.workload.service.attempt.AttemptDecisions;
import dev.fairlead.work.workload.service.attempt.AttemptRepository;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Abandons attempts that were never sent while their cluster accepts no requests, so that they are
 * planned on another cluster.
 *
 * <p>Only this database records that an attempt was not sent. A copy or an older state of the
 * database has the same record for attempts that another process has launched. Therefore only
 * attempts that were planned under this epoch, or planned after the cluster accepted this epoch,
 * are abandoned.
 *
 * <p>Not thread-safe.
 */
final class UnlaunchedAttemptReaper {
  /** Pages of a pass. The next pass continues after them. */
  static final int PAGES = 4;

  private static final Logger LOG = LoggerFactory.getLogger(UnlaunchedAttemptReaper.class);
  private final ClusterId cluster;
  private final AttemptRepository repository;
  private final ActionPages pages;
  private long epoch = -1;
  private long watermark = -1;
  private Instant began = Instant.MAX;
  private boolean ours;

  UnlaunchedAttemptReaper(ClusterId cluster, AttemptRepository repository) {
    this.cluster = cluster;
    this.repository = repository;
    this.pages = new ActionPages(repository, cluster);
  }

  /** Stores the cluster's response to the epoch. */
  void claimed(HeldLease lease, EpochClaim claim, Instant now) {
    if (epoch != lease.epoch()) {
      epoch = lease.epoch();
      began = now;
      ours = false;
      watermark = -1;
    }
    switch (claim) {
      case EpochClaim.Ours mine -> ours = true;
      case EpochClaim.Unknown asBefore -> {}
      case EpochClaim.Higher other -> another();
      case EpochClaim.Ahead other -> another();
    }
    if (lease.watermark() < watermark) {
      another(); // after a restore, a planned attempt may have been sent
    }
    watermark = Math.max(watermark, lease.watermark());
  }

  private void another() {
    ours = false;
    began = Instant.MAX;
  }

  /**
   * Abandons a bounded number of attempts in each pass.
   *
   * @param shut reason why the cluster accepts no requests, null if it does
   */
  void giveUp(HeldLease lease, @Nullable String shut) {
    if (shut == null || !ours && began.equals(Instant.MAX)) {
      return;
    }
    boolean more = true;
    for (int page = 0; more && page < PAGES; page++) {
      List<AttemptId> planned =
          pages.next(id -> false).stream()
              .filter(request -> request.state() == AttemptState.PLANNED)
              .map(ActionRequest::attempt)
              .toList();
      List<AttemptCase> cases =
          repository.read(cluster, planned).stream().filter(this::safe).toList();
      Map<AttemptId, AttemptCase> given =
          repository.change(lease, cluster, cases, AttemptDecisions.unsent(shut));
      if (!given.isEmpty()) {
        LOG.info("{} attempts are replanned elsewhere, {}: {}", given.size(), cluster.text(), shut);
      }
      more = pages.more();
    }
  }

  private boolean safe(AttemptCase planned) {
    return ours || planned.attempt().createdAt().isAfter(began);
  }
}
