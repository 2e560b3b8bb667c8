package dev.fairlead.data.transfer;

import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Transfers of projects. */
public interface TransferStore {
  /**
   * @throws dev.fairlead.kernel.transaction.Conflict NAME_TAKEN while another open transfer has its
   *     target
   */
  void insert(Transfer transfer);

  /**
   * @throws dev.fairlead.kernel.transaction.Conflict VERSION unless the stored version is one below
   */
  void update(Transfer transfer);

  Optional<Transfer> find(TenantId tenant, ProjectId project, TransferId id);

  /** Open transfers first, then newest first, up to the limit. */
  List<Transfer> of(TenantId tenant, ProjectId project, int most);

  /** Open transfers of all tenants, by id. */
  List<Transfer> open();

  /** Deletes up to this many transfers that ended before that time. */
  int forget(Instant endedBefore, int most);
}
