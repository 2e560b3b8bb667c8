package dev.fairlead.people.audit.service;

import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.kernel.lease.LeaseStore;
import dev.fairlead.people.audit.chain.AuditChain;
import dev.fairlead.people.audit.chain.ChainEnd;
import dev.fairlead.people.audit.chain.ChainHead;
import dev.fairlead.people.audit.chain.ChainKey;
import dev.fairlead.people.audit.chain.ChainLink;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.stereotype.Component;

/**
 * Refuses to start on a database that was sealed under another key file, such as a backup of
 * another installation. Its secrets could not be decrypted, and accepted work would be lost. To use
 * both together, an operator raises the incarnation, which happens before this check.
 */
@Component
class DatabaseOfKeyFile implements SmartInitializingSingleton {
  private final AuditChain chain;
  private final ChainKeys keys;
  private final LeaseStore leases;

  DatabaseOfKeyFile(AuditChain chain, ChainKeys keys, LeaseStore leases) {
    this.chain = chain;
    this.keys = keys;
    this.leases = leases;
  }

  /**
   * @throws ForeignDatabase before a loop or a request begins
   */
  @Override
  public void afterSingletonsInstantiated() {
    keys.key().ifPresent(this::check);
  }

  private void check(ChainKey key) {
    ChainLink last = chain.last().orElse(null);
    ChainHead head = chain.newestHead().orElse(null);
    if (ChainEnd.foreign(key, chain.horizon(), last, head)) {
      throw refused(leases.installation());
    }
  }

  private static ForeignDatabase refused(Installation here) {
    return new ForeignDatabase(
        "The database (FAIRLEAD_DB_URL) is installation "
            + here.label()
            + ", and the key in FAIRLEAD_KEY_FILE did not seal its audit log: the database is a backup of "
            + "another installation, or the key file is not the original one.",
        "Restore a backup of this installation, or restore its key file, which all replicas share. If that file is lost and "
            + "this database must continue with the new one, start one process with FAIRLEAD_INSTALLATION_RAISE_INCARNATION_FROM="
            + here.incarnation()
            + ", then set secrets and cluster connections again. See docs/how-to/restore.md.");
  }
}
