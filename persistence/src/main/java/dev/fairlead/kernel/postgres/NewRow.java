package dev.fairlead.kernel.postgres;

import org.springframework.data.domain.Persistable;

/**
 * An entity that stands for a row to be inserted. What is stored is read as a projection and
 * changed by a statement that names the version it was read with, so Spring Data inserts every
 * entity without a look for an older one.
 *
 * @param <I> type of its id
 */
public interface NewRow<I> extends Persistable<I> {
  @Override
  default boolean isNew() {
    return true;
  }
}
