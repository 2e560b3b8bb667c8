package dev.fairlead.kernel.postgres;

import jakarta.persistence.MappedSuperclass;
import jakarta.persistence.PostLoad;
import jakarta.persistence.PostPersist;
import jakarta.persistence.Transient;
import jakarta.persistence.Version;
import org.springframework.data.domain.Persistable;

/**
 * An entity of configuration. It is loaded, changed and saved under its version.
 *
 * @param <I> type of its id
 */
@MappedSuperclass
public abstract class ConfigRow<I> implements Persistable<I> {
  /**
   * Hibernate compares the loaded version and stores the next one. A change that sets the next
   * version is stored even if no other column differs, because child rows may.
   */
  @Version protected long version = 1;

  /** Whether the table contains the row, so that Spring Data inserts only new rows. */
  @Transient private boolean stored;

  @PostLoad
  @PostPersist
  void stored() {
    stored = true;
  }

  @Override
  public boolean isNew() {
    return !stored;
  }
}
