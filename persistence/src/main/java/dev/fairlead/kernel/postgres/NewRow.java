package dev.fairlead.kernel.postgres;

import org.springframework.data.domain.Persistable;

/**
 * An entity for a row to be inserted. Stored rows are read as projections and changed by a
 * statement with the version that was read, so Spring Data inserts every entity without a read
 * before.
 *
 * @param <I> type of its id
 */
public interface NewRow<I> extends Persistable<I> {
  @Override
  default boolean isNew() {
    return true;
  }
}
