package dev.fairlead.data.transfer;

import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Transfers of projects. */
public interface TransferStore {
  /**
   * @throws dev.fairlead.kernel.transaction.Conflict NAME_TAKEN while another one that has not
   *     ended has its target
   */
  void insert(Transfer transfer);

  /**
   * @throws dev.fairlead.kernel.transaction.Conflict VERSION unless the stored version is one below
   */
  void update(Transfer transfer);

  Optional<Transfer> find(TenantId tenant, ProjectId project, TransferId id);

  /** Those that have not ended first, then the newest first, at most so many. */
  List<Transfer> of(TenantId tenant, ProjectId project, int most);

  /** Those of all tenants that have not ended, by id. */
  List<Transfer> open();

  /** Removes so many that ended before that time. */
  int forget(Instant endedBefore, int most);
}
