package dev.fairlead.work.workdir.service.spi;

import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.work.log.ChunkStore;
import dev.fairlead.work.log.ForeignLogStore;
import dev.fairlead.work.workdir.Workdir;
import dev.fairlead.work.workdir.WorkdirStore;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Deletes code that no job uses: first its row stops being found, then its pieces are removed, then
 * the row.
 */
@Component
public class WorkdirRetention {
  private static final Logger LOG = LoggerFactory.getLogger(WorkdirRetention.class);

  /** A live upload is much younger. */
  private static final Duration UPLOAD = Duration.ofHours(1);

  private static final Duration UNCLAIMED = Duration.ofDays(1);
  private static final int AT_ONCE = 50;
  private final Transactions transactions;
  private final WorkdirStore workdirs;
  private final ChunkStore store;

  public WorkdirRetention(Transactions transactions, WorkdirStore workdirs, ChunkStore store) {
    this.transactions = transactions;
    this.workdirs = workdirs;
    this.store = store;
  }

  /**
   * Deletes some archives. Call this only while the log store is proven to belong to this
   * installation.
   *
   * @return number of deleted archives
   * @throws ForeignLogStore if the store belongs to another installation: nothing is removed
   */
  public int sweep(HeldLease lease) throws ForeignLogStore {
    List<Workdir> condemned =
        transactions.callFenced(lease, () -> workdirs.condemn(UPLOAD, UNCLAIMED, AT_ONCE));
    int done = 0;
    for (Workdir one : condemned) {
      if (removed(one)) {
        transactions.runFenced(lease, () -> workdirs.forget(one.id()));
        done++;
      }
    }
    return done;
  }

  private boolean removed(Workdir one) throws ForeignLogStore {
    try {
      store.remove(one.pieces());
      return true;
    } catch (ForeignLogStore foreign) {
      throw foreign;
    } catch (IOException failed) {
      LOG.warn("code {} cannot be removed, retrying later: {}", one.id(), failed.toString());
      return false;
    }
  }
}
