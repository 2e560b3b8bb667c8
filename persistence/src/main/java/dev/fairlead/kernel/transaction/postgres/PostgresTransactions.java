package dev.fairlead.kernel.transaction.postgres;

import dev.fairlead.kernel.identity.Id;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.postgres.Changes;
import dev.fairlead.kernel.postgres.RowLevelSecurity;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.postgres.TransactionScope;
import dev.fairlead.kernel.transaction.FenceLost;
import dev.fairlead.kernel.transaction.LoopWork;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.kernel.transaction.UnknownOutcome;
import java.sql.SQLException;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * {@link Transactions} on PostgreSQL: READ COMMITTED, reads REPEATABLE READ. A nested call joins.
 * The outermost one repeats its work after a deadlock or a serialisation failure, and publishes
 * changes after its commit.
 */
@Component
class PostgresTransactions implements Transactions {
  private static final Logger LOG = LoggerFactory.getLogger(PostgresTransactions.class);
  private static final SqlFile LOCK_FENCE = SqlFile.named("transaction/lock-fence");
  private static final SqlFile ONE_VIEW = SqlFile.named("transaction/one-view");
  private static final Set<String> REPEATABLE = Set.of("40P01", "40001");

  /** Connection exceptions, and a server that shuts down. */
  private static final Set<String> LOST = Set.of("08", "57P");

  private static final int TRIES = 5;
  private static final int CAUSES = 10;

  private final TransactionTemplate writing;
  private final TransactionTemplate reading;
  private final JdbcClient jdbc;
  private final RowLevelSecurity security;
  private final Changes changes;

  PostgresTransactions(
      PlatformTransactionManager transactions,
      JdbcClient jdbc,
      RowLevelSecurity security,
      Changes changes) {
    this.writing = new TransactionTemplate(transactions);
    this.reading = new TransactionTemplate(transactions);
    this.reading.setReadOnly(true);
    this.jdbc = jdbc;
    this.security = security;
    this.changes = changes;
  }

  @Override
  public <T> T call(Supplier<T> work) {
    return TransactionScope.current() != null
        ? joined(work)
        : repeated(writing, () -> entered(work));
  }

  @Override
  public <T> T callFenced(HeldLease lease, Supplier<T> work) {
    Supplier<T> fenced =
        () -> {
          lockFence(lease);
          return work.get();
        };
    return TransactionScope.current() != null
        ? joined(() -> left(fenced))
        : repeated(writing, () -> left(fenced));
  }

  @Override
  public <T> T read(Supplier<T> work) {
    return TransactionScope.current() != null ? joined(work) : oneView(() -> entered(work));
  }

  @Override
  public <T> T readForAllTenants(Supplier<T> work) {
    return TransactionScope.current() != null ? forAllTenants(work) : oneView(() -> left(work));
  }

  private <T> T oneView(Supplier<T> work) {
    return repeated(
        reading,
        () -> {
          jdbc.sql(ONE_VIEW.text()).update();
          return work.get();
        });
  }

  /**
   * Inside another transaction the scope ends with the work, and the previous tenant applies again.
   */
  @Override
  public <T> T forAllTenants(Supplier<T> work) {
    TransactionScope outer = TransactionScope.current();
    if (outer == null) {
      return repeated(writing, () -> left(work));
    }
    UUID tenant = outer.tenant();
    boolean stays = outer.acrossTenants();
    T done = joined(() -> left(work));
    if (!stays) {
      security.restore(outer, tenant);
    }
    return done;
  }

  @Override
  public <T> T inTenant(Id tenant, Supplier<T> work) {
    return call(() -> {
      security.setTenant(tenant.value());
      return work.get();
    });
  }

  private <T> T left(Supplier<T> work) {
    security.bypass(open());
    return work.get();
  }

  /** Starts a transaction for a single tenant. */
  private <T> T entered(Supplier<T> work) {
    security.begin(open());
    return work.get();
  }

  private static TransactionScope open() {
    return Objects.requireNonNull(TransactionScope.current(), "a transaction is open");
  }

  private void lockFence(HeldLease lease) {
    boolean ours =
        jdbc.sql(LOCK_FENCE.text())
            .param("name", lease.name())
            .param("epoch", lease.epoch())
            .query(Long.class)
            .optional()
            .isPresent();
    if (!ours) {
      throw new FenceLost(lease);
    }
  }

  /** The template marks the outer transaction as failed if the work throws. */
  private <T> T joined(Supplier<T> work) {
    return run(writing, work);
  }

  private <T> T repeated(TransactionTemplate template, Supplier<T> work) {
    for (int attempt = 1; ; attempt++) {
      try {
        return once(template, work);
      } catch (RuntimeException e) {
        String state = repeatableState(e);
        if (state == null || attempt == TRIES) {
          throw e;
        }
        LOG.info("transaction repeated: try={} of={} sqlstate={}", attempt, TRIES, state);
      }
    }
  }

  private <T> T once(TransactionTemplate template, Supplier<T> work) {
    TransactionScope scope = TransactionScope.open(LoopWork.isHere());
    AtomicBoolean committing = new AtomicBoolean();
    T result;
    try {
      result =
          run(
              template,
              () -> {
                T done = work.get();
                committing.set(true);
                return done;
              });
    } catch (RuntimeException failed) {
      throw committing.get() && !refused(failed) ? new UnknownOutcome(failed) : failed;
    } finally {
      TransactionScope.close();
    }
    changes.committed(scope.changes());
    return result;
  }

  @SuppressWarnings(
      "NullAway") // Spring's callback may return null, and this one returns the supplier's result
  private static <T> T run(TransactionTemplate template, Supplier<T> work) {
    return template.execute(status -> work.get());
  }

  /** Returns whether the server itself refused: the commit then did not happen. */
  private static boolean refused(Throwable failure) {
    Throwable cause = failure;
    for (int i = 0; i < CAUSES && cause != null; i++) {
      if (cause instanceof SQLException sql && sql.getSQLState() != null) {
        return LOST.stream().noneMatch(sql.getSQLState()::startsWith);
      }
      cause = cause.getCause();
    }
    return false;
  }

  private static @Nullable String repeatableState(Throwable failure) {
    Throwable cause = failure;
    for (int i = 0; i < CAUSES && cause != null; i++) {
      if (cause instanceof SQLException sql
          && sql.getSQLState() != null
          && REPEATABLE.contains(sql.getSQLState())) {
        return sql.getSQLState();
      }
      cause = cause.getCause();
    }
    return null;
  }
}
