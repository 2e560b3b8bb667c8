package dev.fairlead.kernel.postgres;

import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.data.repository.NoRepositoryBean;
import org.springframework.data.repository.Repository;

/**
 * Repository of a table of configuration.
 *
 * @param <E> its entity
 * @param <I> type of its id
 */
@NoRepositoryBean
public interface ConfigRows<E extends ConfigRow<I>, I> extends Repository<E, I> {
  Optional<E> findById(I id);

  E saveAndFlush(E row);

  void delete(E row);

  void flush();

  /**
   * Loads, changes and saves a row.
   *
   * @param version the version that the caller has read
   * @param stale exception to throw if the row was deleted, or its version has changed
   */
  default E change(
      I id, long version, Supplier<? extends RuntimeException> stale, Consumer<E> change) {
    E row = at(id, version, stale);
    change.accept(row);
    try {
      return saveAndFlush(row);
    } catch (OptimisticLockingFailureException overtaken) {
      throw stale.get();
    }
  }

  /**
   * Loads and deletes a row.
   *
   * @param version the version that the caller has read
   * @param stale exception to throw if the row was deleted, or its version has changed
   */
  default void remove(I id, long version, Supplier<? extends RuntimeException> stale) {
    delete(at(id, version, stale));
    try {
      flush();
    } catch (OptimisticLockingFailureException overtaken) {
      throw stale.get();
    }
  }

  private E at(I id, long version, Supplier<? extends RuntimeException> stale) {
    return findById(id).filter(row -> row.version == version).orElseThrow(stale);
  }
}
