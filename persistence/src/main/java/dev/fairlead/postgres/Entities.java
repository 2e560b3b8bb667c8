package dev.fairlead.postgres;

import jakarta.persistence.EntityManager;
import jakarta.persistence.PersistenceException;
import jakarta.persistence.TypedQuery;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * JPA for configuration rows, without its memory: what is read is detached at once, what is written
 * is flushed at once. So a read sees what statements outside of JPA wrote in the same transaction,
 * and a constraint speaks where it is violated. To be used inside a transaction.
 */
@Component
public class Entities {
  private static final String UNIQUE_VIOLATION = "23505";
  private static final String FOREIGN_KEY_VIOLATION = "23503";
  private static final int CAUSES = 10;

  private final EntityManager entities;

  public Entities(EntityManager entities) {
    this.entities = entities;
  }

  public <E> TypedQuery<E> query(String jpql, Class<E> type) {
    return entities.createQuery(jpql, type);
  }

  public <E> List<E> list(TypedQuery<E> query) {
    List<E> rows = query.getResultList();
    entities.clear();
    return rows;
  }

  /**
   * Inserts the rows in order.
   *
   * @param taken what to throw when a unique constraint refuses
   */
  public void insert(Supplier<? extends RuntimeException> taken, List<?> rows) {
    try {
      rows.forEach(entities::persist);
      entities.flush();
    } catch (PersistenceException e) {
      throw UNIQUE_VIOLATION.equals(state(e)) ? taken.get() : e;
    } finally {
      entities.clear();
    }
  }

  /** Whether a foreign key refused. */
  public static boolean refusedByReference(Throwable failure) {
    return FOREIGN_KEY_VIOLATION.equals(state(failure));
  }

  /** Whether a unique constraint refused. */
  public static boolean refusedByUniqueness(Throwable failure) {
    return UNIQUE_VIOLATION.equals(state(failure));
  }

  /** SQLSTATE of the failure, null when the database is not its cause. */
  public static @Nullable String state(Throwable failure) {
    Throwable cause = failure;
    for (int i = 0; i < CAUSES && cause != null; i++) {
      if (cause instanceof SQLException sql) {
        return sql.getSQLState();
      }
      cause = cause.getCause();
    }
    return null;
  }
}
